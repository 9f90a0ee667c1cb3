//! The machine as a target.

mod chip;
mod image;
mod lanes;
mod list_image;
mod quickest;
mod regions;
mod run;
mod shares;
mod steps;
mod units;
mod writer;
#[cfg(test)]
mod wrong_kernels;

use crate::config::{DEFAULT_MACHINE, TARGET};
use crate::cost::cost;
use crate::kernels::body::BodyId;
use crate::kernels::compile::known::Recipes;
use crate::kernels::compile::tuning;
use crate::kernels::{word_by_word, Body, Library, WordKernel};
use crate::lower::part::Piece;
use crate::lower::plan::Plan;
use crate::lower::program::{self, Program};
use crate::roofs::roofs;
use crate::{rtl, study, Config};
use quickest::Search;
use ringwright_arith::Word;
use ringwright_ir::arguments::Signature;
use ringwright_ir::ring::Module;
use ringwright_ir::{verify, RunError, Value};
use ringwright_spec::{schema, Machine, ParamDecl};
use ringwright_target::{
    check_size, check_standard_ring, Device, DeviceMemory, Executable, KernelCalls, Listing, Roofs,
    Target, TargetError, Timing, TransformSchedule, WordBytes,
};
use ringwright_towers::{Program as Towers, Shelf};
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
    cost: Some(cost),
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
        let (bytes, words) = (config.memory_bytes, config.words_off_chip());
        Ok(Processor {
            memory: DeviceMemory::new(&config.machine, bytes, words),
            library: Library::new(Recipes::of(machine)?),
            config: Arc::new(config),
        })
    }

    fn lowered(&self, module: &Module) -> Result<Lowered, RunError> {
        self.check(module)?;
        if self.config.tiles == 1 {
            return self.on_one_tile(module);
        }
        let program = chip::quickest(&self.search(module))?;
        self.executable(module, program)
    }

    fn search<'a>(&'a self, module: &'a Module) -> Search<'a> {
        Search::new(&self.config, &self.library, module)
    }

    /// As a tile does it.
    fn on_one_tile(&self, module: &Module) -> Result<Lowered, RunError> {
        self.check(module)?;
        let program = regions::quickest(&self.search(module), true)?;
        self.executable(module, program)
    }

    /// In as few starts as can be.
    fn together(&self, module: &Module) -> Result<Lowered, RunError> {
        self.check(module)?;
        let program = program::lower(&self.config, &self.library, module, Plan::TOGETHER)?;
        self.executable(module, program)
    }

    fn check(&self, module: &Module) -> Result<(), RunError> {
        verify(module)?;
        check_standard_ring(&self.config.machine, module)?;
        check_size(&self.config.machine, module)
    }

    fn executable(&self, module: &Module, program: Program) -> Result<Lowered, RunError> {
        let timing = steps::time(&self.config, &program);
        let timing = timing.map_err(|error| RunError::Invalid(error.to_string()))?;
        let widest = module.primes.iter().max().copied().unwrap_or(0);
        Ok(Lowered {
            config: self.config.clone(),
            prime_bits: u128::BITS - widest.leading_zeros(),
            signature: Signature::of(module),
            program,
            timing: Arc::new(timing),
        })
    }
}

impl Device for Processor {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        Ok(Arc::new(self.lowered(module)?))
    }

    fn machine(&self) -> &str {
        &self.config.machine
    }

    fn word_bytes(&self) -> Option<WordBytes> {
        Some(self.config.words_off_chip())
    }

    fn memory(&self) -> Option<&DeviceMemory> {
        Some(&self.memory)
    }

    fn roofs(&self) -> Option<Roofs> {
        Some(roofs(&self.config))
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

    /// Formulas, each once.
    fn formulas(&self) -> Vec<Listing> {
        let pieces = self.program.all_parts().flat_map(|part| &part.pieces);
        let kernels = pieces.flat_map(|piece| match piece {
            Piece::Sweep(sweep) => vec![&sweep.kernel],
            Piece::Start(start) => {
                let bodies = start.calls.iter().map(|call| &call.body);
                let words = bodies.filter_map(|body| match body {
                    Body::Words(kernel) => Some(kernel),
                    Body::Tower(_) => None,
                });
                words.collect()
            }
        });
        let kernels = kernels.map(|kernel| ((kernel.layout, &kernel.formula), kernel));
        let kernels: BTreeMap<_, _> = kernels.collect();
        let listing = |kernel: &Arc<WordKernel>| Listing {
            name: word_by_word::NAME.to_owned(),
            text: format!("# {}\n{}", kernel.summary(), kernel.program),
            plain: kernel
                .plain
                .as_ref()
                .map(|(_, program)| program.to_string()),
        };
        kernels.into_values().map(listing).collect()
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
        let mut listings = self.formulas();
        let mut seen: BTreeSet<BodyId> = BTreeSet::new();
        let starts = self.program.all_parts().flat_map(|part| part.starts());
        for call in starts.flat_map(|start| &start.calls) {
            let Body::Tower(measured) = &call.body else {
                continue;
            };
            let kernel = &measured.kernel;
            if seen.insert(call.body.id()) {
                listings.push(Listing {
                    name: kernel.operation.name().to_owned(),
                    text: format!("# {}\n{}", measured.summary(), kernel.program),
                    plain: Some(measured.plain.to_string()),
                });
            }
        }
        listings
    }

    fn kernel_calls(&self) -> Option<&dyn KernelCalls> {
        Some(self)
    }
}

impl KernelCalls for Lowered {
    fn program(&self) -> &Towers {
        &self.program.towers
    }

    fn run_call(&self, call: usize, memory: &mut Shelf) -> Result<(), RunError> {
        run::run_calls(&self.config, &self.program, call..call + 1, memory)
    }
}
