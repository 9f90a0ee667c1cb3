//! The reordering unit (permutation unit in RACE): registers between butterfly units and banks.
//!
//! It collects a group: the results of four issues, 8P words of two rows. In the cycle in which
//! the last of them arrives it begins to send half a row per cycle: first the even results (sums)
//! of the first row, then those of the second, then the odd ones of each. What leaves is the
//! rotation of [`crate::shape`]: half-row j of four holds, as its word k, result `j >> 1` of lane
//! `k mod P` of issue `2 (j & 1) + (k >> p)`. The registers hold two groups ("8 pairs of BF
//! outputs" in RACE section IV-C3 at P = 1): one is collected while the other leaves.

/// Half-rows of a group, and issues.
const STEPS: usize = 4;

/// The registers, a group being collected, a group being sent.
pub struct ReorderingUnit {
    log_p: u32,
    latency: u64,
    /// Two groups of four issues of 2P words.
    registers: [Vec<u64>; 2],
    /// The group being collected, and how many of its issues have arrived.
    collecting: (u64, usize),
    /// Group and cycle of the first half-row to send; at most two wait.
    sending: [Option<(u64, u64)>; 2],
    sent: usize,
}

/// Half a row that leaves the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfRow {
    /// Number of the group in its stage.
    pub group: u64,
    /// Which of the group's two rows.
    pub row: usize,
    /// Which half of the banks.
    pub half: usize,
}

impl ReorderingUnit {
    /// For P = 2^`log_p` butterfly units; `latency` cycles beyond the arrival of a group.
    pub fn new(log_p: u32, latency: u64) -> Self {
        let group = || vec![0; (2 * STEPS) << log_p];
        ReorderingUnit {
            log_p,
            latency,
            registers: [group(), group()],
            collecting: (0, 0),
            sending: [None; 2],
            sent: 0,
        }
    }

    /// Begins a stage: groups are counted from 0.
    pub fn restart(&mut self) {
        self.collecting = (0, 0);
    }

    /// Takes the 2P results of one issue: sum and difference of lane 0, of lane 1, …
    #[inline]
    pub fn accept(&mut self, cycle: u64, results: &[u64]) {
        let (group, issue) = self.collecting;
        let width = 2 << self.log_p;
        self.registers[(group & 1) as usize][issue * width..][..width].copy_from_slice(results);
        if issue + 1 < STEPS {
            self.collecting.1 += 1;
            return;
        }
        let ready = (group, cycle + self.latency);
        let place = self.sending.iter().position(Option::is_none);
        debug_assert!(place.is_some(), "four issues pass between two groups");
        self.sending[place.unwrap_or(0)] = Some(ready);
        self.collecting = (group + 1, 0);
    }

    /// Sends the half-row of this cycle, if there is one: where it goes, and word k of it.
    #[inline]
    pub fn emit(&mut self, cycle: u64) -> Option<(HalfRow, impl Iterator<Item = u64> + '_)> {
        let (group, ready) = self.sending[0]?;
        if cycle < ready {
            return None;
        }
        let j = self.sent;
        self.sent = (self.sent + 1) % STEPS;
        if self.sent == 0 {
            self.sending = [self.sending[1], None];
        }
        let place = HalfRow {
            group,
            row: j >> 1,
            half: j & 1,
        };
        let registers = &self.registers[(group & 1) as usize];
        let width = 2 << self.log_p;
        let first = 2 * (j & 1) * width + (j >> 1);
        // Issues follow each other in the registers, so word k is simply the k-th of one parity.
        Some((place, (0..width).map(move |k| registers[first + 2 * k])))
    }

    /// Whether nothing waits to be sent.
    pub fn is_empty(&self) -> bool {
        self.sending[0].is_none() && self.collecting.1 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The dissertation's example (section 3.4.2): two units, the first eight butterflies.
    #[test]
    fn two_units_reorder_as_the_dissertation_says() {
        let mut unit = ReorderingUnit::new(1, 0);
        let mut rows = Vec::new();
        for cycle in 0..8 {
            if cycle < 4 {
                let a: Vec<u64> = (4 * cycle..4 * cycle + 4).collect();
                unit.accept(cycle, &a);
            }
            if let Some((place, words)) = unit.emit(cycle) {
                let words: Vec<u64> = words.collect();
                rows.push((cycle, place.row, place.half, words));
            }
        }
        let evens = |from: u64| -> Vec<u64> { (0..4).map(|k| from + 2 * k).collect() };
        let expected = vec![
            (3, 0, 0, evens(0)),
            (4, 0, 1, evens(8)),
            (5, 1, 0, evens(1)),
            (6, 1, 1, evens(9)),
        ];
        assert_eq!(rows, expected);
        assert!(unit.is_empty());
    }
}
