//! The units of `spec/units.toml`, and decimal numbers that keep every digit.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The units that there are.
const UNITS: &str = include_str!("../../../spec/units.toml");
/// Most digits of a number; more would say something about the typist, not about a machine.
const MAX_DIGITS: usize = 15;

/// Symbol and scale of every unit of one kind, the smallest first.
#[derive(Debug)]
pub(crate) struct Units(Vec<(String, u64)>);

impl Units {
    /// How many of the kind's base unit one of this unit is.
    pub(crate) fn scale(&self, symbol: &str) -> Option<u64> {
        let found = self.0.iter().find(|(known, _)| known == symbol);
        found.map(|(_, scale)| *scale)
    }

    pub(crate) fn symbols(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(symbol, _)| symbol.as_str())
    }
}

/// In femtoseconds.
pub(crate) static TIME: LazyLock<Units> = LazyLock::new(|| built_in("time"));
/// In hertz.
pub(crate) static FREQUENCY: LazyLock<Units> = LazyLock::new(|| built_in("frequency"));
/// In bits.
pub(crate) static DATA: LazyLock<Units> = LazyLock::new(|| built_in("data"));

// Like the declarations, the units are part of the program: a test parses them.
fn built_in(kind: &str) -> Units {
    let mut all: BTreeMap<String, BTreeMap<String, u64>> =
        toml::from_str(UNITS).unwrap_or_else(|error| panic!("spec/units.toml: {error}"));
    let units = all.remove(kind).unwrap_or_default();
    let mut units: Vec<_> = units.into_iter().collect();
    units.sort_by(|(a, x), (b, y)| (x, a).cmp(&(y, b)));
    Units(units)
}

/// A number that is not negative: `numerator / denominator`, not reduced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fraction {
    numerator: u128,
    denominator: u128,
}

impl Fraction {
    /// A decimal number, digits grouped by single underscores: `1.68`, `1_680`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let grouped = |digits: &str| {
            let mut groups = digits.split('_');
            groups.all(|g| !g.is_empty() && g.bytes().all(|b| b.is_ascii_digit()))
        };
        let (whole, part) = match text.split_once('.') {
            Some((_, part)) if !grouped(part) => return None,
            Some(both) => both,
            None => (text, ""),
        };
        let digits = [whole, part].concat().replace('_', "");
        if !grouped(whole) || digits.len() > MAX_DIGITS {
            return None;
        }
        let decimals = part.bytes().filter(u8::is_ascii_digit).count();
        Some(Self {
            numerator: digits.parse().ok()?,
            denominator: 10_u128.pow(decimals as u32),
        })
    }

    /// `None` beyond 128 bits.
    pub(crate) fn times(self, factor: u128) -> Option<Self> {
        Some(Self {
            numerator: self.numerator.checked_mul(factor)?,
            ..self
        })
    }

    /// `None` beyond 128 bits, and for a divisor of 0.
    pub(crate) fn over(self, divisor: u128) -> Option<Self> {
        let denominator = self.denominator.checked_mul(divisor)?;
        (divisor > 0).then_some(Self {
            denominator,
            ..self
        })
    }

    /// One over it; `None` of 0.
    pub(crate) fn inverted(self) -> Option<Self> {
        (self.numerator > 0).then_some(Self {
            numerator: self.denominator,
            denominator: self.numerator,
        })
    }

    pub(crate) fn whole(self) -> Option<i64> {
        let exact = self.numerator.is_multiple_of(self.denominator);
        i64::try_from(self.numerator / self.denominator)
            .ok()
            .filter(|_| exact)
    }

    /// The nearest whole number, halves upward.
    pub(crate) fn nearest(self) -> Option<i64> {
        let doubled = self.numerator.checked_mul(2)? / self.denominator;
        i64::try_from(doubled.div_ceil(2)).ok()
    }

    /// How it stands to a whole number.
    pub(crate) fn against(self, whole: i64) -> Option<Ordering> {
        let whole = u128::try_from(whole).ok()?;
        let other = whole.checked_mul(self.denominator)?;
        Some(self.numerator.cmp(&other))
    }

    /// For messages only.
    pub(crate) fn approximately(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_every_digit() {
        let third = Fraction::parse("0.1").unwrap().times(3).unwrap();
        assert_eq!(third.over(3).unwrap().times(10).unwrap().whole(), Some(1));
        assert_eq!(Fraction::parse("1_680").unwrap().whole(), Some(1680));
        assert_eq!(Fraction::parse("2.5").unwrap().whole(), None);
        assert_eq!(Fraction::parse("2.5").unwrap().nearest(), Some(3));
        assert_eq!(Fraction::parse("2.49").unwrap().nearest(), Some(2));
        assert_eq!(Fraction::parse("0").unwrap().inverted(), None);
    }

    #[test]
    fn what_is_no_decimal_number_is_none() {
        for text in ["", ".", "1.", ".5", "1__0", "_1", "1_", "-1", "1e9", "１"] {
            assert_eq!(Fraction::parse(text), None, "{text:?}");
        }
        assert_eq!(Fraction::parse(&"9".repeat(MAX_DIGITS + 1)), None);
        let largest = Fraction::parse(&"9".repeat(MAX_DIGITS)).unwrap();
        assert_eq!(largest.times(u128::MAX), None);
    }

    #[test]
    fn every_kind_has_units_and_prefixes_are_powers() {
        assert_eq!(TIME.scale("s"), Some(10_u64.pow(15)));
        assert_eq!(FREQUENCY.scale("GHz"), Some(10_u64.pow(9)));
        assert_eq!(DATA.scale("KiB"), Some(8 << 10));
        assert_eq!(DATA.scale("GiB"), Some(8 << 30));
        assert_eq!(DATA.scale("GB"), Some(8 * 10_u64.pow(9)));
        for units in [&TIME, &FREQUENCY, &DATA] {
            assert!(units.symbols().count() > 2);
        }
    }
}
