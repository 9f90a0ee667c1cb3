//! The CPU as a device: threads, instruction set, tables and working memory.

use crate::arguments::Checked;
use crate::lower::lower;
use crate::resources::{Memory, Resources};
use crate::run::{calls, Program};
use crate::tables::Tables;
use crate::threads::Threads;
use crate::width::{is_short, Width};
use ringwright_ir::ring::{verify, Function, Module, Type};
use ringwright_ir::RunError;
use ringwright_kernels::Isa;
use ringwright_target::{Device, Executable};
use std::sync::Arc;

/// How a [`Cpu`] works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Threads that share the towers of a stage, at least 1; with 1 the caller's thread works.
    pub threads: usize,
    /// Instruction set of the kernels; a prime that it has no body for gets the next best.
    pub isa: Isa,
    /// Fills working memory with unreduced words before every run; for tests.
    pub poison: bool,
}

/// The machine at hand as a device for ring programs.
#[derive(Debug)]
pub struct Cpu {
    machine: String,
    tables: Tables,
    resources: Arc<Resources>,
}

/// The threads could not be started.
#[derive(Debug, thiserror::Error)]
#[error("{threads} threads: {source}")]
pub struct ThreadsError {
    threads: usize,
    source: rayon::ThreadPoolBuildError,
}

impl Cpu {
    /// A device of this name.
    pub fn new(machine: &str, options: Options) -> Result<Self, ThreadsError> {
        let threads = options.threads.max(1);
        let started = (threads > 1).then(|| Threads::new(threads)).transpose();
        let started = started.map_err(|source| ThreadsError { threads, source })?;
        Ok(Cpu {
            machine: machine.to_owned(),
            tables: Tables::new(machine, options.isa),
            resources: Arc::new(Resources {
                threads: started,
                wide: Memory::new(options.poison),
                short: Memory::new(options.poison),
                poison: options.poison,
                checked: Checked::default(),
            }),
        })
    }

    /// Threads and memory, to look at in tests.
    #[cfg(test)]
    pub(crate) fn resources(&self) -> &Resources {
        &self.resources
    }

    fn program<W: Width>(&self, module: &Module) -> Result<Program<W>, RunError> {
        let of_width = W::towers(&self.tables);
        let towers = module
            .primes
            .iter()
            .map(|&q| self.tables.tower(of_width, module.kind, module.log_n, q));
        let lowered = lower(module, &self.tables, self.resources.is_parallel())?;
        let calls = calls::of_steps(module, &lowered);
        let plans = lowered.plans;
        // A function is called by later ones only.
        let mut operations = Vec::with_capacity(plans.len());
        for plan in &plans {
            operations.push(plan.operations_in_all(&operations));
        }
        Ok(Program {
            operations: operations[module.entry.index()],
            towers: towers.collect::<Result<_, _>>()?,
            calls,
            plans,
            keccak: self.tables.keccak()?,
            secret: has_secret(module.entry()),
            resources: self.resources.clone(),
            module: module.clone(),
        })
    }
}

impl Device for Cpu {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        verify(module)?;
        Ok(match is_short(module) {
            true => Arc::new(self.program::<u32>(module)?),
            false => Arc::new(self.program::<u64>(module)?),
        })
    }

    fn machine(&self) -> &str {
        &self.machine
    }
}

fn has_secret(entry: &Function) -> bool {
    entry
        .params
        .iter()
        .any(|param| param.secret || param.ty == Type::Seed)
}
