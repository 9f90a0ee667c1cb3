//! The accelerator as a target.

use crate::config::Config;
use crate::lower;
use crate::program::Program;
use crate::rtl;
use crate::run;
use crate::schedule::{self, ScheduleError, Scheduled};
use crate::transform_study;
use ringwright_ir::ring::Module;
use ringwright_ir::{arguments, verify, RunError, Value};
use ringwright_spec::{schema, Machine, ParamDecl};
use ringwright_target::{check_size, Device, Interval, Kernel, Target, TargetError, Timing};
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
    schedules: None,
    rtl: Some(rtl::RTL),
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
        let (program, scheduled) = scheduled(&self.config, module)?;
        let steps = scheduled.timing.unfolded();
        let intervals = steps.place(|kind| kind.work.device_cycles());
        Ok(Arc::new(Lowered {
            config: self.config.clone(),
            module: module.clone(),
            program,
            instructions: scheduled.instructions(&intervals),
            timing: Arc::new(scheduled.timing),
        }))
    }
}

/// Lowers a module and times it.
pub(crate) fn scheduled(
    config: &Config,
    module: &Module,
) -> Result<(Program, Scheduled), RunError> {
    verify(module)?;
    check_size(&config.machine, module)?;
    let program = lower::lower(config, module)?;
    let scheduled = schedule::time(config, &program).map_err(|error| match error {
        ScheduleError::Port(port) => RunError::Unsupported {
            machine: config.machine.clone(),
            reason: port.to_string(),
        },
        ScheduleError::Timing(error) => RunError::Invalid(error.to_string()),
    })?;
    Ok((program, scheduled))
}

impl Device for Accelerator {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Kernel>, RunError> {
        Ok(self.lowered(module)?)
    }

    fn machine(&self) -> &str {
        &self.config.machine
    }

    fn bytes_per_word(&self) -> Option<u64> {
        Some(self.config.bytes_per_word())
    }
}

/// A program on one machine.
struct Lowered {
    config: Arc<Config>,
    module: Module,
    program: Program,
    timing: Arc<Timing>,
    instructions: Vec<Vec<Interval>>,
}

impl Kernel for Lowered {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        arguments::check(&self.module, inputs)?;
        run::run(&self.config, &self.program, &self.instructions, inputs)
    }

    fn timing(&self) -> Option<&Arc<Timing>> {
        Some(&self.timing)
    }
}
