//! The accelerator as a target.

use crate::config::Config;
use crate::lower;
use crate::program::Program;
use crate::run;
use crate::schedule::{self, ScheduleError, Scheduled};
use crate::transform_study;
use ringwright_ir::ring::Module;
use ringwright_ir::{arguments, verify, Backend, Kernel, RunError, Value};
use ringwright_spec::{schema, Machine, ParamDecl};
use ringwright_target::{Device, LoweredKernel, Target, TargetError, Timing};
use std::sync::Arc;

/// RACE, RISE and NTT_Accel.
pub const RISE: Target = Target {
    name: "rise",
    title: "The edge accelerator of RACE and RISE, cycle by cycle",
    paper: Some(
        "Azad et al., RACE, ISLPED 2022; Azad, dissertation, Boston University 2023, chapter 3",
    ),
    default_machine: "rise-1bfu",
    parameters,
    lower,
    cost: None,
    transform: Some(transform_study::study),
    rtl: None,
};

fn parameters() -> &'static [ParamDecl] {
    schema("rise").map_or(&[], |schema| schema.params())
}

fn lower(machine: &Machine) -> Result<Arc<dyn Device>, TargetError> {
    RISE.check(machine)?;
    let config = Config::new(machine)?;
    Ok(Arc::new(Accelerator {
        config: Arc::new(config),
    }))
}

/// One machine.
struct Accelerator {
    config: Arc<Config>,
}

impl Accelerator {
    fn lowered(&self, module: &Module) -> Result<Arc<Lowered>, RunError> {
        verify(module)?;
        let program = lower::lower(&self.config, module)?;
        let scheduled = schedule::time(&self.config, &program).map_err(|error| match error {
            ScheduleError::Port(port) => RunError::Unsupported {
                machine: self.config.machine.clone(),
                reason: port.to_string(),
            },
            ScheduleError::Timing(error) => RunError::Invalid(error.to_string()),
        })?;
        Ok(Arc::new(Lowered {
            config: self.config.clone(),
            module: module.clone(),
            program,
            scheduled,
        }))
    }
}

impl Backend for Accelerator {
    fn prepare(&self, module: &Module) -> Result<Arc<dyn Kernel>, RunError> {
        Ok(self.lowered(module)?)
    }
}

impl Device for Accelerator {
    fn lower(&self, module: &Module) -> Result<Arc<dyn LoweredKernel>, RunError> {
        Ok(self.lowered(module)?)
    }

    fn machine(&self) -> &str {
        &self.config.machine
    }
}

/// A program on one machine.
struct Lowered {
    config: Arc<Config>,
    module: Module,
    program: Program,
    scheduled: Scheduled,
}

impl Kernel for Lowered {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        arguments::check(&self.module, inputs)?;
        run::run(&self.config, &self.program, &self.scheduled, inputs)
    }
}

impl LoweredKernel for Lowered {
    fn timing(&self) -> Option<&Timing> {
        Some(&self.scheduled.timing)
    }
}
