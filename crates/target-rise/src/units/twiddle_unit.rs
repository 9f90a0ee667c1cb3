//! The twiddle unit: makes the factors of a transform batch by batch, on the fly.
//!
//! It holds the last C batches of P factors in a ring, and batch 0 of the stage that it is in. Its
//! products run through the butterfly units in cycles in which no butterfly enters; the factors
//! of a product that is issued in one cycle can meet a butterfly issued D cycles later. A ring
//! place is free again when the last butterfly of its batch has been issued. Lane l of issue i
//! takes factor (i P + l) >> (L-1-s) of its stage: in early stages all lanes take one factor, in
//! the last each its own, and between them p levels of multiplexers spread a batch. Which batch is made
//! from which, and why, stands in [`crate::twiddles`]. Every product has its place in a fixed
//! sequence, so when it is made depends on no value.
//! Records: `factor` (lane, value), when a product arrives.
//!
//! The dissertation (section 3.4.2) gives more than one butterfly unit separate multipliers for
//! the factors, "to eliminate pipeline stalls". Its table 3.1 still has 9 N/P cycles beside the
//! butterflies: as many as the butterfly units need when they stall for every batch. So there are
//! P multipliers here, twiddle factors included, at every P.

use crate::shape::Shape;
use crate::twiddles::{batches, stages, Constants, Direction};
use ringwright_sim::{Cycle, NoTrace, Trace, TraceRecord};

/// The ring and the state of the sequence.
pub struct TwiddleUnit<T = NoTrace> {
    shape: Shape,
    log_batches: u32,
    latency: u64,
    direction: Direction,
    /// C batches of P factors.
    ring: Vec<u64>,
    /// Cycle from which each ring place may be used.
    ready: Vec<u64>,
    /// Batch 0 of the newest stage, and when it may be used.
    base: Vec<u64>,
    base_ready: u64,
    /// The next batch to make: its stage, its number there, its number in the sequence.
    next: (u32, u64, u64),
    /// Batches whose butterflies have all been issued.
    retired: u64,
    trace: T,
}

impl TwiddleUnit {
    /// A unit that holds 2^`log_batches` batches.
    pub fn new(shape: Shape, log_batches: u32, latency: u64) -> Self {
        Self::traced(shape, log_batches, latency)
    }
}

impl<T: Trace> TwiddleUnit<T> {
    /// As [`TwiddleUnit::new`], with records.
    pub fn traced(shape: Shape, log_batches: u32, latency: u64) -> Self {
        TwiddleUnit {
            shape,
            log_batches,
            latency,
            direction: Direction::Forward,
            ring: vec![0; shape.bfus() << log_batches],
            ready: vec![0; 1 << log_batches],
            base: vec![0; shape.bfus()],
            base_ready: 0,
            next: (0, 0, 0),
            retired: 0,
            trace: T::default(),
        }
    }

    /// Begins a transform: the only factor of stage 0 is taken from the table.
    pub fn start(&mut self, constants: &Constants, direction: Direction) {
        let first = constants.first(direction);
        self.direction = direction;
        self.base.fill(first);
        self.ring[..self.shape.bfus()].fill(first);
        self.ready[0] = 0;
        self.base_ready = 0;
        self.retired = 0;
        self.next = (0, 0, 0);
        self.advance();
    }

    /// Whether a product may enter the butterfly units in this cycle.
    #[inline]
    pub fn wants(&self, cycle: u64) -> bool {
        let (stage, batch, sequence) = self.next;
        if stage >= stages(self.shape, self.direction) {
            return false;
        }
        let free = sequence < self.retired + self.ready.len() as u64;
        free && match batch {
            0 => self.base_ready <= cycle,
            _ => self.ready[self.place(sequence - self.distance(batch))] <= cycle,
        }
    }

    /// Sends the next product; its factors can meet butterflies `latency` cycles later.
    pub fn issue(&mut self, cycle: u64, constants: &Constants) {
        let (stage, batch, sequence) = self.next;
        let (p, to) = (self.shape.bfus(), self.place(sequence));
        self.ready[to] = cycle + self.latency;
        if batch == 0 {
            let factors = constants.ladder(self.direction, stage);
            for j in (0..p).rev() {
                self.base[j] = constants.q.mul(self.base[j >> 1], factors[j & 1]);
            }
            self.base_ready = cycle + self.latency;
            self.ring[to * p..][..p].copy_from_slice(&self.base);
        } else {
            let distance = self.distance(batch);
            let log_distance = distance.trailing_zeros();
            let ratio = constants.ratio(self.direction, stage, self.shape.log_p, log_distance);
            let from = self.place(sequence - distance);
            for j in 0..p {
                self.ring[to * p + j] = constants.q.mul(self.ring[from * p + j], ratio);
            }
        }
        self.record(to);
        self.advance();
    }

