//! A machine that programs are lowered for.

use crate::config::{Config, BYTES_PER_WORD};
use crate::lower::{lower, Lowered};
use crate::roofs::roofs;
use crate::run::{self, Rpaus};
use crate::timing;
use ringwright_ir::arguments::Signature;
use ringwright_ir::ring::Module;
use ringwright_ir::{verify, RunError, Value};
use ringwright_spec::Machine;
use ringwright_target::{
    check_size, check_standard_ring, Device, DeviceMemory, Executable, KernelCalls, Listing, Roofs,
    TargetError, Timing, WordBytes,
};
use ringwright_towers::{Program, Shelf};
use std::fmt::Write;
use std::sync::Arc;

/// Sets a machine up.
pub fn device(machine: &Machine) -> Result<Arc<dyn Device>, TargetError> {
    let config = Config::new(machine)?;
    let words = WordBytes::all(BYTES_PER_WORD);
    Ok(Arc::new(Accelerator {
        memory: DeviceMemory::new(&config.machine, config.memory_bytes, words),
        config: Arc::new(config),
    }))
}

/// One machine.
struct Accelerator {
    config: Arc<Config>,
    memory: DeviceMemory,
}

impl Device for Accelerator {
    fn lower(&self, module: &Module) -> Result<Arc<dyn Executable>, RunError> {
        verify(module)?;
        check_standard_ring(&self.config.machine, module)?;
        check_size(&self.config.machine, module)?;
        let program = lower(&self.config, module)?;
        let rpaus = Rpaus::new(&self.config, module.log_n, &program.primes)?;
        Ok(Arc::new(Timed {
            signature: Signature::of(module),
            timing: Arc::new(timing::time(&self.config, &program)?),
            rpaus,
            program,
        }))
    }

    fn machine(&self) -> &str {
        &self.config.machine
    }

    fn word_bytes(&self) -> Option<WordBytes> {
        Some(WordBytes::all(BYTES_PER_WORD))
    }

    fn memory(&self) -> Option<&DeviceMemory> {
        Some(&self.memory)
    }

    fn roofs(&self) -> Option<Roofs> {
        Some(roofs(&self.config))
    }
}

/// A lowered program with its time.
struct Timed {
    signature: Signature,
    rpaus: Rpaus,
    program: Lowered,
    timing: Arc<Timing>,
}

impl Executable for Timed {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        self.signature.check(inputs)?;
        run::run(&self.program, &self.rpaus, inputs)
    }

    fn timing(&self) -> Option<&Arc<Timing>> {
        Some(&self.timing)
    }

    fn listings(&self) -> Vec<Listing> {
        let calls = &self.program.program.calls;
        let mut listings = Vec::with_capacity(self.program.parts.len());
        for (number, part) in self.program.parts.iter().enumerate() {
            let call = calls.iter().find(|call| call.kernel == number);
            let name = call.and_then(|call| call.sources.first());
            let mut text = String::from("# RPAU, microinstruction\n");
            for placed in &part.microprogram.all {
                // Into a string, which does not fail.
                let _ = writeln!(text, "{:2} {}", placed.rpau, placed.instruction);
            }
            listings.push(Listing {
                name: name.map_or_else(String::new, |source| source.name.to_string()),
                text,
                plain: None,
            });
        }
        listings
    }

    fn kernel_calls(&self) -> Option<&dyn KernelCalls> {
        Some(self)
    }
}

impl KernelCalls for Timed {
    fn program(&self) -> &Program {
        &self.program.program
    }

    fn run_call(&self, call: usize, memory: &mut Shelf) -> Result<(), RunError> {
        let call = &self.program.program.calls[call];
        run::run_call(&self.program, &self.rpaus, call, memory)
    }
}
