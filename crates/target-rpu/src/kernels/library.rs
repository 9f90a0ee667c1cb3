//! Kernels and constants of one machine, made once and kept.

use super::arguments::stand_in;
use super::body::{Body, BodyId};
use super::chain::Chain;
use super::compile::known::Recipes;
use super::constants::Constants;
use super::measured::Measured;
use super::operation::{Operation, Scalar};
use super::parallel::in_parallel;
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
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

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
    kernels: Mutex<BTreeMap<(u32, Operation), Arc<Measured>>>,
    constants: Mutex<BTreeMap<Under, Arc<Constants>>>,
    tables: Mutex<BTreeMap<(Under, Operation), Words>>,
    chains: Mutex<BTreeMap<Chained, Arc<Chain>>>,
    words: Mutex<BTreeMap<(u32, Layout, Formula), MaybeWords>>,
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
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&(log_n, operation)) {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(measure(config, &self.recipes, log_n, operation)?);
        // What an interrupt cut short is not kept.
        interrupt::check()?;
        kernels.insert((log_n, operation), kernel.clone());
        Ok(kernel)
    }

    /// The transforms that have been made, smallest degree first.
    pub fn schedules(&self) -> Vec<TransformSchedule> {
        let kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let made = kernels
            .values()
            .filter_map(|kernel| kernel.schedule.clone());
        made.collect()
    }

    /// Lists of bodies of this library for towers of degree 2^`log_n`, each as one program.
    pub fn chains(
        &self,
        config: &Config,
        log_n: u32,
        lists: &[Vec<Body>],
    ) -> Result<Vec<Arc<Chain>>, RunError> {
        let key = |bodies: &Vec<Body>| (log_n, bodies.iter().map(Body::id).collect());
        let keys: Vec<Chained> = lists.iter().map(key).collect();
        let mut chains = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: BTreeMap<&Chained, &Vec<Body>> = keys
            .iter()
            .zip(lists)
            .filter(|(key, _)| !chains.contains_key(*key))
            .collect();
        let missing: Vec<_> = missing.into_iter().collect();
        let made = in_parallel(missing.len(), |index| timed(config, missing[index].1))?;
        let made = missing.into_iter().zip(made);
        chains.extend(made.map(|((key, _), chain)| (key.clone(), Arc::new(chain))));
        Ok(keys.iter().map(|key| chains[key].clone()).collect())
    }

    /// The program of a formula on towers of degree 2^`log_n`; `None` where it does not fit.
    pub fn words(
        &self,
        config: &Config,
        log_n: u32,
        layout: Layout,
        formula: Formula,
    ) -> Result<MaybeWords, RunError> {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (log_n, layout, formula);
        if let Some(known) = words.get(&key) {
            return Ok(known.clone());
        }
        let made = WordKernel::new(config, Shape::new(config, log_n), layout, key.2.clone())?;
        let made = made.map(Arc::new);
        interrupt::check()?;
        words.insert(key, made.clone());
        Ok(made)
    }

    /// The constants modulo a product of primes.
    pub fn constants(&self, log_n: u32, primes: &[u128]) -> Result<Arc<Constants>, RunError> {
        let mut constants = self
            .constants
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let key = (log_n, primes.to_vec());
        if let Some(found) = constants.get(&key) {
            return Ok(found.clone());
        }
        let made = Arc::new(Constants::new(log_n, primes).map_err(RunError::Invalid)?);
        constants.insert(key, made.clone());
        Ok(made)
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
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let key = ((kernel.shape.log_n, primes.to_vec()), kernel.operation);
        let make = || {
            let value = |&symbol: &Symbol| constants.value(symbol);
            Arc::new(kernel.table.iter().map(value).collect())
        };
        Ok(tables.entry(key).or_insert_with(make).clone())
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