    /// The factors of a ring place, in the first cycle in which they may be used.
    #[inline]
    fn record(&mut self, place: usize) {
        if !T::KEEPS {
            return;
        }
        let p = self.shape.bfus();
        for (lane, &factor) in self.ring[place * p..][..p].iter().enumerate() {
            self.trace.record(TraceRecord {
                cycle: Cycle(self.ready[place]),
                unit: "twiddle_unit",
                event: "factor",
                destination: lane as u64,
                value: u128::from(factor),
            });
        }
    }

    /// What was made.
    pub fn take_records(&mut self) -> Vec<TraceRecord> {
        self.trace.take()
    }

    /// Whether the batch of this number in the sequence may meet a butterfly issued now.
    #[inline]
    pub fn has(&self, cycle: u64, sequence: u64) -> bool {
        sequence < self.next.2 && self.ready[self.place(sequence)] <= cycle
    }

    /// Factor `index` of a batch that is there.
    #[inline]
    pub fn factor(&self, sequence: u64, index: usize) -> u64 {
        self.ring[self.place(sequence) * self.shape.bfus() + index]
    }

    /// The last butterfly of a batch has been issued.
    #[inline]
    pub fn retire(&mut self) {
        self.retired += 1;
    }

    fn place(&self, sequence: u64) -> usize {
        (sequence & ((1 << self.log_batches) - 1)) as usize
    }

    /// How far before batch `batch` of a stage the one lies that it is made from.
    fn distance(&self, batch: u64) -> u64 {
        1 << self.log_batches.min(batch.ilog2())
    }

    fn advance(&mut self) {
        let (stage, batch, sequence) = self.next;
        self.next = match batch + 1 < batches(self.shape, stage) {
            true => (stage, batch + 1, sequence + 1),
            false => (stage + 1, 0, sequence + 1),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringwright_arith::primes::ntt_primes;
    use ringwright_arith::roots::minimal_primitive_root_2n;

    /// Every factor is the power of psi that the definition of the transform asks for.
    #[test]
    fn factors_are_powers_of_psi() {
        let log_n = 8;
        let prime = ntt_primes(30, log_n, 1).expect("primes")[0] as u64;
        let constants = Constants::new(log_n, prime).expect("constants");
        let psi = minimal_primitive_root_2n(&constants.q, log_n).expect("a root");
        let inverse = constants.q.inv(psi).expect("a unit");
        let scale = constants.q.inv(1 << log_n).expect("a unit");
        for (log_p, log_batches) in [(0, 0), (0, 3), (2, 0), (2, 4), (5, 1), (5, 5)] {
            let shape = Shape { log_n, log_p };
            for direction in [Direction::Forward, Direction::Inverse] {
                let mut unit = TwiddleUnit::new(shape, log_batches, 1);
                unit.start(&constants, direction);
                let (mut cycle, mut sequence) = (0, 0);
                for stage in 0..stages(shape, direction) {
                    for batch in 0..batches(shape, stage) {
                        while !unit.has(cycle, sequence) {
                            assert!(unit.wants(cycle), "stage {stage}, batch {batch}: stuck");
                            unit.issue(cycle, &constants);
                            cycle += 1;
                        }
                        for index in 0..shape.bfus().min(1 << stage) {
                            let j = batch * shape.bfus() as u64 + index as u64;
                            let step = 1u64 << (log_n - stage);
                            let expected = match direction {
                                Direction::Forward => {
                                    constants.q.pow(psi, u128::from(step / 2 * (2 * j + 1)))
                                }
                                Direction::Inverse if stage < log_n => {
                                    constants.q.pow(inverse, u128::from(step * j))
                                }
                                Direction::Inverse => {
                                    let power = constants.q.pow(inverse, u128::from(j));
                                    constants.q.mul(power, scale)
                                }
                            };
                            assert_eq!(unit.factor(sequence, index), expected);
                        }
                        unit.retire();
                        sequence += 1;
                    }
                }
                assert!(!unit.wants(cycle), "the sequence has an end");
            }
        }
    }
}
