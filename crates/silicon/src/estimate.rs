//! A number that is known within a range.

use std::iter::Sum;
use std::ops::{Add, Mul};

/// Between `low` and `high`, and most likely `expected`; none is negative.
///
/// Sums and products take ends with ends: parts that share a model are wrong together, so nothing
/// averages out.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, serde::Deserialize)]
#[serde(try_from = "[f64; 3]")]
pub struct Estimate {
    /// At least.
    pub low: f64,
    /// Most likely.
    pub expected: f64,
    /// At most.
    pub high: f64,
}

impl Estimate {
    /// Known without doubt.
    pub const fn exactly(value: f64) -> Self {
        Self {
            low: value,
            expected: value,
            high: value,
        }
    }

    /// Off by so much of it at most: `around(10.0, 0.25)` is 7.5 to 12.5.
    pub fn around(expected: f64, share: f64) -> Self {
        Self {
            low: expected * (1.0 - share).max(0.0),
            expected,
            high: expected * (1.0 + share),
        }
    }

    /// Off by a factor at most: `within(10.0, 2.0)` is 5 to 20.
    pub fn within(expected: f64, factor: f64) -> Self {
        Self {
            low: expected / factor,
            expected,
            high: expected * factor,
        }
    }

    /// Whether a value lies in the range.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Of several that happen side by side, the one that is waited for: each end the largest.
    pub fn slower(self, other: Self) -> Self {
        Self {
            low: self.low.max(other.low),
            expected: self.expected.max(other.expected),
            high: self.high.max(other.high),
        }
    }

    /// One over it: what is long becomes low.
    pub fn inverse(self) -> Self {
        Self {
            low: 1.0 / self.high,
            expected: 1.0 / self.expected,
            high: 1.0 / self.low,
        }
    }

    /// How wide it is.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

impl TryFrom<[f64; 3]> for Estimate {
    type Error = String;

    /// `[low, expected, high]`, in this order.
    fn try_from([low, expected, high]: [f64; 3]) -> Result<Self, String> {
        if 0.0 <= low && low <= expected && expected <= high && high.is_finite() {
            return Ok(Self {
                low,
                expected,
                high,
            });
        }
        Err(format!(
            "[{low}, {expected}, {high}]: give low, expected, high, from 0 and in this order"
        ))
    }
}

impl Add for Estimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            low: self.low + other.low,
            expected: self.expected + other.expected,
            high: self.high + other.high,
        }
    }
}

impl Sum for Estimate {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

impl Mul for Estimate {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            low: self.low * other.low,
            expected: self.expected * other.expected,
            high: self.high * other.high,
        }
    }
}

impl Mul<f64> for Estimate {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        self * Self::exactly(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ends_are_given_in_order() {
        assert!(Estimate::try_from([1.0, 2.0, 3.0]).is_ok());
        for wrong in [
            [2.0, 1.0, 3.0],
            [1.0, 3.0, 2.0],
            [-1.0, 0.0, 1.0],
            [0.0, 1.0, f64::INFINITY],
        ] {
            assert!(Estimate::try_from(wrong).is_err(), "{wrong:?}");
        }
    }

    proptest! {
        /// What is true of the parts is true of what is made of them.
        #[test]
        fn what_is_made_of_parts_contains_what_is_made_of_theirs(
            a in 0.1f64..1e6, b in 0.1f64..1e6, share in 0f64..1.0, factor in 1f64..10.0, at in 0f64..=1.0,
        ) {
            let (first, second) = (Estimate::around(a, share), Estimate::within(b, factor));
            let inside = |e: Estimate| e.low + at * e.width();
            let (x, y) = (inside(first), inside(second));
            let near = |e: Estimate, value: f64| {
                e.contains(value) || (e.low - value).abs().min((e.high - value).abs()) < 1e-9 * value
            };
            prop_assert!(near(first + second, x + y));
            prop_assert!(near(first * second, x * y));
            prop_assert!(near(second.inverse(), 1.0 / y));
            prop_assert!(near(first.slower(second), x.max(y)));
        }
    }
}
