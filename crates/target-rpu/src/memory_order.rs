//! Order of the accesses of one address, which the hardware does not watch.
//!
//! The busyboard knows registers only (RPU, section IV-A). A load that reads a bank in or before
//! the cycle in which an earlier store writes the address gets the old word; where stores have
//! their own pipeline, a store may also write before an earlier load has read. Values are computed
//! in the order of the program, so a program in which the two orders differ is refused.
//!
//! When an access starts, only those before it that are not over can be in its way; of these, most
//! are excluded by their addresses alone. What is left is looked at word by word when every cycle
//! is known.

use crate::check::at;
use crate::config::{Config, LoadStorePipes};
use crate::isa::Program;
use crate::program_error::{Problem, ProgramError};
use crate::units::vbar::{Step, Steps, Vbar};
use crate::units::vdm::{Banks, Pattern};

/// An access that has started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Started {
    pub(crate) instruction: usize,
    pub(crate) store: bool,
    pub(crate) pattern: Pattern,
    pub(crate) steps: Steps,
}

/// Pairs of accesses that may be in the wrong order.
#[derive(Debug)]
pub(crate) struct MemoryOrder {
    latency: u64,
    length: usize,
    separate: bool,
    /// Accesses that may not be over.
    recent: Vec<Started>,
    /// An earlier and a later one that share addresses and time.
    pairs: Vec<(Started, Started)>,
}

impl MemoryOrder {
    pub(crate) fn new(config: &Config) -> Self {
        MemoryOrder {
            latency: config.load_store_latency,
            length: config.vector_length,
            separate: config.load_store_pipes == LoadStorePipes::Separate,
            recent: Vec::new(),
            pairs: Vec::new(),
        }
    }

    /// An access starts in this cycle.
    pub(crate) fn start(&mut self, now: u64, access: Started, vbar: &Vbar) {
        let latency = self.latency;
        let over = |a: &Started| {
            let last = a.steps.last + if a.store { latency } else { 0 };
            vbar.pipe(a.store).cycle(last) < now
        };
        self.recent.retain(|earlier| !over(earlier));
        // In one pipeline loads read in front of where stores write.
        let can_overtake = self.separate || !access.store;
        if can_overtake {
            let others = self.recent.iter().filter(|a| a.store != access.store);
            let meet = others.filter(|a| !a.pattern.is_apart_from(&access.pattern, self.length));
            self.pairs.extend(meet.map(|&earlier| (earlier, access)));
        }
        self.recent.push(access);
    }

    /// Looks at the pairs, now that the pipelines have come to their end.
    pub(crate) fn check(
        &self,
        program: &Program,
        config: &Config,
        groups: &[Step],
        vbar: &Vbar,
    ) -> Result<(), ProgramError> {
        for (earlier, later) in &self.pairs {
            let cycles = |a: &Started| bank_cycles(a, config, groups, vbar);
            let (first, second) = (cycles(earlier), cycles(later));
            for (element, &first) in first.iter().enumerate() {
                let address = earlier.pattern.address(element);
                let Some(other) = later.pattern.element(address, self.length) else {
                    continue;
                };
                // In the same cycle a bank reads the word that it has before it takes a new one.
                let wrong = match earlier.store {
                    true => second[other] <= first,
                    false => second[other] < first,
                };
                if wrong {
                    let kinds = |store| {
                        if store {
                            ("written", "writes")
                        } else {
                            ("read", "reads")
                        }
                    };
                    let what = Problem::MemoryOrder {
                        address,
                        kind: kinds(later.store).0,
                        cycle: second[other],
                        other: earlier.instruction,
                        other_line: program.line(earlier.instruction),
                        other_kind: kinds(earlier.store).1,
                        other_cycle: first,
                    };
                    return Err(at(program, later.instruction, what));
                }
            }
        }
        Ok(())
    }
}

/// The cycle in which every element of an access is at its bank.
pub(crate) fn bank_cycles(
    access: &Started,
    config: &Config,
    groups: &[Step],
    vbar: &Vbar,
) -> Vec<u64> {
    let banks = Banks::new(config);
    let pipe = vbar.pipe(access.store);
    let behind = if access.store {
        config.load_store_latency
    } else {
        0
    };
    let firsts = &groups[access.steps.first..access.steps.first + config.beats()];
    let mut cycles = Vec::with_capacity(config.vector_length);
    for (group, first) in firsts.iter().enumerate() {
        let elements = group * config.hples..(group + 1) * config.hples;
        let served = banks.serve(access.pattern, elements);
        cycles.extend(served.iter().map(|step| pipe.cycle(first + step + behind)));
    }
    cycles
}
