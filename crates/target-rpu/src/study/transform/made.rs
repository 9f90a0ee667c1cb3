//! A transform's program in one of the orders of words, with what it takes to run it.

use super::cold::Resident;
use crate::config::Config;
use crate::isa::Program;
use crate::kernels::compile::known::Recipes;
use crate::kernels::compile::memory_map::scalars;
use crate::kernels::compile::recipe::Transform;
use crate::kernels::compile::{search, Budget, CompileError, Kernel};
use crate::kernels::{alone, Library, Measured, Operation};
use crate::units::scalar::is_modulus;
use crate::{run, Schedule};
use ringwright_ir::RunError;
use ringwright_target::{Origin, Residency, TransformSchedule, WordOrder};
use std::sync::Arc;

/// Recipes tried for a transform alone where none is known: seconds, half a minute where
/// lanes are few.
const SHORT: Budget = Budget {
    tries: 60,
    seed: 1,
    among_others: false,
};

/// What makes the transforms of one degree on one machine.
pub struct Maker<'a> {
    config: &'a Config,
    recipes: Recipes,
    library: Library,
    log_n: u32,
    order: WordOrder,
}

/// A transform's program, and who found its order.
pub struct Made {
    body: Body,
    /// Who found its order.
    pub schedule: TransformSchedule,
}

enum Body {
    /// Words lie as suits it.
    Alone(Box<Kernel>),
    /// One among other kernels on towers.
    Tower(Arc<Measured>),
}

impl<'a> Maker<'a> {
    /// Of degree 2^`log_n`, on a machine of which these recipes are known.
    pub fn new(config: &'a Config, recipes: Recipes, log_n: u32, order: WordOrder) -> Self {
        Maker {
            config,
            library: Library::new(recipes.clone()),
            recipes,
            log_n,
            order,
        }
    }

    /// The forward or the inverse transform.
    pub fn make(&self, transform: Transform) -> Result<Made, RunError> {
        match self.order {
            WordOrder::InOrder => self.of_library(transform),
            WordOrder::Any => self
                .alone(transform)
                .map_err(|error| error.refusal(self.config)),
        }
    }

    /// What a program starts.
    fn of_library(&self, transform: Transform) -> Result<Made, RunError> {
        let operation = match transform {
            Transform::Forward => Operation::Ntt,
            Transform::Inverse | Transform::InverseCooleyTukey => Operation::Intt,
        };
        let measured = self.library.kernel(self.config, self.log_n, operation)?;
        let untuned = self.schedule(transform, Origin::Untuned, None);
        let found = measured.schedule.clone();
        Ok(Made {
            schedule: found.unwrap_or(untuned),
            body: Body::Tower(measured),
        })
    }

    /// The kernel of a recipe that is known, or of a short search.
    fn alone(&self, transform: Transform) -> Result<Made, CompileError> {
        let (config, log_n) = (self.config, self.log_n as u8);
        let (known, refused) = self.recipes.quickest(config, transform, log_n, false);
        let (kernel, origin) = match known {
            Some(known) => (known.kernel, known.origin),
            None => {
                let (_, kernel) = search(transform.problem(log_n), config, SHORT)?;
                (kernel, Origin::Untuned)
            }
        };
        Ok(Made {
            schedule: self.schedule(transform, origin, refused),
            body: Body::Alone(Box::new(kernel)),
        })
    }

    fn schedule(
        &self,
        transform: Transform,
        origin: Origin,
        refused: Option<String>,
    ) -> TransformSchedule {
        TransformSchedule {
            n: 1 << self.log_n,
            inverse: transform != Transform::Forward,
            origin,
            refused,
        }
    }

    /// Runs a transform on words in index order.
    pub fn run(
        &self,
        made: &Made,
        q: u128,
        words: &[u128],
    ) -> Result<(Vec<u128>, Schedule), RunError> {
        let config = self.config;
        let refused = |error: CompileError| error.refusal(config);
        let kernel = match &made.body {
            Body::Alone(kernel) => return kernel.run(config, q, words).map_err(refused),
            Body::Tower(measured) => &measured.kernel,
        };
        let word_bits = config.word_bits;
        if !is_modulus(q, word_bits) {
            return Err(refused(CompileError::Modulus { q, word_bits }));
        }
        // The result takes the operand's slot; scratch and table lie behind.
        let others = kernel.slots() - 1;
        let slots: Vec<usize> = [0].into_iter().chain(0..others).collect();
        let mut memories = alone::memories(config, &self.library, kernel, q, &[words], &slots)?;
        let schedule = run(&kernel.program, config, &mut memories)
            .map_err(|error| refused(CompileError::Refused(error)))?;
        memories.vdm.truncate(words.len());
        Ok((memories.vdm, schedule))
    }
}

impl Made {
    /// The program.
    pub fn program(&self) -> &Program {
        match &self.body {
            Body::Alone(kernel) => &kernel.program,
            Body::Tower(measured) => &measured.kernel.program,
        }
    }

    /// Cycles, from the first instruction in decode until the last has ended.
    pub fn cycles(&self) -> u64 {
        match &self.body {
            Body::Alone(kernel) => kernel.cycles,
            Body::Tower(measured) => measured.cycles,
        }
    }

    /// Cycles that load/store, compute and shuffle pipe work at least; of a program that nothing
    /// schedules, those in which they worked.
    pub fn occupied(&self, run: &Schedule) -> [u64; 3] {
        let stalls = &run.stalls;
        let worked = [stalls.load_store, stalls.compute, stalls.shuffle].map(|pipe| pipe.work);
        match &self.body {
            Body::Alone(kernel) => kernel.occupied,
            Body::Tower(measured) => measured.occupied.unwrap_or(worked),
        }
    }

    /// What must lie in the machine's memories, and what it costs to bring it.
    pub fn residency(&self, config: &Config) -> Residency {
        let resident = Resident {
            instructions: self.program().instructions.len() as u64,
            ..self.body.resident()
        };
        resident.residency(config, self.cycles())
    }
}

impl Body {
    /// Its words of data.
    fn resident(&self) -> Resident {
        match self {
            // Passes go back and forth between two buffers; the constants lie behind.
            Body::Alone(kernel) => {
                let operand = 1 << kernel.plan.problem.bits();
                Resident {
                    operand,
                    scratch: operand,
                    factors: u64::from(kernel.map.words) - 2 * operand,
                    scalars: scalars::WORDS.into(),
                    instructions: 0,
                }
            }
            Body::Tower(measured) => {
                let kernel = &measured.kernel;
                let slot = kernel.shape.slot() as u64;
                Resident {
                    operand: slot,
                    scratch: slot * kernel.scratch_slots as u64,
                    factors: kernel.table.len() as u64,
                    scalars: kernel.arguments() as u64,
                    instructions: 0,
                }
            }
        }
    }
}
