//! Where a number comes from.

use std::fmt;
use std::str::FromStr;

/// How a number was obtained; printed beside every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provenance {
    /// Wall clock on this machine.
    Measured,
    /// Counted in a simulation of the RTL.
    Rtl,
    /// Cycle model.
    Simulated,
    /// Analytical model.
    Modelled,
    /// Fitted to published totals, with residuals.
    Fitted,
    /// Printed in a paper.
    Published,
    /// Reported by a synthesis tool.
    Synthesised,
}

impl Provenance {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Measured,
        Self::Rtl,
        Self::Simulated,
        Self::Modelled,
        Self::Fitted,
        Self::Published,
        Self::Synthesised,
    ];

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
