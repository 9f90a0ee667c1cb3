//! A machine that programs are lowered for.

use crate::config::Config;
use crate::lowered::Lowered;
use crate::roofs::roofs;
use crate::run;
use crate::schedule;
use ringwright_ir::arguments::Signature;
use ringwright_ir::ring::Module;
use ringwright_ir::{RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::{
    Device, Executable, Interval, KernelCalls, Roofs, TargetError, Timing, WordBytes,
};
use ringwright_towers::{Program, Shelf};
use std::sync::Arc;

/// Sets a machine up.
pub fn device(machine: &Machine) -> Result<Arc<dyn Device>, TargetError> {
    let config = Config::new(machine)?;
    Ok(Arc::new(Accelerator {
        config: Arc::new(config),
    }))
}

/// One machine.
struct Accelerator {
    config: Arc<Config>,
}

impl Device for Accelerator {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        let (program, scheduled) = schedule::lowered(&self.config, module)?;
        Ok(Arc::new(Timed {
            config: self.config.clone(),
            signature: Signature::of(module),
            program,
            instructions: scheduled.instructions,
            timing: Arc::new(scheduled.timing),
        }))
    }

    fn machine(&self) -> &str {
        &self.config.machine
    }

    fn word_bytes(&self) -> Option<WordBytes> {
        Some(WordBytes::all(self.config.bytes_per_word()))
    }

    fn roofs(&self) -> Option<Roofs> {
        Some(roofs(&self.config))
    }
}

/// A lowered program with its time.
struct Timed {
    config: Arc<Config>,
    signature: Signature,
    program: Lowered,
    timing: Arc<Timing>,
    /// Of each of its parts.
    instructions: Vec<Vec<Interval>>,
}

impl Executable for Timed {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        self.signature.check(inputs)?;
        let intervals = schedule::run_intervals(&self.timing, &self.instructions);
        run::run(&self.config, &self.program, intervals, inputs)
    }

    fn timing(&self) -> Option<&Arc<Timing>> {
        Some(&self.timing)
    }

    fn kernel_calls(&self) -> Option<&dyn KernelCalls> {
        Some(self)
    }
}

impl KernelCalls for Timed {
    fn program(&self) -> &Program {
        &self.program.program
    }

    fn places(&self) -> usize {
        self.program.places()
    }

    fn run_call(&self, call: usize, memory: &mut Shelf) -> Result<(), RunError> {
        // A part begins drained, whenever it does.
        let part = &self.instructions[self.timing.calls[call].part];
        run::run_segment(
            &self.config,
            &self.program,
            call,
            part.iter().copied(),
            memory,
        )
    }
}
