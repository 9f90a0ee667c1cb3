//! What one link of a chain runs: a tower kernel, or a formula on slots.

use super::arguments::{stand_in, write_arguments, Arguments};
use super::measured::Measured;
use super::operation::Operation;
use super::word_by_word::{self, WordKernel};
use crate::isa::Program;
use crate::Config;
use ringwright_ir::RunError;
use ringwright_target::Counters;
use std::sync::Arc;

/// A program that reads its arguments from the first words of a block of scalar data memory.
#[derive(Clone, Debug)]
pub enum Body {
    /// One operation on one tower.
    Tower(Arc<Measured>),
    /// Many operations word by word on towers in slots.
    Words(Arc<WordKernel>),
}

/// A body as a key, among those of one library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BodyId {
    /// The operation.
    Tower(Operation),
    /// Where the formula's program lies; the library keeps it there.
    Words(usize),
}

impl Body {
    /// The same for the same body of a library.
    pub fn id(&self) -> BodyId {
        match self {
            Body::Tower(kernel) => BodyId::Tower(kernel.kernel.operation),
            Body::Words(kernel) => BodyId::Words(Arc::as_ptr(kernel) as usize),
        }
    }

    /// Under which a ledger adds its runs up.
    pub fn name(&self) -> &'static str {
        match self {
            Body::Tower(kernel) => kernel.kernel.operation.name(),
            Body::Words(_) => word_by_word::NAME,
        }
    }

    /// The instructions.
    pub fn program(&self) -> &Program {
        match self {
            Body::Tower(kernel) => &kernel.kernel.program,
            Body::Words(kernel) => &kernel.program,
        }
    }

    /// Words of scalar data memory that are its own.
    pub fn argument_words(&self) -> usize {
        match self {
            Body::Tower(kernel) => kernel.kernel.arguments(),
            Body::Words(kernel) => kernel.formula.argument_words(kernel.layout),
        }
    }

    /// Places that it reads before those that it writes.
    pub fn operands(&self) -> usize {
        match self {
            Body::Tower(kernel) => kernel.kernel.operation.operands(),
            Body::Words(kernel) => kernel.formula.operands,
        }
    }

    /// Places of results and scratch.
    pub fn written(&self) -> usize {
        match self {
            Body::Tower(kernel) => 1 + kernel.kernel.scratch_slots,
            Body::Words(kernel) => kernel.formula.results.len(),
        }
    }

    /// What happens in the machine's units.
    pub fn counters(&self) -> &Counters {
        match self {
            Body::Tower(kernel) => &kernel.counters,
            Body::Words(kernel) => &kernel.counters,
        }
    }

    /// Words of each place.
    pub fn words(&self) -> usize {
        match self {
            Body::Tower(kernel) => kernel.kernel.shape.slot(),
            Body::Words(kernel) => kernel.words,
        }
    }

    /// Writes its arguments into `words`, which begins with its block. `places`: in the vector data
    /// memory, of operands, results, scratch and table.
    pub fn write_arguments(
        &self,
        words: &mut [u128],
        config: &Config,
        places: &[usize],
        moduli: &[u128],
        scalars: &[u128],
    ) -> Result<(), RunError> {
        match self {
            Body::Tower(kernel) => {
                let slots: Vec<usize> = places.iter().map(|place| place / self.words()).collect();
                let arguments = Arguments {
                    q: moduli[0],
                    scalar: scalars.first().copied().unwrap_or(0),
                    slots: &slots,
                };
                write_arguments(words, config, &kernel.kernel, arguments).map_err(RunError::Invalid)
            }
            Body::Words(kernel) => {
                let places = places.iter().copied();
                let arguments = kernel.formula.arguments(config, places, moduli, scalars)?;
                words[..arguments.len()].copy_from_slice(&arguments);
                Ok(())
            }
        }
    }

    /// Arguments to time it with.
    pub fn stand_in(&self, words: &mut [u128], config: &Config) -> Result<(), RunError> {
        match self {
            Body::Tower(kernel) => {
                stand_in(words, config, &kernel.kernel).map_err(|reason| config.unsupported(reason))
            }
            Body::Words(kernel) => {
                let formula = &kernel.formula;
                let arguments = formula.stand_in(config, kernel.layout, kernel.words)?;
                words[..arguments.len()].copy_from_slice(&arguments);
                Ok(())
            }
        }
    }
}
