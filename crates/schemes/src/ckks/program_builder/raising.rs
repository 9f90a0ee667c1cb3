//! More towers for a ciphertext that has none left: what bootstrapping begins with.

use super::ProgramBuilder;
use crate::ckks::client_only::require_special_primes;
use crate::ckks::Error;
use crate::rlwe;
use ringwright_ir::he::{HeOpKind, SecretId};
use ringwright_ir::ring::ValueId;

impl ProgramBuilder {
    /// The same value and multiples of the first prime, under `level` towers: it goes to a sparse secret of
    /// `weight` coefficients, so that the multiples are small, is raised, and comes back (Bossuat,
    /// Troncoso-Pastoriza, Hubaux, "Bootstrapping for Approximate Homomorphic Encryption with Negligible
    /// Failure-Probability by Using Sparse-Secret Encapsulation", ACNS 2022). The multiples are integers, one
    /// for every coefficient, and part of the message from there on.
    ///
    /// # Errors
    /// No special primes; a weight of 0 or from 2^15 on, or one that the security table has no row for; an
    /// operand of three parts, or whose message does not fit the first prime; a level that there is not.
    pub fn raise(&mut self, a: ValueId, weight: u16, level: u16) -> Result<ValueId, Error> {
        require_special_primes(self.parameters(), "raise")?;
        self.require_parts("raise", a, 2, "2; relinearise first")?;
        let levels = self.parameters().levels();
        if !(2..=levels).contains(&usize::from(level)) {
            let what = format!("raise to level {level}; allowed: 2 to {levels}");
            return Err(Error::Program { what });
        }
        let sparse = SecretId::sparse(weight).ok_or_else(|| Error::Program {
            what: format!("a sparse secret of weight {weight}; allowed: 1 to 32767"),
        })?;
        let sound = self.parameters().check_encapsulated(weight);
        sound.map_err(rlwe::Error::from)?;
        let main = SecretId::MAIN;
        let last = self.drop_level(a, 1)?;
        let there = HeOpKind::SwitchKey {
            from: main,
            to: sparse,
        };
        let back = HeOpKind::SwitchKey {
            from: sparse,
            to: main,
        };
        let low = self.push(there, &[last])?;
        let high = self.push(HeOpKind::Raise { level }, &[low])?;
        self.push(back, &[high])
    }
}
