//! Decrypts with the secret key.

use super::{Ciphertext, Error, Parameters, Plaintext, Shared};
use crate::rlwe::{self, check_ring, SecretKey};
use ringwright_ring::Seed;
use ringwright_target::Device;
use std::sync::Arc;

/// Decrypts ciphertexts of any level and of two or three parts.
///
/// CKKS is IND-CPA secure only: an exact decryption tells about the error and so about the secret
/// (Li, Micciancio, EUROCRYPT 2021). A result that leaves the key holder goes through
/// [`super::Shared`] and [`Decryptor::release`].
pub struct Decryptor {
    parameters: Parameters,
    polynomials: rlwe::Decryptor,
}

impl Decryptor {
    /// For one secret key.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn new(
        parameters: &Parameters,
        key: Arc<SecretKey>,
        device: Arc<dyn Device>,
    ) -> Result<Self, Error> {
        Ok(Self {
            parameters: parameters.clone(),
            polynomials: rlwe::Decryptor::new(parameters, key, device)?,
        })
    }

    /// The message with its error: for the key holder only.
    ///
    /// # Errors
    /// A ciphertext of other parameters, or a device that cannot run the program.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Plaintext, Error> {
        self.run(ciphertext, None)
    }

    /// The message under flooding noise, which may leave the key holder; the same every time.
    ///
    /// # Errors
    /// A result that was not counted, and as [`Decryptor::decrypt`].
    pub fn release(&self, shared: &Shared) -> Result<Plaintext, Error> {
        let seed = shared.seed(self.polynomials.key())?;
        self.run(&shared.ciphertext, Some((shared.flooding().bits, seed)))
    }

    fn run(&self, ciphertext: &Ciphertext, flood: Option<(u8, Seed)>) -> Result<Plaintext, Error> {
        check_ring("ciphertext", ciphertext.parameters(), &self.parameters)?;
        let key = self.polynomials.key().identity();
        ciphertext.identity().check("the ciphertext", key)?;
        let poly = self.polynomials.decrypt(ciphertext.parts(), flood)?;
        let (scale, max, rms) = (ciphertext.scale(), ciphertext.max(), ciphertext.rms());
        Plaintext::new(&self.parameters, poly, scale, max, rms)
    }
}
