//! Ring programs, and what a machine makes of them.

use crate::error::{ckks_error, rlwe_error, run_error, ParameterError, ProgramError};
use crate::femtoseconds::femtoseconds;
use crate::integer::{count, Integer};
use crate::interruptible::interruptible;
use crate::machine::Backend;
use crate::parameters::Parameters;
use crate::program::HeProgram;
use crate::timing::{OperationCycles, Timing};
use pyo3::prelude::*;
use ringwright_arith::primes::ntt_primes;
use ringwright_ir::generate;
use ringwright_ir::ring::{self, Basis, Domain, ModuleBuilder, Type};
use ringwright_ir::{RunError, Value};
use ringwright_schemes::{ckks, rlwe};
use ringwright_target as target;
use ringwright_towers::Meaning;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// A `ring` program: functions over towers, one of them the entry.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Module {
    module: Arc<ring::Module>,
    /// Of a ciphertext program: what each call of the entry function is.
    calls: Arc<[ckks::CallSite]>,
}

#[pymethods]
impl Module {
    /// From its text form. Raises `ProgramError`.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str) -> PyResult<Self> {
        let parsed = py.detach(|| ringwright_ir::text::parse(text));
        let module = parsed.map_err(|error| ProgramError::new_err(error.to_string()))?;
        Ok(Self::of(module))
    }

    /// Encryption of an encoded polynomial at a level. Raises `ParameterError`.
    #[staticmethod]
    fn encryption(parameters: &Parameters, level: Integer) -> PyResult<Self> {
        let level = count("level", level)?;
        let module = rlwe::programs::encrypt(&parameters.0, level);
        module.map(Self::of).map_err(rlwe_error)
    }

    /// Decryption of a ciphertext of two parts to an encoded polynomial. Raises `ParameterError`.
    #[staticmethod]
    fn decryption(parameters: &Parameters, level: Integer) -> PyResult<Self> {
        let level = count("level", level)?;
        let module = rlwe::programs::decrypt(&parameters.0, level, 2);
        module.map(Self::of).map_err(rlwe_error)
    }

    /// One transform of each tower (one, if not said), modulo the largest primes of `bits` bits that
    /// have it. Raises `ParameterError`.
    #[staticmethod]
    #[pyo3(signature = (log_n, bits, *, inverse = false, towers = Integer::Held(1)))]
    fn transform(log_n: Integer, bits: Integer, inverse: bool, towers: Integer) -> PyResult<Self> {
        let (log_n, bits) = (count("log_n", log_n)?, count("bits", bits)?);
        transform(log_n, bits, inverse, count("towers", towers)?).map(Self::of)
    }

    /// What a ciphertext program expands to for a backend; neither keys nor values are needed.
    #[staticmethod]
    fn expanded(py: Python<'_>, program: &HeProgram, backend: &Backend) -> PyResult<Self> {
        let program = &program.program;
        let hoisting = ckks::Hoisting::on(&*backend.device(), program.parameters());
        let whole = BTreeMap::new();
        let expanded = interruptible(py, || ckks::expand_for(program, &whole, hoisting))?;
        let ckks::Expanded { module, calls, .. } = expanded.map_err(ckks_error)?;
        Ok(Self {
            module: Arc::new(module),
            calls: calls.into(),
        })
    }

    /// Each call of the entry function as a program of its own, in order.
    fn separately(&self) -> Vec<Self> {
        let entry = self.module.entry().ops.iter();
        let called = entry.filter_map(|op| match op.kind {
            ring::OpKind::Call { func } => Some(func),
            _ => None,
        });
        let sites = self.calls.iter();
        let all = sites.zip(called).map(|(site, func)| Self {
            module: Arc::new(alone(&self.module, func)),
            calls: [site.clone()].into(),
        });
        all.collect()
    }

    /// The ring degree.
    #[getter]
    fn n(&self) -> usize {
        1 << self.module.log_n
    }

    /// The text form.
    #[getter]
    fn text(&self) -> String {
        ringwright_ir::text::print(&self.module)
    }
}

