//! Which calls of a program are one kernel: those that are quicker together.
//!
//! Between two kernels the device drains. A rotation, whose transforms keep the core busy, is followed
//! by a sum, which only moves towers. Calls one behind the other become a
//! [region](ringwright_towers::regions) where that takes less than what they take one by one.
//!
//! * A region never reaches from one list of calls into another: a function in steps is the same
//!   wherever it is called.
//! * A **stretch** is a call with what follows it up to the next that reads a key: what works word by
//!   word behind a key switch rides on what that made. It is a region where that is quicker than its
//!   calls.
//! * In order, each stretch joins what stands before it if both are quicker together.
//! * What has the same [pattern](Pattern) is tried once, so time is in proportion to what is different
//!   in a program; programs in which nothing repeats are held by a bound on all that is tried.
//!
//! **Bound**, of logistic inference with `16384-7x54` on `rpu-128x128` (120 operations, 16 slots): its
//! 10 regions take 1,497,000 cycles, in which the core works 1,198,000 and the port 1,211,000 (one by
//! one 1,345,000 and 2,321,000 of 2,622,000). Nothing that moves and computes the same takes less than
//! the longer of the two. Tables of transforms are 142,000 of the port's, spills and what they bring
//! back about 230,000.
//!
//! Dropped: one region for the whole program (1,777,000: 16 slots hold too little), regions of so many
//! calls (1,693,000 for 40), and of so many key switches (1,533,000 for two).

use super::quickest::Search;
use crate::lower::kinds::supports;
use crate::lower::part::Part;
use crate::lower::program::Program;
use ringwright_ir::{interrupt, RunError};
use ringwright_towers::regions::{self, Pattern, Stretch, Wiring};
use ringwright_towers::{Graph, Kind, Place, Program as Towers, Val};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Operations on towers of one region at most, and of all that are tried.
const MOST_OPERATIONS: usize = 1_500;
const MOST_TRIED: usize = 200_000;

/// The program of a module in its quickest kernels, calls joined that are quicker together. `independent`:
/// stretches of which none reads what another makes as well; several tiles could do those side by side.
pub fn quickest(search: &Search<'_>, independent: bool) -> Result<Program, RunError> {
    let (towers, found) = search.calls()?;
    let found: Vec<(Arc<Part>, u64)> = found.into_iter().collect::<Result<_, _>>()?;
    let (mut parts, cycles): (Vec<Arc<Part>>, Vec<u64>) = found.into_iter().unzip();
    let mut gathering = Gathering {
        search,
        independent,
        towers: &towers,
        last: regions::last_reads(&towers),
        cycles,
        known: HashMap::new(),
        regions: Vec::new(),
        tried: 0,
    };
    let stretches = gathering.all()?;
    let regions = gathering.regions.into_iter();
    let (graphs, of_regions): (Vec<Arc<Graph>>, Vec<Arc<Part>>) =
        regions.map(|region| (region.graph, region.part)).unzip();
    parts.extend(of_regions);
    let joined = regions::joined(towers, stretches, &graphs);
    let (towers, parts) = joined.without_uncalled(parts);
    Ok(Program::on_one_tile(towers, parts))
}

/// A region, lowered.
struct Region {
    graph: Arc<Graph>,
    part: Arc<Part>,
    cycles: u64,
}

struct Gathering<'a> {
    search: &'a Search<'a>,
    independent: bool,
    towers: &'a Towers,
    last: Vec<usize>,
    /// By kernel.
    cycles: Vec<u64>,
    /// By pattern, the region where there is one.
    known: HashMap<Pattern, Option<usize>>,
    regions: Vec<Region>,
    tried: usize,
}

impl Gathering<'_> {
    /// All calls, in order.
    fn all(&mut self) -> Result<Vec<Stretch>, RunError> {
        let mut done: Vec<Stretch> = Vec::new();
        let mut next = 0;
        while next < self.towers.calls.len() {
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
            let mut args = self.towers.calls[call].args.iter();
            let reads_key = args.any(|arg| matches!(arg, Val::Array(_)));
            self.list(call) == self.list(first) && !reads_key
        };
        let all = first + 1..self.towers.calls.len();
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
        let together = self.independent || self.reads(last, before);
        if self.list(calls.start) != self.list(last.calls.start) || !together {
            return Ok(None);
        }
        let both = self.region(calls)?;
        Ok(both.filter(|both| self.takes(both) < self.takes(before) + self.takes(last)))
    }

    /// Whether a stretch reads what another makes.
    fn reads(&self, reader: &Stretch, maker: &Stretch) -> bool {
        let calls = |stretch: &Stretch| self.towers.calls[stretch.calls.clone()].iter();
        let made: HashSet<Place> = calls(maker)
            .flat_map(|call| call.results.iter().copied())
            .collect();
        let mut read = calls(reader).flat_map(|call| call.args.iter().flat_map(Val::towers));
        read.any(|place| made.contains(&place))
    }

    fn list(&self, call: usize) -> u32 {
        self.towers.calls[call].list
    }

    fn takes(&self, stretch: &Stretch) -> u64 {
        match &stretch.region {
            Some((number, _)) => self.regions[*number].cycles,
            None => {
                let calls = self.towers.calls[stretch.calls.clone()].iter();
                calls.map(|call| self.cycles[call.kernel]).sum()
            }
        }
    }

    /// These calls as a region, where they can be one.
    fn region(&mut self, calls: Range<usize>) -> Result<Option<Stretch>, RunError> {
        let all = &self.towers.calls[calls.clone()];
        let kernels = all.iter().map(|call| &self.towers.kernels[call.kernel]);
        let operations: usize = kernels.map(|kernel| kernel.graph.nodes.len()).sum();
        if all.len() < 2 || operations > MOST_OPERATIONS {
            return Ok(None);
        }
        let wiring = Wiring::of(self.towers, calls.clone(), &self.last);
        let pattern = Pattern::of(self.towers, calls.clone(), &wiring.results);
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

    fn made(&self, calls: Range<usize>, wiring: &Wiring) -> Option<Region> {
        let Search { config, module, .. } = *self.search;
        let supports = |kind: &Kind| supports(true, config, module, kind);
        let graph = regions::graph(self.towers, calls, wiring, &supports)?;
        let graph = Arc::new(graph);
        // What does not fit together may fit one by one.
        let (part, cycles) = self.search.kernel(&graph, true).ok()?;
        Some(Region {
            graph,
            part,
            cycles,
        })
    }
}
