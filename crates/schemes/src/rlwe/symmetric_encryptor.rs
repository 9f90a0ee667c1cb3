//! Encrypts encoded polynomials with the secret key: one product instead of two, one error that no key
//! multiplies, and half of the ciphertext is a public seed.

use super::lowered::{run_for, Lowered};
use super::residues::{check_level, check_ring};
use super::towers::ciphertext_towers;
use super::{programs, Error, PublicSeed, Ring, SecretKey};
use ringwright_ir::Value;
use ringwright_ring::{RnsPoly, Seed};
use ringwright_target::Device;
use std::sync::Arc;

/// Encrypts polynomials of any level. Programs are cached, randomness is not: whoever encrypts
/// brings a fresh seed each time.
pub struct SymmetricEncryptor {
    ring: Ring,
    key: Arc<SecretKey>,
    lowered: Lowered<usize>,
}

impl SymmetricEncryptor {
    /// For one secret key.
    ///
    /// # Errors
    /// A key of another ring.
    pub fn new(ring: &Ring, key: Arc<SecretKey>, device: Arc<dyn Device>) -> Result<Self, Error> {
        check_ring("secret key", key.ring(), ring)?;
        Ok(Self {
            ring: ring.clone(),
            key,
            lowered: Lowered::new(device),
        })
    }

    /// The key that it encrypts with.
    pub fn key(&self) -> &SecretKey {
        &self.key
    }

    /// Both parts of an encryption of `message` (coefficient form, as many towers as its level), and
    /// the public seed of the second. The randomness is that of `seed`, which serves nothing else
    /// and stays secret.
    ///
    /// # Errors
    /// A level the ring does not have, or a device that cannot run the program.
    pub fn encrypt(
        &self,
        message: &Arc<RnsPoly>,
        seed: &Seed,
    ) -> Result<([Arc<RnsPoly>; 2], PublicSeed), Error> {
        let level = message.towers();
        check_level(&self.ring, level)?;
        let kernel = self
            .lowered
            .get(level, || programs::encrypt_symmetric(&self.ring, level))?;
        let mask = PublicSeed::derived(seed, MASK, b"");
        let inputs = [
            Value::Poly(message.clone()),
            Value::Poly(self.key.towers().clone()),
            Value::Seed(Arc::new(seed.derive("error of an encryption", b""))),
            mask.value(),
        ];
        Ok((run_for(&*kernel, &inputs)?, mask))
    }
}

/// What the public seed is derived for.
const MASK: &str = "mask of an encryption";

impl PublicSeed {
    /// The second part of a ciphertext that was encrypted at this level, evaluation form.
    ///
    /// # Errors
    /// A level the ring does not have.
    pub fn ciphertext_mask(&self, ring: &Ring, level: usize) -> Result<RnsPoly, Error> {
        check_level(ring, level)?;
        self.uniform(
            ring,
            &ciphertext_towers(level),
            &programs::symmetric_mask(ring),
        )
    }
}
