//! Kernels and constants of one machine, made once and kept.

use super::assembler::StoreOrder;
use super::constants::Constants;
use super::kernel::{Operation, TowerKernel};
use super::shape::Shape;
use super::table::Symbol;
use crate::config::LoadStorePipes;
use crate::device::operands::{poison, write_arguments, Arguments};
use crate::{time, Config, Memories};
use ringwright_ir::RunError;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A kernel with what one run of it takes on this machine.
#[derive(Debug)]
pub struct Measured {
    /// The kernel.
    pub kernel: TowerKernel,
    /// From the first instruction in decode until the last has ended.
    pub cycles: u64,
    /// Instructions by mnemonic.
    pub instructions: BTreeMap<&'static str, u64>,
}

/// Words of a table modulo a prime.
pub type Words = Arc<Vec<u64>>;

/// Everything that has been made for one machine.
#[derive(Default)]
pub struct Library {
    kernels: Mutex<BTreeMap<(u32, Operation), Arc<Measured>>>,
    constants: Mutex<BTreeMap<(u32, u64), Arc<Constants>>>,
    tables: Mutex<BTreeMap<(u32, Operation, u64), Words>>,
}

impl Library {
    /// The kernel of an operation on towers of degree 2^`log_n`.
    pub fn kernel(
        &self,
        config: &Config,
        log_n: u32,
        operation: Operation,
    ) -> Result<Arc<Measured>, RunError> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&(log_n, operation)) {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(measure(config, log_n, operation)?);
        kernels.insert((log_n, operation), kernel.clone());
        Ok(kernel)
    }

    /// The constants of a prime.
    pub fn constants(&self, log_n: u32, q: u64) -> Result<Arc<Constants>, RunError> {
        let mut constants = self
            .constants
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = constants.get(&(log_n, q)) {
            return Ok(found.clone());
        }
        let made = Arc::new(Constants::new(log_n, q).map_err(RunError::Invalid)?);
        constants.insert((log_n, q), made.clone());
        Ok(made)
    }

    /// The words of a kernel's table.
    pub fn table(&self, kernel: &TowerKernel, q: u64) -> Result<Words, RunError> {
        let constants = self.constants(kernel.shape.log_n, q)?;
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (kernel.shape.log_n, kernel.operation, q);
        let make = || {
            let value = |&symbol: &Symbol| constants.value(symbol);
            Arc::new(kernel.table.iter().map(value).collect())
        };
        Ok(tables.entry(key).or_insert_with(make).clone())
    }
}

/// Degree and vector length on this machine.
pub fn shape(config: &Config, log_n: u32) -> Shape {
    Shape {
        log_n,
        log_vector: config.vector_length.trailing_zeros(),
    }
}

fn measure(config: &Config, log_n: u32, operation: Operation) -> Result<Measured, RunError> {
    let shape = shape(config, log_n);
    let order = StoreOrder {
        beats: config.beats() as u64,
        latency: config.load_store_latency,
        shared_pipe: config.load_store_pipes == LoadStorePipes::Shared,
    };
    let unsupported = |reason: String| RunError::Unsupported {
        machine: config.machine.clone(),
        reason,
    };
    let kernel = TowerKernel::new(operation, shape, order);
    let (length, room) = (kernel.program.instructions.len(), config.im_words);
    if length > room {
        let reason = format!(
            "{} of degree {} takes {length} instructions; the instruction memory holds {room}",
            operation.name(),
            shape.n()
        );
        return Err(unsupported(reason));
    }
    let (slots, room) = (kernel.slots(), config.vdm_words / shape.slot());
    if kernel.table_slots() + 1 > room {
        let reason = format!(
            "{} of degree {} works on {slots} slots of {} words; the vector data memory holds {room}",
            operation.name(),
            shape.n(),
            shape.slot()
        );
        return Err(unsupported(reason));
    }
    // Where its slots lie does not matter: they are aligned to their length, so another base adds
    // the same to the bank of every word.
    let places: Vec<usize> = (0..slots).map(|place| place % room).collect();
    let mut memories = Memories::new(config);
    poison(&mut memories, config);
    let arguments = Arguments {
        q: 5,
        scalar: 0,
        slots: &places,
    };
    write_arguments(&mut memories, config, &kernel, arguments).map_err(unsupported)?;
    let schedule = time(&kernel.program, config, &memories.sdm);
    let cycles = schedule
        .map_err(|error| unsupported(error.to_string()))?
        .cycles;
    let mut instructions = BTreeMap::new();
    for instruction in &kernel.program.instructions {
        *instructions.entry(instruction.mnemonic()).or_insert(0) += 1;
    }
    Ok(Measured {
        kernel,
        cycles,
        instructions,
    })
}
