//! Kernels and constants of one machine, made once and kept.

use super::arguments::stand_in;
use super::body::{Body, BodyId};
use super::chain::Chain;
use super::compile::known::Recipes;
use super::constants::Constants;
use super::made::Made;
use super::measured::Measured;
use super::operation::{Operation, Scalar};
use super::plain::{self, StoreOrder};
use super::scheduled::{scheduled, Scheduled};
use super::shape::Shape;
use super::table::Symbol;
use super::tower_kernel::TowerKernel;
use super::word_by_word::{Formula, Layout, WordKernel};
use crate::activity::activity;
use crate::isa::Program;
use crate::{time, Config, Schedule};
use ringwright_ir::{interrupt, RunError};
use ringwright_target::{Origin, TransformSchedule};
use ringwright_towers::in_parallel;
use std::sync::Arc;

/// Words of a table under a modulus.
pub type Words = Arc<Vec<u128>>;

/// log2 of the degree and the primes of a modulus.
type Under = (u32, Vec<u128>);

/// log2 of the degree and bodies of a chain.
type Chained = (u32, Vec<BodyId>);

/// A formula's program; `None` where it does not fit.
type MaybeWords = Option<Arc<WordKernel>>;

/// Everything that has been made for one machine.
#[derive(Default)]
pub struct Library {
    recipes: Recipes,
    kernels: Made<(u32, Operation), Arc<Measured>>,
    constants: Made<Under, Arc<Constants>>,
    tables: Made<(Under, Operation), Words>,
    chains: Made<Chained, Arc<Chain>>,
    words: Made<(u32, Layout, Formula), MaybeWords>,
}

impl Library {
    /// For machines of which these recipes are known; by default those that ship.
    pub fn new(recipes: Recipes) -> Self {
        Library {
            recipes,
            ..Library::default()
        }
    }

    /// The kernel of an operation on towers of degree 2^`log_n`.
    pub fn kernel(
        &self,
        config: &Config,
        log_n: u32,
        operation: Operation,
    ) -> Result<Arc<Measured>, RunError> {
        self.kernels.get((log_n, operation), || {
            measure(config, &self.recipes, log_n, operation).map(Arc::new)
        })
    }

    /// The transforms that have been made, smallest degree first.
    pub fn schedules(&self) -> Vec<TransformSchedule> {
        let kernels = self.kernels.all();
        kernels
            .iter()
            .filter_map(|kernel| kernel.schedule.clone())
            .collect()
    }

    /// Lists of bodies of this library for towers of degree 2^`log_n`, each as one program.
    pub fn chains(
        &self,
        config: &Config,
        log_n: u32,
        lists: &[Vec<Body>],
    ) -> Result<Vec<Arc<Chain>>, RunError> {
        in_parallel(lists.len(), |index| {
            let bodies = &lists[index];
            let key = (log_n, bodies.iter().map(Body::id).collect());
            self.chains.get(key, || timed(config, bodies).map(Arc::new))
        })
    }

    /// The program of a formula on towers of degree 2^`log_n`; `None` where it does not fit.
    pub fn words(
        &self,
        config: &Config,
        log_n: u32,
        layout: Layout,
        formula: Formula,
    ) -> Result<MaybeWords, RunError> {
        let made = formula.clone();
        self.words.get((log_n, layout, formula), || {
            let made = WordKernel::new(config, Shape::new(config, log_n), layout, made)?;
            Ok(made.map(Arc::new))
        })
    }

    /// The constants modulo a product of primes.
    pub fn constants(&self, log_n: u32, primes: &[u128]) -> Result<Arc<Constants>, RunError> {
        self.constants.get((log_n, primes.to_vec()), || {
            let made = Constants::new(log_n, primes).map_err(RunError::Invalid)?;
            Ok(Arc::new(made))
        })
    }

    /// The scalar operand of an operation modulo a product of primes; 0 where it has none of its own.
    pub fn scalar(
        &self,
        operation: Operation,
        log_n: u32,
        primes: &[u128],
    ) -> Result<u128, RunError> {
        Ok(match operation.scalar() {
            Scalar::None | Scalar::Given => 0,
            Scalar::Fixed(value) => value.into(),
            Scalar::InverseOfN => self.constants(log_n, primes)?.inverse_n(),
        })
    }

