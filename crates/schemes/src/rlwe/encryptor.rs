//! Encrypts encoded polynomials with the public key.

use super::lowered::{run, Lowered};
use super::residues::{check_level, check_ring};
use super::{programs, Error, PublicKey, Ring};
use ringwright_ir::Value;
use ringwright_ring::{RnsPoly, Seed};
use ringwright_target::Device;
use std::sync::Arc;

/// Encrypts polynomials of any level. Programs are cached, randomness is not: whoever encrypts
/// brings a fresh seed each time.
pub struct Encryptor {
    ring: Ring,
    key: PublicKey,
    lowered: Lowered<usize>,
}

impl Encryptor {
    /// For one public key.
    ///
    /// # Errors
    /// A key of another ring.
    pub fn new(ring: &Ring, key: PublicKey, device: Arc<dyn Device>) -> Result<Self, Error> {
        check_ring("public key", key.ring(), ring)?;
        Ok(Self {
            ring: ring.clone(),
            key,
            lowered: Lowered::new(device),
        })
    }

    /// The key that it encrypts with.
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// Both parts of an encryption of `message` (coefficient form, as many towers as its level) with
    /// the randomness of `seed`, which serves nothing else.
    ///
    /// # Errors
    /// A level the ring does not have, or a device that cannot run the program.
    pub fn encrypt(&self, message: &Arc<RnsPoly>, seed: Seed) -> Result<Vec<Arc<RnsPoly>>, Error> {
        let level = message.towers();
        check_level(&self.ring, level)?;
        let kernel = self
            .lowered
            .get(level, || programs::encrypt(&self.ring, level))?;
        let inputs = [
            Value::Poly(message.clone()),
            Value::Poly(self.key.b().clone()),
            Value::Poly(self.key.a().clone()),
            Value::Seed(Arc::new(seed)),
        ];
        run(&*kernel, &inputs)
    }
}
