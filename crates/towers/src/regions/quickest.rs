//! Which calls of a program are one kernel: those that are quicker together.
//!
//! Between two kernels a device drains. Calls one behind the other become a region where that takes
//! less than what they take one by one.
//!
//! * A region never reaches from one list of calls into another: a function in steps is the same
//!   wherever it is called.
//! * A **stretch** is a call with what follows it up to the next that reads a key: what works word by
//!   word behind a key switch rides on what that made. It is a region where that is quicker than its
//!   calls.
//! * In order, each stretch joins what stands before it if both are quicker together.
//! * What has the same [pattern](Pattern) is tried once, so time is in proportion to what is different
//!   in a program; programs in which nothing repeats are held by a bound on all that is tried.

use super::{graph, last_reads, Pattern, Stretch, Wiring};
use crate::graph::{Graph, Supports, Val};
use crate::program::{Place, Program};
use ringwright_ir::{interrupt, RunError};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Operations on towers of one region at most, and of all that are tried.
const MOST_OPERATIONS: usize = 1_500;
const MOST_TRIED: usize = 200_000;

/// A region as a device has it.
pub struct Region<T> {
    /// What it computes.
    pub graph: Arc<Graph>,
    /// What the device made of it.
    pub made: T,
    /// Cycles that it takes.
    pub cycles: u64,
}

/// Lowers a region, and says how many cycles it takes; `None` for what does not fit.
pub type Lower<'a, T> = &'a dyn Fn(&Arc<Graph>) -> Option<(T, u64)>;

/// What a device knows of kernels.
pub struct Device<'a, T> {
    /// Cycles of each kernel of the program.
    pub cycles: Vec<u64>,
    /// How it lowers regions.
    pub lower: Lower<'a, T>,
    /// What regions may be made of.
    pub supports: Supports<'a>,
    /// Whether stretches of which none reads what another makes may be one as well; a device that could
    /// do them side by side leaves them apart.
    pub independent: bool,
}

/// All calls of a program in order, in the stretches that are quickest, and the regions among them.
pub fn quickest<T>(
    program: &Program,
    device: Device<'_, T>,
) -> Result<(Vec<Stretch>, Vec<Region<T>>), RunError> {
    let mut gathering = Gathering {
        device,
        program,
        last: last_reads(program),
        known: HashMap::new(),
        regions: Vec::new(),
        tried: 0,
    };
    let stretches = gathering.all()?;
    Ok((stretches, gathering.regions))
}

struct Gathering<'a, T> {
    device: Device<'a, T>,
    program: &'a Program,
    last: Vec<usize>,
    /// By pattern, the region where there is one.
    known: HashMap<Pattern, Option<usize>>,
    regions: Vec<Region<T>>,
    tried: usize,
}

impl<T> Gathering<'_, T> {
    /// All calls, in order.
    fn all(&mut self) -> Result<Vec<Stretch>, RunError> {
        let mut done: Vec<Stretch> = Vec::new();
        let mut next = 0;
        while next < self.program.calls.len() {
            let mut last = self.stretch(next)?;
            next = last.calls.end;
            if let Some(before) = done.pop() {
                match self.both(&before, &last)? {
                    Some(both) => last = both,
                    None => done.push(before),
                }
            }
            done.push(last);
        }
        Ok(done)
    }

    /// A call and what follows it in its list up to the next that reads a key; a region if that is
    /// quicker.
    fn stretch(&mut self, first: usize) -> Result<Stretch, RunError> {
        let follows = |&call: &usize| {
            let mut args = self.program.calls[call].args.iter();
            let reads_key = args.any(|arg| matches!(arg, Val::Array(_)));
            self.list(call) == self.list(first) && !reads_key
        };
        let all = first + 1..self.program.calls.len();
        let calls = first..first + 1 + all.take_while(follows).count();
        let together = self.region(calls.clone())?;
        let region = None;
        let one_by_one = Stretch { calls, region };
        let quicker = together.filter(|region| self.takes(region) < self.takes(&one_by_one));
        Ok(quicker.unwrap_or(one_by_one))
    }

    /// Two stretches as a region, where that is quicker.
    fn both(&mut self, before: &Stretch, last: &Stretch) -> Result<Option<Stretch>, RunError> {
        let calls = before.calls.start..last.calls.end;
        let together = self.device.independent || self.reads(last, before);
        if self.list(calls.start) != self.list(last.calls.start) || !together {
            return Ok(None);
        }
        let both = self.region(calls)?;
        Ok(both.filter(|both| self.takes(both) < self.takes(before) + self.takes(last)))
    }

    /// Whether a stretch reads what another makes.
    fn reads(&self, reader: &Stretch, maker: &Stretch) -> bool {
        let calls = |stretch: &Stretch| self.program.calls[stretch.calls.clone()].iter();
        let made: HashSet<Place> = calls(maker)
            .flat_map(|call| call.results.iter().copied())
            .collect();
        let mut read = calls(reader).flat_map(|call| call.args.iter().flat_map(Val::towers));
        read.any(|place| made.contains(&place))
    }

    fn list(&self, call: usize) -> u32 {
        self.program.calls[call].list
    }

    fn takes(&self, stretch: &Stretch) -> u64 {
        match &stretch.region {
            Some((number, _)) => self.regions[*number].cycles,
            None => {
                let calls = self.program.calls[stretch.calls.clone()].iter();
                calls.map(|call| self.device.cycles[call.kernel]).sum()
            }
        }
    }

    /// These calls as a region, where they can be one.
    fn region(&mut self, calls: Range<usize>) -> Result<Option<Stretch>, RunError> {
        let all = &self.program.calls[calls.clone()];
        let kernels = all.iter().map(|call| &self.program.kernels[call.kernel]);
        let operations: usize = kernels.map(|kernel| kernel.graph.nodes.len()).sum();
        if all.len() < 2 || operations > MOST_OPERATIONS {
            return Ok(None);
        }
        let wiring = Wiring::of(self.program, calls.clone(), &self.last);
        let pattern = Pattern::of(self.program, calls.clone(), &wiring.results);
        let number = match self.known.get(&pattern) {
            Some(&known) => known,
            None => {
                interrupt::check()?;
                self.tried += operations;
                let made = match self.tried <= MOST_TRIED {
                    true => self.made(calls.clone(), &wiring),
                    false => None,
                };
                let number = made.as_ref().map(|_| self.regions.len());
                self.regions.extend(made);
                self.known.insert(pattern, number);
                number
            }
        };
        let region = number.map(|number| (number, wiring));
        Ok(region.map(|region| Stretch {
            calls,
            region: Some(region),
        }))
    }

    fn made(&self, calls: Range<usize>, wiring: &Wiring) -> Option<Region<T>> {
        let graph = graph(self.program, calls, wiring, self.device.supports)?;
        let graph = Arc::new(graph);
        // What does not fit together may fit one by one.
        let (made, cycles) = (self.device.lower)(&graph)?;
        Some(Region {
            graph,
            made,
            cycles,
        })
    }
}
