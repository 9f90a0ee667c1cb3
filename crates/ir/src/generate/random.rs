//! Repeatable choices: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). For tests only.

/// A sequence of choices that its seed determines.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
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

    /// A number in 1..=bound.
    pub(super) fn at_least_one(&mut self, bound: usize) -> usize {
        1 + self.below(bound)
    }

    /// True once in `n` times.
    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A word below `q`: often one where reductions and centring turn, else any.
    pub(super) fn word_below(&mut self, q: u128) -> u128 {
        match self.below(16) {
            0 => 0,
            1 => q - 1,
            2 => (q - 1) / 2,
            3 => q / 2 + 1,
            _ => (u128::from(self.next()) << 64 | u128::from(self.next())) % q,
        }
    }

    /// One of the items, if there is one.
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// The items in any order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