impl Module {
    /// The ring program.
    pub fn ring(&self) -> &ring::Module {
        &self.module
    }

    fn of(module: ring::Module) -> Self {
        Self {
            module: Arc::new(module),
            calls: Arc::new([]),
        }
    }
}

/// A function as a program of its own.
fn alone(module: &ring::Module, func: ring::FuncId) -> ring::Module {
    let wanted = vec![true; module.func(func).returns.len()];
    Meaning::Function { func, wanted }.module(module)
}

/// A program that is one transform of each tower.
fn transform(log_n: u32, bits: u32, inverse: bool, towers: u16) -> PyResult<ring::Module> {
    let refused = |error: &dyn std::fmt::Display| ParameterError::new_err(error.to_string());
    let primes = ntt_primes(bits, log_n, towers.into()).map_err(|error| refused(&error))?;
    let mut mb = ModuleBuilder::new(log_n, &primes);
    let mut fb = mb.function(if inverse { "intt" } else { "ntt" });
    let domain = if inverse { Domain::Eval } else { Domain::Coeff };
    let x = fb.param("x", Type::poly(&Basis::range(0..towers), domain), false);
    let y = if inverse { fb.intt(x) } else { fb.ntt(x) };
    let main = y
        .and_then(|y| fb.finish(&[y]))
        .map_err(|error| refused(&error))?;
    mb.finish(main).map_err(|error| refused(&error))
}

/// A ring program that a machine has made ready.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Executable {
    executable: Arc<dyn target::Executable>,
    module: Arc<ring::Module>,
    calls: Arc<[ckks::CallSite]>,
}

/// Checks a ring program and lowers it. Raises `MachineError` where the machine cannot run it.
#[pyfunction]
pub fn lower(py: Python<'_>, backend: &Backend, module: &Module) -> PyResult<Executable> {
    let executable = interruptible(py, || backend.device().lower(&module.module))?;
    Ok(Executable {
        executable: executable.map_err(run_error)?,
        module: module.module.clone(),
        calls: module.calls.clone(),
    })
}

#[pymethods]
impl Executable {
    /// Time of one run, which never depends on values; `None` on a machine that is not simulated.
    #[getter]
    fn timing(&self) -> Option<Timing> {
        self.executable.timing().cloned().map(Timing)
    }

    /// What each operation of a ciphertext program takes; empty for other programs, and on a machine
    /// that is not simulated.
    #[getter]
    fn operations(&self) -> Vec<OperationCycles> {
        let timing = self.executable.timing();
        timing.map_or_else(Vec::new, |timing| OperationCycles::of(timing, &self.calls))
    }

    /// Runs it on random words: wall-clock femtoseconds of each of `rounds` runs after one that is
    /// not counted.
    fn measure(&self, py: Python<'_>, rounds: Integer) -> PyResult<Vec<u64>> {
        let rounds: usize = count("rounds", rounds)?;
        let measure = || -> Result<Vec<u64>, RunError> {
            let inputs: Vec<Value> = generate::inputs(1, &self.module);
            self.executable.run(&inputs)?;
            let one = |_| {
                let started = Instant::now();
                let run = self.executable.run(&inputs);
                run.map(|_| femtoseconds(started.elapsed()))
            };
            (0..rounds).map(one).collect()
        };
        interruptible(py, measure)?.map_err(run_error)
    }

    /// The programs in the machine's own instructions that it becomes: (what it computes, one
    /// instruction a line, after a comment on how it was made). `plain`: before a scheduler has seen
    /// them, where the target has both.
    #[pyo3(signature = (*, plain = false))]
    fn listings(&self, plain: bool) -> Vec<(String, String)> {
        let listings = self.executable.listings().into_iter();
        let text = |plain_text: Option<String>, text: String| match plain {
            true => plain_text.unwrap_or(text),
            false => text,
        };
        listings
            .map(|each| (each.name, text(each.plain, each.text)))
            .collect()
    }
}
