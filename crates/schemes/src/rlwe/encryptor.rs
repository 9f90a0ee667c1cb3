//! Encrypts encoded polynomials with the public key.

use super::lowered::{polys, Lowered};
use super::residues::{check_level, check_ring};
use super::{programs, Error, PublicKey, Ring};
use ringwright_ir::{RunError, Value};
use ringwright_ring::{RnsPoly, Seed};
use ringwright_target::{Device, Late};
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

    /// Both parts of an encryption of the message that `make` gives (coefficient form, `level` towers)
    /// with the randomness of `seed`, which serves nothing else. Noise needs no message, so a
    /// device of several threads draws it while the message is made.
    ///
    /// # Errors
    /// That of `make`, a level the ring does not have or the message is not of, or a device that
    /// cannot run the program.
    pub fn encrypt<E: From<Error> + Send>(
        &self,
        level: usize,
        make: impl FnOnce() -> Result<Arc<RnsPoly>, E> + Send,
        seed: Seed,
    ) -> Result<Vec<Arc<RnsPoly>>, E> {
        check_level(&self.ring, level)?;
        let program = || programs::encrypt(&self.ring, level);
        let kernel = self.lowered.get(level, program)?;
        let inputs = [
            Value::Poly(self.key.b().clone()),
            Value::Poly(self.key.a().clone()),
            Value::Seed(Arc::new(seed)),
        ];
        let mut failed = None;
        let made = || {
            make().map(Value::Poly).map_err(|error| {
                failed = Some(error);
                RunError::Invalid("no message".into())
            })
        };
        let late = Late {
            index: 0,
            make: Box::new(made),
        };
        let ran = kernel.run_late(&inputs, late);
        match failed {
            Some(error) => Err(error),
            None => Ok(polys(ran.map_err(Error::from)?)?),
        }
    }
}