    /// The words of a kernel's table.
    pub fn table(&self, kernel: &TowerKernel, primes: &[u128]) -> Result<Words, RunError> {
        let constants = self.constants(kernel.shape.log_n, primes)?;
        let key = ((kernel.shape.log_n, primes.to_vec()), kernel.operation);
        self.tables.get(key, || {
            let value = |&symbol: &Symbol| constants.value(symbol);
            Ok(Arc::new(kernel.table.iter().map(value).collect()))
        })
    }
}

/// The quickest scheduled program if it is quicker than the plain one.
fn measure(
    config: &Config,
    recipes: &Recipes,
    log_n: u32,
    operation: Operation,
) -> Result<Measured, RunError> {
    let shape = Shape::new(config, log_n);
    let plain = plain::kernel(operation, shape, StoreOrder::of(config));
    let reference = plain.program.clone();
    let scheduled = scheduled(config, recipes, &plain);
    let plain = measured(config, plain);
    let plain_cycles = plain.as_ref().ok().map(|plain| plain.cycles);
    let occupied = scheduled.as_ref().map(|scheduled| scheduled.occupied);
    let schedule = transform_schedule(operation, log_n, scheduled.as_ref());
    let candidates = scheduled
        .into_iter()
        .flat_map(|scheduled| scheduled.kernels);
    let candidates = candidates.filter_map(|kernel| measured(config, kernel).ok());
    let quickest = candidates.min_by_key(|measured| measured.cycles);
    let chosen = match quickest {
        Some(quickest) if plain_cycles.is_none_or(|plain| quickest.cycles < plain) => quickest,
        _ => plain?,
    };
    Ok(Measured {
        plain: reference,
        plain_cycles,
        occupied,
        schedule,
        ..chosen
    })
}

/// Who found a transform's order; nobody where there is only the plain program.
fn transform_schedule(
    operation: Operation,
    log_n: u32,
    scheduled: Option<&Scheduled>,
) -> Option<TransformSchedule> {
    let inverse = match operation {
        Operation::Ntt => false,
        Operation::Intt => true,
        _ => return None,
    };
    let untuned = TransformSchedule {
        n: 1 << log_n,
        inverse,
        origin: Origin::Untuned,
        refused: None,
    };
    let found = scheduled.and_then(|scheduled| scheduled.schedule.clone());
    Some(found.unwrap_or(untuned))
}

fn measured(config: &Config, kernel: TowerKernel) -> Result<Measured, RunError> {
    interrupt::check()?;
    let shape = kernel.shape;
    let (length, room) = (kernel.program.instructions.len(), config.im_words);
    if length > room {
        let reason = format!(
            "{} of degree {} takes {length} instructions; the instruction memory holds {room}",
            kernel.operation.name(),
            shape.n()
        );
        return Err(config.unsupported(reason));
    }
    let (slots, room) = (kernel.slots(), config.vdm_words / shape.slot());
    if kernel.table_slots() + kernel.scratch_slots + 1 > room {
        let reason = format!(
            "{} of degree {} works on {slots} slots of {} words; the vector data memory holds {room}",
            kernel.operation.name(),
            shape.n(),
            shape.slot()
        );
        return Err(config.unsupported(reason));
    }
    let mut measured = Measured {
        plain: Program::default(),
        counters: activity(config, &kernel.program),
        kernel,
        cycles: 0,
        plain_cycles: None,
        occupied: None,
        schedule: None,
    };
    let mut arguments = vec![0; config.sdm_words];
    stand_in(&mut arguments, config, &measured.kernel)
        .map_err(|reason| config.unsupported(reason))?;
    measured.cycles = schedule(config, &measured.kernel.program, &arguments)?.cycles;
    Ok(measured)
}

/// A chain with its times.
fn timed(config: &Config, bodies: &[Body]) -> Result<Chain, RunError> {
    let mut chain = Chain::new(bodies);
    let mut words = vec![0; config.sdm_words];
    for (body, link) in bodies.iter().zip(&chain.links) {
        body.stand_in(&mut words[link.arguments..], config)?;
    }
    let schedule = schedule(config, &chain.program, &words)?;
    let mut next = schedule.cycles;
    for link in chain.links.iter_mut().rev() {
        let begins = match link.first {
            0 => 0,
            first => schedule.instructions[first].issue,
        };
        link.cycles = next - begins;
        next = begins;
    }
    Ok(chain)
}

/// The times of a program with these arguments.
///
/// Where slots lie does not matter: they are aligned to their length, so another base adds the
/// same to the bank of every word.
fn schedule(config: &Config, program: &Program, arguments: &[u128]) -> Result<Schedule, RunError> {
    time(program, config, arguments).map_err(|error| config.unsupported(error))
}
