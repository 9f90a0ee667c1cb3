//! Which plan each kernel of a program is lowered by: the quickest of those that can be.
//!
//! A kernel's plan depends on the kernel alone, so that it takes the same time in every program. Which
//! calls are one kernel is the business of [`regions`](super::regions).

use super::steps;
use crate::kernels::Library;
use crate::lower::lowering;
use crate::lower::part::Part;
use crate::lower::plan::{plans, Plan, VARIATIONS};
use crate::lower::program::towers;
use crate::Config;
use ringwright_ir::ring::Module;
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::graph::Shape;
use ringwright_towers::{in_parallel, Graph, Kernel, Program as Towers};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A kernel by the quickest of its plans.
pub type Found = Result<Quickest, RunError>;

/// A lowered kernel, and what it takes once somebody asks: a kernel that has one plan and no neighbours is
/// timed but once, in its program.
#[derive(Clone)]
pub struct Quickest {
    /// The kernel.
    pub part: Arc<Part>,
    cycles: OnceLock<u64>,
}

impl Quickest {
    /// Cycles of the kernel, whose graph this is.
    pub fn cycles(&self, config: &Config, graph: &Graph) -> u64 {
        let count = || steps::cycles(config, &self.part, graph);
        *self.cycles.get_or_init(count)
    }
}

/// A kernel as a key: the same work with the same constants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Same {
    shape: Shape,
    constants: Vec<u128>,
}

impl Same {
    /// Of a kernel's graph.
    pub fn of(graph: &Arc<Graph>) -> Self {
        Same {
            shape: Shape(graph.clone()),
            constants: graph.constants.clone(),
        }
    }
}

type Known = HashMap<(Same, bool), Quickest>;

/// What kernels are lowered for.
pub struct Search<'a> {
    /// The machine.
    pub config: &'a Config,
    /// Its kernels on towers.
    pub library: &'a Library,
    /// Whose primes and degree they have.
    pub module: &'a Module,
    /// What was found of kernels, by whether towers are joined: a chip asks for the same kernels once for
    /// each way to do the program.
    known: Mutex<Known>,
}

impl<'a> Search<'a> {
    /// Nothing found yet.
    pub fn new(config: &'a Config, library: &'a Library, module: &'a Module) -> Self {
        Search {
            config,
            library,
            module,
            known: Mutex::default(),
        }
    }

    /// Every call a kernel of its own.
    pub fn calls(&self) -> Result<(Towers, Vec<Found>), RunError> {
        let (config, module) = (self.config, self.module);
        let plain = towers(config, module, false)?;
        let found = self.each(&plain, false)?;
        let few = |towers: &Towers| {
            let operations = towers.kernels.iter().map(|kernel| kernel.graph.nodes.len());
            operations
                .max()
                .is_some_and(|most| plans(config, module.log_n, most).len() > 1)
        };
        if !few(&plain) {
            return Ok((plain, found));
        }
        let joined = towers(config, module, true)?;
        let same = plain.calls.len() == joined.calls.len()
            && plain
                .calls
                .iter()
                .zip(&joined.calls)
                .all(|(a, b)| a.results == b.results && a.args == b.args);
        if !same {
            return Ok((plain, found));
        }
        let others = self.each(&joined, true)?;
        Ok(merged(config, plain, found, joined, others))
    }

    fn each(&self, towers: &Towers, joins: bool) -> Result<Vec<Found>, RunError> {
        let kernels = &towers.kernels;
        in_parallel(kernels.len(), |index| {
            let graph = &kernels[index].graph;
            let found = self.kernel(graph, joins);
            // Whoever has several compares them.
            if let (Ok(found), 2..) = (&found, kernels.len()) {
                found.cycles(self.config, graph);
            }
            Ok(found)
        })
    }

    /// A kernel by the quickest of the plans that join towers, or of those that do not.
    pub fn kernel(&self, graph: &Arc<Graph>, joins: bool) -> Found {
        let key = (Same::of(graph), joins);
        if let Some(known) = self.known().get(&key) {
            return Ok(known.clone());
        }
        let found = self.quickest(graph, joins)?;
        self.known().insert(key, found.clone());
        Ok(found)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn quickest(&self, graph: &Graph, joins: bool) -> Found {
        let plans = plans(self.config, self.module.log_n, graph.nodes.len());
        let plans = plans
            .into_iter()
            .filter(|plan| plan.manner.joins() == joins);
        let none = Err(RunError::Invalid("a kernel has no plan".into()));
        let (mut plan, mut found) = self.quicker(graph, plans.collect(), none);
        for variation in VARIATIONS {
            let Some(best) = plan else { break };
            let (better, other) = self.quicker(graph, variation(best), found);
            (plan, found) = (better.or(plan), other);
        }
        found
    }

    /// Of what was found and what these plans give the quickest, and its plan where it is one of them.
    fn quicker(&self, graph: &Graph, plans: Vec<Plan>, mut found: Found) -> (Option<Plan>, Found) {
        let mut quickest = None;
        for plan in plans {
            let other = self.timed(graph, plan);
            // A plan that cannot be is no reason to refuse what another can.
            let better = match (&found, &other) {
                (Ok(found), Ok(other)) => {
                    other.cycles(self.config, graph) < found.cycles(self.config, graph)
                }
                (Err(_), _) => true,
                _ => false,
            };
            if better {
                (quickest, found) = (Some(plan), other);
            }
        }
        (quickest, found)
    }

    fn timed(&self, graph: &Graph, plan: Plan) -> Found {
        interrupt::check()?;
        let part = lowering::part(self.config, self.library, self.module, graph, plan)?;
        Ok(Quickest {
            part: Arc::new(part),
            cycles: OnceLock::new(),
        })
    }
}

/// Of two ways to cut the same calls into kernels, for each call the quicker one.
fn merged(
    config: &Config,
    mut towers: Towers,
    mut found: Vec<Found>,
    others: Towers,
    of_others: Vec<Found>,
) -> (Towers, Vec<Found>) {
    let cycles = |found: &[Found], kernels: &[Kernel]| -> Vec<u64> {
        let each = found.iter().zip(kernels);
        each.map(|(found, kernel)| match found {
            Ok(found) => found.cycles(config, &kernel.graph),
            Err(_) => u64::MAX,
        })
        .collect()
    };
    let own = towers.kernels.len();
    let [plain, joined] = [
        cycles(&found, &towers.kernels),
        cycles(&of_others, &others.kernels),
    ];
    for (call, other) in towers.calls.iter_mut().zip(others.calls) {
        if joined[other.kernel] < plain[call.kernel] {
            let means = call.means.clone();
            *call = other;
            call.kernel += own;
            // Both are cut from the same pieces, and those of the first are kept.
            call.means = means;
        }
    }
    towers.kernels.extend(others.kernels);
    found.extend(of_others);
    towers.without_uncalled(found)
}
