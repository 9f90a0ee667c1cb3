//! How the towers of a key switch are grouped.

use std::fmt;

/// The digits of a key switch: towers in order, in groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Digits {
    /// So many towers each; the last may have fewer.
    Of(u16),
    /// Of different lengths: one begins at tower i, which is not the first, where bit i is set.
    At(u64),
}

impl Digits {
    /// Most towers in groups of different lengths.
    pub const MOST_TOWERS: usize = u64::BITS as usize;

    /// As long as so many bits allow, for towers of these bits, the first digit first; `None` where a tower
    /// is longer, or there are more than [`Digits::MOST_TOWERS`].
    pub fn longest(towers: &[u32], most: u32) -> Option<Self> {
        let fits = towers.iter().all(|bits| *bits <= most);
        if !fits || towers.len() > Self::MOST_TOWERS {
            return None;
        }
        let (mut starts, mut length) = (0, 0);
        for (tower, bits) in towers.iter().enumerate() {
            length += bits;
            if length > most {
                starts |= 1 << tower;
                length = *bits;
            }
        }
        Some(Self::At(starts))
    }

    /// The digits of these towers.
    pub fn cut<T>(self, towers: &[T]) -> Vec<&[T]> {
        match self {
            Self::Of(size) => towers.chunks(usize::from(size.max(1))).collect(),
            Self::At(starts) => {
                let begins = |tower: &usize| starts >> tower & 1 == 1;
                let ends = (1..towers.len().min(Self::MOST_TOWERS)).filter(begins);
                let mut digits = Vec::new();
                let mut begin = 0;
                for end in ends.chain([towers.len()]) {
                    digits.push(&towers[begin..end]);
                    begin = end;
                }
                digits.retain(|digit| !digit.is_empty());
                digits
            }
        }
    }

    /// For names of functions: `digit5`, `digits5.10.14`.
    pub(super) fn tag(self) -> String {
        match self {
            Self::Of(size) => format!("digit{size}"),
            Self::At(_) => format!("digits{self}")
                .replacen("at ", "", 1)
                .replace(' ', "."),
        }
    }

    /// How many there are of so many towers.
    pub fn count(self, towers: usize) -> usize {
        match self {
            Self::Of(size) => towers.div_ceil(usize::from(size.max(1))),
            Self::At(_) => self.cut(&vec![(); towers]).len(),
        }
    }
}

impl From<u16> for Digits {
    fn from(size: u16) -> Self {
        Self::Of(size)
    }
}

/// The towers of each, or where they begin: `5`, `at 5 10 14`.
impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Of(size) => write!(f, "{size}"),
            Self::At(starts) => {
                let mut begins = (1..Self::MOST_TOWERS).filter(|tower| starts >> tower & 1 == 1);
                f.write_str("at")?;
                begins.try_for_each(|tower| write!(f, " {tower}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_as_long_as_bits_allow() {
        let towers = [60, 42, 42, 42, 60, 60, 53];
        let digits = Digits::longest(&towers, 150).unwrap();
        assert_eq!(digits.to_string(), "at 3 5");
        let expected: [&[u32]; 3] = [&[60, 42, 42], &[42, 60], &[60, 53]];
        assert_eq!(digits.cut(&towers), expected);
        // Fewer towers: the same digits, the last one shorter.
        assert_eq!(digits.cut(&towers[..4]), [&towers[..3], &towers[3..4]]);
        assert_eq!(
            [0, 3, 4, 6, 7].map(|towers| digits.count(towers)),
            [0, 1, 2, 3, 3]
        );
        assert_eq!(Digits::longest(&towers, 59), None);
        let one = Digits::longest(&towers, 1000).unwrap();
        assert_eq!((one.count(7), one.to_string().as_str()), (1, "at"));
        assert_eq!(Digits::Of(3).cut(&towers).len(), Digits::Of(3).count(7));
    }
}
