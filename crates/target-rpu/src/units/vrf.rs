//! The ports of the vector register file (RPU, section IV-B1).
//!
//! A slice has 16 memories of four registers each, with one port. All slices do the same in the
//! same cycle, so one slice stands for all. Compute and shuffle instructions reserve every read and
//! write when they start: in RTL a shift register of reserved slots for each memory, here a ring of
//! 16-bit masks, one for a cycle. Loads and stores reserve nothing; they ask, and wait.

/// Which memories are reserved in which cycle.
#[derive(Debug)]
pub struct Ports {
    /// Masks of the cycles `base .. base + slots.len()`, cycle c at c modulo the length.
    slots: Vec<u16>,
    base: u64,
}

/// What an instruction needs: `reads` in the cycles s, s + interval, …; `writes` `latency` later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Memories read in every beat.
    pub reads: u16,
    /// Memories written in every beat.
    pub writes: u16,
}

/// Why an instruction cannot start in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Cycle of an access that it could not make.
    pub cycle: u64,
    /// Memories of that access that are reserved.
    pub srams: u16,
    /// It cannot start before this cycle.
    pub retry: u64,
}

/// The rhythm of a pipeline: when the beats of an instruction read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rhythm {
    /// Beats of an instruction.
    pub beats: u64,
    /// Cycles between beats.
    pub interval: u64,
    /// Cycles from a beat's reads to its writes.
    pub latency: u64,
}

impl Rhythm {
    /// Cycles from the start to the last write, that included.
    pub fn span(&self) -> u64 {
        (self.beats - 1) * self.interval + self.latency + 1
    }

    /// Cycles until the pipeline takes the next instruction.
    pub fn occupancy(&self) -> u64 {
        self.beats * self.interval
    }

    /// Whether a beat writes in a cycle in which another of the same instruction reads.
    pub fn overlaps_itself(&self) -> bool {
        self.latency.is_multiple_of(self.interval) && self.latency / self.interval < self.beats
    }
}

impl Ports {
    /// Nothing reserved; `span` is the longest time from a start to its last access.
    pub fn new(span: u64) -> Self {
        Ports {
            slots: vec![0; (span + 1).next_power_of_two() as usize],
            base: 0,
        }
    }

    /// The memories reserved in a cycle that is not over.
    pub fn reserved(&self, cycle: u64) -> u16 {
        match cycle < self.base + self.slots.len() as u64 {
            true => self.slots[self.index(cycle)],
            false => 0,
        }
    }

    /// An access that an instruction starting in this cycle could not make: its cycle, the
    /// memories, and the next start that may avoid it.
    pub fn clash(&self, start: u64, rhythm: &Rhythm, need: Footprint) -> Option<Clash> {
        for beat in (0..rhythm.beats).rev() {
            let read = start + beat * rhythm.interval;
            for (cycle, mask, behind) in [
                (read + rhythm.latency, need.writes, rhythm.latency),
                (read, need.reads, 0),
            ] {
                let srams = self.reserved(cycle) & mask;
                if srams != 0 {
                    // Without pauses between beats, all of them must come after this one.
                    let retry = match rhythm.interval {
                        1 => cycle - behind + 1,
                        _ => start + 1,
                    };
                    return Some(Clash {
                        cycle,
                        srams,
                        retry,
                    });
                }
            }
        }
        None
    }

    /// The first cycle from `start` on in which an instruction could start as things stand.
    pub fn first_fit(&self, mut start: u64, rhythm: &Rhythm, need: Footprint) -> u64 {
        while let Some(clash) = self.clash(start, rhythm, need) {
            start = clash.retry;
        }
        start
    }

    /// Reserves what an instruction needs that starts in this cycle.
    pub fn reserve(&mut self, start: u64, rhythm: &Rhythm, need: Footprint) {
        for beat in 0..rhythm.beats {
            let read = start + beat * rhythm.interval;
            let write = read + rhythm.latency;
            debug_assert!(write < self.base + self.slots.len() as u64);
            let (read, write) = (self.index(read), self.index(write));
            self.slots[read] |= need.reads;
            self.slots[write] |= need.writes;
        }
    }

    /// Forgets the cycles before this one.
    pub fn advance(&mut self, now: u64) {
        let end = now.min(self.base + self.slots.len() as u64);
        for cycle in self.base..end {
            let index = self.index(cycle);
            self.slots[index] = 0;
        }
        self.base = now;
    }

    fn index(&self, cycle: u64) -> usize {
        cycle as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RHYTHM: Rhythm = Rhythm {
        beats: 4,
        interval: 1,
        latency: 10,
    };
    const NEED: Footprint = Footprint {
        reads: 0b01,
        writes: 0b10,
    };

    #[test]
    fn an_instruction_waits_until_every_access_is_free() {
        let mut ports = Ports::new(RHYTHM.span() + RHYTHM.span());
        ports.reserve(0, &RHYTHM, NEED);
        assert_eq!(ports.reserved(3), 0b01);
        assert_eq!(ports.reserved(RHYTHM.latency), 0b10);
        assert_eq!(ports.first_fit(0, &RHYTHM, NEED), RHYTHM.beats);
        let crossed = Footprint {
            reads: 0b10,
            writes: 0,
        };
        // Its reads may lie before the writes of the first, or behind them.
        assert_eq!(ports.first_fit(0, &RHYTHM, crossed), 0);
        let first_write = RHYTHM.latency;
        let too_late = first_write - RHYTHM.beats + 1;
        assert_eq!(
            ports.first_fit(too_late, &RHYTHM, crossed),
            first_write + RHYTHM.beats
        );
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let mut ports = Ports::new(RHYTHM.span());
        ports.reserve(0, &RHYTHM, NEED);
        ports.advance(RHYTHM.span() + 1000);
        assert!((0..64).all(|i| ports.reserved(RHYTHM.span() + 1000 + i) == 0));
    }

    #[test]
    fn long_vectors_meet_themselves() {
        assert!(!RHYTHM.overlaps_itself());
        let long = Rhythm {
            beats: RHYTHM.latency + 1,
            ..RHYTHM
        };
        assert!(long.overlaps_itself());
        // An odd latency never meets every other cycle.
        let odd = Rhythm {
            interval: 2,
            latency: 9,
            beats: 128,
        };
        assert!(!odd.overlaps_itself());
    }
}
