//! Repeatable choices: SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
//! Generators", OOPSLA 2014). For tests and checkers only: whoever sees two words knows all others.

/// A sequence of choices that its seed determines.
#[derive(Clone, Debug)]
pub struct Choices(u64);

impl Choices {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any word of 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Any word of 128 bits: two of 64, the upper one first.
    pub fn wide(&mut self) -> u128 {
        u128::from(self.word()) << 64 | u128::from(self.word())
    }

    /// A number in 0..bound, the lower ones likelier by less than bound / 2^64; 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound.max(1) as u64) as usize
    }

    /// A number in 1..=bound; 1 if the bound is 0.
    pub fn at_least_one(&mut self, bound: usize) -> usize {
        1 + self.below(bound)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the items, if there is one.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    /// The items in any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first words of seed 1234567, as the authors' own `splitmix64.c` prints them.
    #[test]
    fn the_words_are_the_published_ones() {
        let mut choices = Choices::new(1_234_567);
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(published.map(|_| choices.word()), published);
    }

    #[test]
    fn choices_stay_in_their_ranges() {
        let mut choices = Choices::new(1);
        let mut order: Vec<usize> = (0..100).collect();
        for bound in 1..100 {
            assert!(choices.below(bound) < bound);
            assert!((1..=bound).contains(&choices.at_least_one(bound)));
            assert!(choices.pick(&order[..bound]).is_some());
        }
        assert_eq!(choices.below(0), 0);
        assert_eq!(choices.pick::<u8>(&[]), None);
        choices.shuffle(&mut order);
        assert!(!order.is_sorted());
        order.sort_unstable();
        assert!(order.into_iter().eq(0..100));
    }
}
