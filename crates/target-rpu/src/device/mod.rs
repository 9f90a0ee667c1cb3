//! The machine as a target.

mod image;
mod run;
mod steps;

use crate::config::{DEFAULT_MACHINE, TARGET};
use crate::kernels::compile::known::Recipes;
use crate::kernels::compile::tuning;
use crate::kernels::{word_by_word, Blocks, Library, Operation};
use crate::lower::kinds::Manner;
use crate::lower::part::Piece;
use crate::lower::program::{self, Program};
use crate::{rtl, study, Config};
use ringwright_arith::Word;
use ringwright_ir::arguments::Signature;
use ringwright_ir::ring::Module;
use ringwright_ir::{verify, RunError, Value};
use ringwright_spec::{schema, Machine, ParamDecl};
use ringwright_target::{
    check_size, check_standard_ring, Device, DeviceMemory, Executable, Listing, Target,
    TargetError, Timing, TransformSchedule,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The Ring Processing Unit.
pub const RPU: Target = Target {
    name: TARGET,
    title: "The Ring Processing Unit and its instruction set B512, cycle by cycle",
    paper: Some("Soni et al., RPU: The Ring Processing Unit, ISPASS 2023"),
    default_machine: DEFAULT_MACHINE,
    parameters,
    lower,
    cost: None,
    transform: Some(study::transform::study),
    schedules: Some(tuning::SEARCH),
    rtl: Some(rtl::RTL),
    image: Some(image::image),
};

fn parameters() -> &'static [ParamDecl] {
    schema(TARGET).map_or(&[], |schema| schema.params())
}

fn lower(machine: &Machine) -> Result<Arc<dyn Device>, TargetError> {
    Ok(Arc::new(Processor::new(machine)?))
}

/// One machine, with what has been made for it.
struct Processor {
    config: Arc<Config>,
    library: Library,
    memory: DeviceMemory,
}

impl Processor {
    fn new(machine: &Machine) -> Result<Self, TargetError> {
        let config = Config::new(machine)?;
        let (bytes, per_word) = (config.memory_bytes, config.bytes_per_word());
        Ok(Processor {
            memory: DeviceMemory::new(&config.machine, bytes, per_word),
            library: Library::new(Recipes::of(machine)?),
            config: Arc::new(config),
        })
    }

    fn lowered(&self, module: &Module) -> Result<Lowered, RunError> {
        verify(module)?;
        check_standard_ring(&self.config.machine, module)?;
        check_size(&self.config.machine, module)?;
        let manners = program::manners(&self.config, module).iter();
        let mut made = manners.map(|&manner| self.timed(module, manner));
        let first = made
            .next()
            .unwrap_or_else(|| self.timed(module, Manner::Resident));
        // A manner that cannot be is no reason to refuse what another can.
        let quickest = made.fold(first, |best, other| match (best, other) {
            (Ok(best), Ok(other)) if other.1.cycles < best.1.cycles => Ok(other),
            (Err(_), Ok(other)) => Ok(other),
            (best, _) => best,
        });
        let (program, timing) = quickest?;
        let widest = module.primes.iter().max().copied().unwrap_or(0);
        Ok(Lowered {
            config: self.config.clone(),
            prime_bits: u128::BITS - widest.leading_zeros(),
            signature: Signature::of(module),
            program,
            timing: Arc::new(timing),
        })
    }

    fn timed(&self, module: &Module, manner: Manner) -> Result<(Program, Timing), RunError> {
        let program = program::lower(&self.config, &self.library, module, manner)?;
        let timing = steps::time(&self.config, &program);
        let timing = timing.map_err(|error| RunError::Invalid(error.to_string()))?;
        Ok((program, timing))
    }
}

impl Device for Processor {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        Ok(Arc::new(self.lowered(module)?))
    }

    fn machine(&self) -> &str {
        &self.config.machine
    }

    fn bytes_per_word(&self) -> Option<u64> {
        Some(self.config.bytes_per_word())
    }

    fn memory(&self) -> Option<&DeviceMemory> {
        Some(&self.memory)
    }

    fn schedules(&self) -> Vec<TransformSchedule> {
        self.library.schedules()
    }
}

impl Lowered {
    /// With values in words of `W`, which must hold the program's primes.
    fn run_in<W: Word>(&self, inputs: &[Value<W>]) -> Result<Vec<Value<W>>, RunError> {
        if self.prime_bits > W::MAX_MODULUS_BITS {
            let (bits, word, most) = (self.prime_bits, W::BITS, W::MAX_MODULUS_BITS);
            return Err(self.config.unsupported(format!(
                "a prime of {bits} bits with values in words of {word} bits, which hold primes of up \
                 to {most}"
            )));
        }
        self.signature.check(inputs)?;
        run::run(&self.config, &self.program, inputs)
    }

    /// Programs on blocks of towers, each once.
    fn sweeps(&self) -> Vec<Listing> {
        let pieces = self.program.parts.iter().flat_map(|part| &part.pieces);
        let blocks = pieces.filter_map(|piece| match piece {
            Piece::Sweep(sweep) => Some((&sweep.blocks.formula, &sweep.blocks)),
            Piece::Start(_) => None,
        });
        let blocks: BTreeMap<_, _> = blocks.collect();
        let listing = |blocks: &Arc<Blocks>| Listing {
            name: word_by_word::NAME.to_owned(),
            text: format!("# {}\n{}", blocks.summary(), blocks.program),
            plain: blocks
                .plain
                .as_ref()
                .map(|(_, program)| program.to_string()),
        };
        blocks.into_values().map(listing).collect()
    }
}

/// A program on one machine.
struct Lowered {
    config: Arc<Config>,
    signature: Signature,
    /// Of the widest prime.
    prime_bits: u32,
    program: Program,
    timing: Arc<Timing>,
}

impl Executable for Lowered {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        self.run_in(inputs)
    }

    fn run_wide(&self, inputs: &[Value<u128>]) -> Result<Vec<Value<u128>>, RunError> {
        self.run_in(inputs)
    }

    fn timing(&self) -> Option<&Arc<Timing>> {
        Some(&self.timing)
    }

    fn listings(&self) -> Vec<Listing> {
        let mut listings = self.sweeps();
        let mut seen: BTreeSet<Operation> = BTreeSet::new();
        let parts = self.program.parts.iter();
        for measured in parts
            .flat_map(|part| part.starts())
            .flat_map(|start| &start.calls)
            .map(|call| &call.kernel)
        {
            let kernel = &measured.kernel;
            if seen.insert(kernel.operation) {
                listings.push(Listing {
                    name: kernel.operation.name().to_owned(),
                    text: format!("# {}\n{}", measured.summary(), kernel.program),
                    plain: Some(measured.plain.to_string()),
                });
            }
        }
        listings
    }
}
