//! One result on its way out: checked and sized, then counted, then decrypted.

use super::expected::{digest, Expected};
use crate::ckks::{Ciphertext, Error, Flooding, Sharing};
use crate::rlwe::{SecretKey, SharedResult};
use ringwright_ring::Seed;
use sha3::{Digest, Sha3_256};

/// A ciphertext that fits what was expected, with the flood for it. Nothing has been decrypted.
#[derive(Debug)]
pub struct Shared {
    pub(in crate::ckks) ciphertext: Ciphertext,
    flooding: Flooding,
    entry: SharedResult,
    of_record: u32,
}

impl Shared {
    /// Compares a ciphertext with what was expected of result `index`, and sizes the flood from what
    /// was predicted: nothing that the ciphertext says of itself decides.
    ///
    /// # Errors
    /// A record that the key did not make; a ciphertext of other parameters, another key, level, scale
    /// or number of parts than expected; no room for the flood.
    pub fn new(
        key: &SecretKey,
        ciphertext: &Ciphertext,
        expected: &Expected,
        index: usize,
        sharing: Sharing,
    ) -> Result<Self, Error> {
        expected.check(key)?;
        let results = &expected.parts().results;
        let Some(ty) = results.get(index) else {
            return refuse("the result", index, format!("0 to {}", results.len() - 1));
        };
        ciphertext
            .identity()
            .check("the ciphertext", key.identity())?;
        if ciphertext.parameters() != expected.parameters() {
            let expected = expected.parameters().name().to_string();
            return refuse("parameters", ciphertext.parameters().name(), expected);
        }
        let given = ciphertext.ty();
        if given.level != ty.level {
            return refuse("level", given.level, ty.level.to_string());
        }
        if given.parts != ty.parts {
            return refuse("parts", given.parts, ty.parts.to_string());
        }
        if given.scale != ty.scale {
            let bits = |scale: f64| format!("2^{:.9}", scale.log2());
            return refuse("scale", bits(given.scale), bits(ty.scale));
        }
        let flooding = Flooding::size(expected.parameters(), ty, sharing)?;
        let record = expected.digest();
        let entry = SharedResult {
            result: result_digest(ciphertext, &record, index, flooding.bits),
            record,
            statistical_bits: sharing.statistical_bits,
            queries: sharing.queries,
        };
        Ok(Self {
            ciphertext: ciphertext.clone(),
            flooding,
            entry,
            of_record: expected.parts().queries,
        })
    }

    /// What it adds.
    pub fn flooding(&self) -> Flooding {
        self.flooding
    }

    /// Counts it, in the key's memory: save the key before the result leaves.
    ///
    /// # Errors
    /// [`crate::rlwe::Error::SharingBudget`] at the end of the record's or of the key's budget.
    pub fn count(&self, key: &SecretKey) -> Result<(), Error> {
        Ok(key.shared_results().spend(self.entry, self.of_record)?)
    }

    /// The flood's seed: of this key, ciphertext and record, so that asking again averages nothing
    /// away.
    pub(in crate::ckks) fn seed(&self, key: &SecretKey) -> Result<Seed, Error> {
        match key.shared_results().contains(&self.entry) {
            true => Ok(key.derive("flood", &self.entry.result)?),
            false => Err(Error::Internal("shared before it was counted".to_string())),
        }
    }
}

fn result_digest(ciphertext: &Ciphertext, record: &[u8; 32], index: usize, bits: u8) -> [u8; 32] {
    let mut hash = Sha3_256::new();
    hash.update(b"ringwright shared 1");
    hash.update(digest(ciphertext));
    hash.update(record);
    hash.update((index as u64).to_le_bytes());
    hash.update([bits]);
    hash.finalize().into()
}

fn refuse<T>(what: &str, given: impl ToString, expected: String) -> Result<T, Error> {
    Err(Error::NotExpected {
        what: format!("{what} of what is to be shared"),
        given: given.to_string(),
        expected,
    })
}
