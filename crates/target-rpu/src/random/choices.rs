//! Repeatable choices: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). For tests only.

/// A sequence of choices that its seed determines.
pub(super) struct Choices(u64);

impl Choices {
    pub(super) fn new(seed: u64) -> Self {
        Choices(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in 0..bound; 0 if the bound is 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// True once in `n` times.
    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the items, if there is one.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    /// A word from 0 to `limit`: often one at either end, else any.
    pub(super) fn word_to(&mut self, limit: u128) -> u128 {
        match self.below(12) {
            0 => 0,
            1 => limit,
            _ => {
                let word = u128::from(self.next()) << 64 | u128::from(self.next());
                limit.checked_add(1).map_or(word, |bound| word % bound)
            }
        }
    }
}
