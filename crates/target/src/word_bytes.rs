//! In how many bytes words of towers lie off a device.

/// Bytes of words in the memory before a device, and on their way there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordBytes {
    /// Of a whole word.
    pub whole: u64,
    /// Whether words take half of that where that holds them.
    pub packed: bool,
}

impl WordBytes {
    /// The same for every word.
    pub fn all(whole: u64) -> Self {
        WordBytes {
            whole,
            packed: false,
        }
    }

    /// Bytes of a word below 2^`bits`.
    pub fn below(self, bits: u32) -> u64 {
        match self.packed && u64::from(bits) <= 4 * self.whole {
            true => self.whole / 2,
            false => self.whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_word_is_enough_where_it_holds_what_is_there() {
        let packed = WordBytes {
            whole: 16,
            packed: true,
        };
        assert_eq!([54, 64, 65].map(|bits| packed.below(bits)), [8, 8, 16]);
        assert_eq!(WordBytes::all(16).below(54), 16);
    }
}
