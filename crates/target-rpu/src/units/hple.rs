//! The lanes (RPU, section IV-B1): the pipeline of compute instructions, and what a lane computes.
//!
//! Beat b reads its operands in cycle s + b II and writes its results `compute_latency` later. The
//! next instruction enters after B II + gap cycles.

use super::vrf::{Clash, Footprint, Ports, Rhythm};
use crate::config::Config;

/// A pipeline of beats that reserves its register ports: the lanes here, the shuffle crossbar in
/// [`super::sbar`].
#[derive(Debug)]
pub struct BeatPipe {
    /// When its beats read and write.
    pub rhythm: Rhythm,
    gap: u64,
    free: u64,
    /// The oldest instruction finds no free ports before this cycle.
    blocked: u64,
    limited: bool,
}

/// What the oldest instruction of a queue can do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Start.
    Now,
    /// Not before this cycle.
    NotBefore(u64),
    /// A register port is taken.
    Clash(Clash),
}

impl BeatPipe {
    /// The first cycle in which the oldest instruction may find its ports free.
    pub fn blocked(&self) -> u64 {
        self.blocked
    }

    /// A pipeline of this rhythm.
    pub fn new(rhythm: Rhythm, config: &Config) -> Self {
        BeatPipe {
            rhythm,
            gap: config.gap,
            free: 0,
            blocked: 0,
            limited: config.single_port(),
        }
    }

    /// The first cycle in which the next instruction can start, as far as the pipeline goes.
    pub fn free(&self) -> u64 {
        self.free
    }

    /// Whether an instruction that is ready in cycle `ready` can start in cycle `now`.
    pub fn entry(&mut self, now: u64, ready: u64, need: Footprint, ports: &Ports) -> Entry {
        let soonest = ready.max(self.free).max(self.blocked);
        if soonest > now {
            return Entry::NotBefore(soonest);
        }
        let clash = match self.limited {
            true => ports.clash(now, &self.rhythm, need),
            false => None,
        };
        match clash {
            None => Entry::Now,
            Some(clash) => {
                // Reservations are only added, so there is no need to look before this cycle.
                self.blocked = ports.first_fit(clash.retry, &self.rhythm, need);
                Entry::Clash(clash)
            }
        }
    }

    /// Starts an instruction; the end is the cycle after its last write.
    pub fn start(&mut self, now: u64, need: Footprint, ports: &mut Ports) -> Started {
        if self.limited {
            ports.reserve(now, &self.rhythm, need);
        }
        self.free = now + self.rhythm.occupancy() + self.gap;
        Started {
            taken: now + self.rhythm.occupancy(),
            end: now + self.rhythm.span(),
        }
    }
}

/// When an instruction that has started is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// The first cycle in which nothing of its sources is still to be read.
    pub taken: u64,
    /// The cycle after its last write.
    pub end: u64,
}

/// The rhythm of the lanes.
pub fn rhythm(config: &Config) -> Rhythm {
    Rhythm {
        beats: config.beats() as u64,
        interval: config.ii,
        latency: config.compute_latency,
    }
}
