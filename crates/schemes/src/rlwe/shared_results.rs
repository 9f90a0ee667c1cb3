//! What has been shared under a key: counted before anything leaves, saved with the key.
//!
//! Every result spends a part of the advantage that an observer may have. A result that was shared
//! before gives the same values again and spends nothing. The sum of what was spent never exceeds what
//! the request at hand allows; so a key that has served weaker promises cannot serve stronger ones.

use super::Error;
use std::sync::{Mutex, PoisonError};

/// Rounding of a sum of `queries` equal parts.
const ROUNDING: f64 = 1.0 + 1e-9;

/// One result that was shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SharedResult {
    /// Digest of the ciphertext, the record and the flood.
    pub result: [u8; 32],
    /// Digest of the record it was shared against.
    pub record: [u8; 32],
    /// What was promised.
    pub statistical_bits: u32,
    /// Of how many results it was to be one.
    pub queries: u32,
}

impl SharedResult {
    fn advantage(&self) -> f64 {
        advantage(self.statistical_bits)
    }

    /// What it adds to the advantage that all results together may give.
    fn distance(&self) -> f64 {
        self.advantage() / f64::from(self.queries)
    }
}

/// With which advantage results may be told from others that say nothing of the key, at so many
/// statistical bits.
pub(crate) fn advantage(statistical_bits: u32) -> f64 {
    (-f64::from(statistical_bits) / 2.0).exp2()
}

/// All results that were shared under one key.
#[derive(Debug, Default)]
pub(crate) struct SharedResults(Mutex<Vec<SharedResult>>);

impl SharedResults {
    pub fn all(&self) -> Vec<SharedResult> {
        self.lock().clone()
    }

    /// Adds what another copy of the key has shared.
    pub fn learn(&self, others: &[SharedResult]) {
        let mut known = self.lock();
        for other in others {
            if !known.contains(other) {
                known.push(*other);
            }
        }
    }

    pub fn contains(&self, result: &SharedResult) -> bool {
        self.lock().contains(result)
    }

    /// Counts a result; one that was counted before costs nothing.
    pub fn spend(&self, new: SharedResult, of_record: u32) -> Result<(), Error> {
        let mut known = self.lock();
        if known.contains(&new) {
            return Ok(());
        }
        let same_record = known.iter().filter(|old| old.record == new.record).count();
        if same_record >= of_record as usize {
            return Err(Error::SharingBudget {
                what: format!("{same_record} results were shared against this record"),
                allowed: format!("{of_record}; `expect` was told how many"),
            });
        }
        let spent: f64 = known.iter().map(|old| old.distance()).sum();
        if spent + new.distance() > new.advantage() * ROUNDING {
            return Err(Error::SharingBudget {
                what: format!("{} results were shared under this key", known.len()),
                allowed: format!(
                    "an advantage of 2^-{} over {} queries, of which {:.1} % is spent; draw another \
                     key, or promise less",
                    f64::from(new.statistical_bits) / 2.0,
                    new.queries,
                    100.0 * spent / new.advantage()
                ),
            });
        }
        known.push(new);
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<SharedResult>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(number: u8, record: u8, statistical_bits: u32, queries: u32) -> SharedResult {
        SharedResult {
            result: [number; 32],
            record: [record; 32],
            statistical_bits,
            queries,
        }
    }

    #[test]
    fn so_many_queries_and_no_more() {
        for queries in [1, 3, 7, 100] {
            let ledger = SharedResults::default();
            for number in 0..queries as u8 {
                let new = result(number, number, 30, queries);
                ledger.spend(new, 1).unwrap();
                ledger.spend(new, 1).unwrap();
            }
            let refused = ledger.spend(result(200, 200, 30, queries), 1).unwrap_err();
            let words = format!("{queries} results were shared under this key");
            assert!(refused.to_string().contains(&words), "{refused}");
            assert_eq!(ledger.all().len(), queries as usize);
        }
    }

    #[test]
    fn a_stronger_promise_counts_what_weaker_ones_spent() {
        let ledger = SharedResults::default();
        ledger.spend(result(0, 0, 30, 4), 1).unwrap();
        assert!(ledger.spend(result(1, 1, 40, 4), 1).is_err());
        assert!(ledger.spend(result(2, 2, 30, 4), 1).is_ok());
        // A weaker one has room left.
        assert!(ledger.spend(result(3, 3, 20, 4), 1).is_ok());
    }

    #[test]
    fn a_record_is_for_as_many_results_as_it_says() {
        let ledger = SharedResults::default();
        ledger.spend(result(0, 9, 30, 100), 2).unwrap();
        ledger.spend(result(1, 9, 30, 100), 2).unwrap();
        let refused = ledger.spend(result(2, 9, 30, 100), 2).unwrap_err();
        assert!(refused.to_string().contains("against this record"));
    }
}
