//! The butterfly units: P pipelines of the same depth, in lockstep.
//!
//! `(a, b) -> (a + w b, a - w b)` modulo q; the same pipeline gives products `a w`, sums and
//! differences, and the twiddle unit's products. One set of operands enters every cycle, results
//! leave D cycles later: a Barrett multiplier, `t = x y; h = (t mu) >> k; r = t - h q; r >= q ?`,
//! of as many stages as D - 1, then the adder and the subtractor with one conditional correction
//! each. The operands come out of the banks one cycle after their addresses went in, so the
//! pipeline here is D + 1 deep, counted from the cycle of the addresses.

use ringwright_arith::Modulus;

/// The P pipelines.
pub struct Bfu<T> {
    /// Words per entry.
    width: usize,
    words: Vec<u64>,
    tags: Vec<Option<T>>,
    /// Entry of the current cycle: its results leave, then new operands may enter.
    now: usize,
    inside: usize,
}

impl<T: Copy> Bfu<T> {
    /// Pipelines with `latency` cycles from operands to results, `width` words across.
    pub fn new(latency: u64, width: usize) -> Self {
        let depth = latency as usize + 1;
        Bfu {
            width,
            words: vec![0; depth * width],
            tags: vec![None; depth],
            now: 0,
            inside: 0,
        }
    }

    /// What leaves in this cycle.
    #[inline]
    pub fn output(&mut self) -> Option<(T, &[u64])> {
        let tag = self.tags[self.now].take()?;
        self.inside -= 1;
        Some((tag, &self.words[self.now * self.width..][..self.width]))
    }

    /// The place for the results of the operands whose addresses go to the banks in this cycle.
    #[inline]
    pub fn enter(&mut self, tag: T) -> &mut [u64] {
        self.tags[self.now] = Some(tag);
        self.inside += 1;
        &mut self.words[self.now * self.width..][..self.width]
    }

    /// Ends a cycle.
    #[inline]
    pub fn step(&mut self) {
        self.now = (self.now + 1) % self.tags.len();
    }

    /// Whether nothing is inside.
    pub fn is_empty(&self) -> bool {
        self.inside == 0
    }
}

/// Sum and difference of `a` and `w b`.
#[inline(always)]
pub fn butterfly(q: &Modulus<u64>, a: u64, b: u64, w: u64) -> (u64, u64) {
    let turned = q.mul(b, w);
    (q.add(a, turned), q.sub(a, turned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_leave_after_the_latency_and_in_order() {
        let (latency, width) = (5, 2);
        let mut bfu = Bfu::new(latency, width);
        for cycle in 0..20u64 {
            let left = bfu.output().map(|(tag, words)| (tag, words.to_vec()));
            // One cycle for the banks, then the pipeline; every third cycle had operands.
            let expected = cycle
                .checked_sub(latency + 1)
                .filter(|entered| entered % 3 == 0);
            assert_eq!(
                left,
                expected.map(|entered| (entered, vec![entered; width]))
            );
            if cycle % 3 == 0 {
                bfu.enter(cycle).fill(cycle);
            }
            bfu.step();
        }
    }

    #[test]
    fn butterflies_reduce() {
        let q = Modulus::new(97u64).expect("odd");
        for (a, b, w) in [(0, 0, 0), (96, 96, 96), (1, 96, 1), (50, 2, 49)] {
            let turned = b * w % 97;
            assert_eq!(
                butterfly(&q, a, b, w),
                ((a + turned) % 97, (a + 97 - turned) % 97)
            );
        }
    }
}
