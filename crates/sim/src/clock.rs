//! Cycles, femtoseconds, and clocks between them.
//!
//! A 64-bit count of femtoseconds reaches 5.1 hours; arithmetic that could leave it is checked.

use ringwright_spec::Provenance;
use std::fmt;

/// A time or duration: whole femtoseconds, below 2^64 (5.1 hours).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Femtoseconds(pub u64);

impl Femtoseconds {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// Femtoseconds in a second.
    pub const PER_SECOND: u64 = 1_000_000_000_000_000;

    /// `None` beyond 2^64.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// `None` when `other` is later.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// A span of nanoseconds, as a wall clock measures it; `None` when it does not fit.
    pub fn from_nanoseconds(nanoseconds: u64) -> Option<Self> {
        nanoseconds.checked_mul(1_000_000).map(Self)
    }

    /// In seconds, for printing: rounded to 53 bits.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / Self::PER_SECOND as f64
    }
}

impl fmt::Display for Femtoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} fs", self.0)
    }
}

/// A count of cycles of one clock; cycle 0 begins at time 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cycle(pub u64);

/// Why a clock or a conversion is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    /// A period of zero.
    #[error("clock {name}: a period of 0 fs; allowed is 1 fs and more")]
    ZeroPeriod {
        /// The clock.
        name: String,
    },
    /// A time beyond 64 bits of femtoseconds.
    #[error("clock {name}: cycle {cycle} lies beyond 2^64 fs (5.1 hours)")]
    TooLate {
        /// The clock.
        name: String,
        /// The cycle.
        cycle: u64,
    },
}

/// A named clock whose rising edges lie at whole multiples of its period, and where that comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    name: String,
    period: Femtoseconds,
    provenance: Provenance,
}

impl Clock {
    /// A clock with this period, at least 1 fs.
    pub fn new(
        name: impl Into<String>,
        period: Femtoseconds,
        provenance: Provenance,
    ) -> Result<Self, ClockError> {
        let name = name.into();
        match period {
            Femtoseconds::ZERO => Err(ClockError::ZeroPeriod { name }),
            _ => Ok(Self {
                name,
                period,
                provenance,
            }),
        }
    }

    /// The clock that ticks once per femtosecond: continuous time.
    pub fn femtosecond() -> Self {
        Self {
            name: "fs".to_string(),
            period: Femtoseconds(1),
            provenance: Provenance::Modelled,
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The period.
    pub fn period(&self) -> Femtoseconds {
        self.period
    }

    /// Where the period comes from.
    pub fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// When a cycle begins.
    pub fn time_of(&self, cycle: Cycle) -> Result<Femtoseconds, ClockError> {
        cycle
            .0
            .checked_mul(self.period.0)
            .map(Femtoseconds)
            .ok_or_else(|| ClockError::TooLate {
                name: self.name.clone(),
                cycle: cycle.0,
            })
    }

    /// The first edge at or after `time`: what a signal from another clock sees.
    pub fn edge_at_or_after(&self, time: Femtoseconds) -> Cycle {
        Cycle(time.0.div_ceil(self.period.0))
    }

    /// The edge of this clock at which something that happened on `cycle` of `from` arrives.
    pub fn cross(&self, from: &Clock, cycle: Cycle) -> Result<Cycle, ClockError> {
        Ok(self.edge_at_or_after(from.time_of(cycle)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_clock_without_period_is_refused() {
        let error = Clock::new("core", Femtoseconds::ZERO, Provenance::Modelled).unwrap_err();
        assert_eq!(
            error,
            ClockError::ZeroPeriod {
                name: "core".to_string()
            }
        );
    }

    #[test]
    fn time_beyond_64_bits_is_refused() {
        let clock = Clock::new("core", Femtoseconds(2), Provenance::Modelled).unwrap();
        assert!(clock.time_of(Cycle(u64::MAX / 2)).is_ok());
        assert!(clock.time_of(Cycle(u64::MAX / 2 + 1)).is_err());
    }

    #[test]
    fn nanoseconds_convert_where_they_fit() {
        let second = Femtoseconds(Femtoseconds::PER_SECOND);
        assert_eq!(Femtoseconds::from_nanoseconds(1_000_000_000), Some(second));
        assert_eq!(second.as_seconds(), 1.0);
        assert_eq!(Femtoseconds::from_nanoseconds(u64::MAX), None);
    }

    proptest! {
        #[test]
        fn a_crossing_rounds_up_to_the_next_edge(
            from in 1_u64..1 << 20, to in 1_u64..1 << 20, cycle in 0_u64..1 << 40,
        ) {
            let from = Clock::new("a", Femtoseconds(from), Provenance::Modelled).unwrap();
            let to = Clock::new("b", Femtoseconds(to), Provenance::Modelled).unwrap();
            let sent = from.time_of(Cycle(cycle)).unwrap();
            let edge = to.cross(&from, Cycle(cycle)).unwrap();
            let arrives = to.time_of(edge).unwrap();
            prop_assert!(arrives >= sent);
            prop_assert!(arrives.0 - sent.0 < to.period().0);
            prop_assert_eq!(from.cross(&from, Cycle(cycle)).unwrap(), Cycle(cycle));
        }
    }
}
