//! Which calls are checked.
//!
//! The first call of every kernel is, once per run or once per device. Of the others a share is drawn:
//! a call is checked where a word made of the seed, the number of the run on this device and the number
//! of the call falls below the share. Nobody who writes a program knows the words of all runs, as they
//! change from run to run; who knows the seed repeats them.

use ringwright_arith::Choices;

/// What is checked of the runs of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checks {
    share: f64,
    once_per: OncePer,
    seed: u64,
}

/// How often the first call of a kernel is checked whatever is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OncePer {
    /// In every run.
    Run,
    /// In the first run of each program that the device has lowered.
    Device,
}

/// A share that is none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("share {given} of the calls to be checked; 0 to 1 allowed")]
pub struct ChecksError {
    given: f64,
}

impl Checks {
    /// `share`: how many of the calls whose kernel needs no check, 0 to 1.
    ///
    /// # Errors
    /// A share outside of that.
    pub fn new(share: f64, once_per: OncePer, seed: u64) -> Result<Self, ChecksError> {
        match (0.0..=1.0).contains(&share) {
            true => Ok(Checks {
                share,
                once_per,
                seed,
            }),
            false => Err(ChecksError { given: share }),
        }
    }

    /// How often the first call of a kernel is checked.
    pub fn once_per(&self) -> OncePer {
        self.once_per
    }

    /// Whether a call is among those that are drawn; both numbers count from 0.
    pub fn draws(&self, run: u64, call: u64) -> bool {
        let of_run = Choices::new(self.seed).word() ^ run;
        let of_call = Choices::new(of_run).word() ^ call;
        let word = Choices::new(of_call).word();
        // 53 bits, exactly, below 1.
        let drawn = (word >> 11) as f64 / (1_u64 << 53) as f64;
        drawn < self.share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(share: f64) -> Checks {
        Checks::new(share, OncePer::Run, 7).expect("a share")
    }

    #[test]
    fn a_share_of_the_calls_is_drawn_others_in_every_run() {
        const CALLS: u64 = 20_000;
        for share in [0.0, 0.01, 0.3, 1.0] {
            let drawn = |run| {
                (0..CALLS)
                    .filter(|&call| checks(share).draws(run, call))
                    .collect()
            };
            let (first, second): (Vec<u64>, Vec<u64>) = (drawn(0), drawn(1));
            let (found, expected) = (first.len() as f64, share * CALLS as f64);
            let deviation = (expected * (1.0 - share)).sqrt();
            assert!(
                (found - expected).abs() <= 5.0 * deviation,
                "{share}: {found}"
            );
            assert_eq!(first, drawn(0));
            assert_eq!(first == second, share == 0.0 || share == 1.0);
        }
    }

    #[test]
    fn the_same_call_is_drawn_in_some_run() {
        let runs = (0..2000).filter(|&run| checks(0.01).draws(run, 3)).count();
        assert!(runs > 0);
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for given in [-0.1, 1.5, f64::NAN, f64::INFINITY] {
            let error = Checks::new(given, OncePer::Run, 0).expect_err("refused");
            let text = error.to_string();
            assert!(text.contains("0 to 1 allowed"), "{text}");
        }
    }
}
