//! Where a number comes from, and which of two is the less certain.

use std::fmt;
use std::str::FromStr;

/// How a number was obtained; printed beside every one. The order is from the most to the least
/// certain: what happened here, what hardware that can be built does, what a model in lockstep with
/// it does, what others print, what follows from their prints, and what somebody assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provenance {
    /// Wall clock on this machine.
    Measured,
    /// Counted in a simulation of the RTL.
    Rtl,
    /// Reported by a synthesis tool.
    Synthesised,
    /// Cycle model of hardware that exists as RTL.
    Simulated,
    /// Printed in a paper.
    Published,
    /// Fitted to published totals, with residuals.
    Fitted,
    /// Computed from declared constants; no RTL stands behind it.
    Modelled,
}

impl Provenance {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Measured,
        Self::Rtl,
        Self::Synthesised,
        Self::Simulated,
        Self::Published,
        Self::Fitted,
        Self::Modelled,
    ];

    /// The one word for a number that is made of several: a sum is as good as its worst part.
    /// `None` for nothing.
    pub fn least_certain(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        parts.into_iter().max()
    }

    /// The word used in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Rtl => "rtl",
            Self::Simulated => "simulated",
            Self::Modelled => "modelled",
            Self::Fitted => "fitted",
            Self::Published => "published",
            Self::Synthesised => "synthesised",
        }
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is no provenance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no provenance is called {given:?}; known: {}", Provenance::ALL.map(Provenance::as_str).join(", "))]
pub struct UnknownProvenance {
    /// The word.
    pub given: String,
}

impl FromStr for Provenance {
    type Err = UnknownProvenance;

    fn from_str(given: &str) -> Result<Self, UnknownProvenance> {
        Self::ALL
            .into_iter()
            .find(|provenance| provenance.as_str() == given)
            .ok_or_else(|| UnknownProvenance {
                given: given.to_string(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_as_good_as_its_worst_part() {
        use Provenance::{Fitted, Measured, Modelled, Rtl, Simulated};
        assert_eq!(Provenance::least_certain([]), None);
        let of = |parts: &[Provenance]| Provenance::least_certain(parts.iter().copied());
        assert_eq!(of(&[Rtl, Fitted, Measured]), Some(Fitted));
        assert_eq!(of(&[Modelled, Simulated]), Some(Modelled));
        assert!(Provenance::ALL.is_sorted());
    }

    #[test]
    fn every_word_reads_back() {
        for provenance in Provenance::ALL {
            assert_eq!(provenance.to_string().parse(), Ok(provenance));
        }
        let message = "guessed".parse::<Provenance>().unwrap_err().to_string();
        assert!(
            message.contains("\"guessed\"") && message.contains("measured, rtl"),
            "{message}"
        );
    }
}
