//! The machine as a target.

mod image;
mod run;
mod steps;

use crate::config::{DEFAULT_MACHINE, TARGET};
use crate::kernels::compile::known::Recipes;
use crate::kernels::compile::tuning;
use crate::kernels::{Library, Operation};
use crate::lower::program::{self, Program};
use crate::{rtl, study, Config};
use ringwright_ir::arguments::Signature;
use ringwright_ir::ring::Module;
use ringwright_ir::{verify, RunError, Value};
use ringwright_spec::{schema, Machine, ParamDecl};
use ringwright_target::{
    check_size, Device, DeviceMemory, Executable, Listing, Target, TargetError, Timing,
    TransformSchedule,
};
use std::collections::BTreeSet;
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
        check_size(&self.config.machine, module)?;
        let program = program::lower(&self.config, &self.library, module)?;
        let timing = steps::time(&self.config, &program)
            .map_err(|error| RunError::Invalid(error.to_string()))?;
        Ok(Lowered {
            config: self.config.clone(),
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

/// A program on one machine.
struct Lowered {
    config: Arc<Config>,
    signature: Signature,
    program: Program,
    timing: Arc<Timing>,
}

impl Executable for Lowered {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        self.signature.check(inputs)?;
        run::run(&self.config, &self.program, inputs)
    }

    fn timing(&self) -> Option<&Arc<Timing>> {
        Some(&self.timing)
    }

    fn listings(&self) -> Vec<Listing> {
        let mut listings: Vec<Listing> = Vec::new();
        let mut seen: BTreeSet<Operation> = BTreeSet::new();
        let parts = self.program.parts.iter();
        for measured in parts
            .flat_map(|part| &part.starts)
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
