//! Encrypts with the public key.

use super::lowered::{run, Lowered};
use super::residues::check_parameters;
use super::{programs, seeds, Ciphertext, Error, Parameters, Plaintext, PublicKey};
use crate::security::Insecure;
use ringwright_ir::{Backend, Value};
use ringwright_ring::Seed;
use std::sync::Arc;

/// Encrypts plaintexts of any level. Programs are cached, randomness is not: every encryption
/// draws a fresh seed from the operating system.
pub struct Encryptor {
    parameters: Parameters,
    key: PublicKey,
    lowered: Lowered<usize>,
}

impl Encryptor {
    /// For one public key.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn new(
        parameters: &Parameters,
        key: PublicKey,
        backend: Arc<dyn Backend>,
    ) -> Result<Self, Error> {
        check_parameters("public key", key.parameters(), parameters)?;
        Ok(Self {
            parameters: parameters.clone(),
            key,
            lowered: Lowered::new(backend),
        })
    }

    /// Encrypts at the plaintext's level.
    ///
    /// # Errors
    /// A plaintext of other parameters, no randomness, or a backend that cannot run the program.
    pub fn encrypt(&self, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        self.run(plaintext, seeds::system()?)
    }

    /// Encrypts with the caller's own seed: the same ciphertext every time, and worthless as
    /// encryption once the seed was used before. For tests and vectors.
    ///
    /// # Errors
    /// As [`Encryptor::encrypt`].
    pub fn encrypt_with_seed(
        &self,
        plaintext: &Plaintext,
        seed: [u8; 32],
        _: Insecure,
    ) -> Result<Ciphertext, Error> {
        self.run(plaintext, Arc::new(Seed::from_bytes(seed)))
    }

    fn run(&self, plaintext: &Plaintext, seed: Arc<Seed>) -> Result<Ciphertext, Error> {
        check_parameters("plaintext", plaintext.parameters(), &self.parameters)?;
        let level = plaintext.level();
        let kernel = self
            .lowered
            .get(level, || programs::encrypt(&self.parameters, level))?;
        let inputs = [
            Value::Poly(plaintext.poly().clone()),
            Value::Poly(self.key.b().clone()),
            Value::Poly(self.key.a().clone()),
            Value::Seed(seed),
        ];
        let parts = run(&*kernel, &inputs)?;
        let (scale, max, rms) = (plaintext.scale(), plaintext.max(), plaintext.rms());
        let ty = self.parameters.fresh_at(level, scale, max, rms);
        Ok(Ciphertext::from_run(&self.parameters, parts, &ty))
    }
}
