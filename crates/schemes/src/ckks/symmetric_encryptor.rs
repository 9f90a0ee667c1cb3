//! Encrypts with the secret key: less noise, and a ciphertext of half the bytes.

use super::encryptor::{check_headroom, fresh};
use super::lineage::Origin;
use super::{Ciphertext, Error, NoiseModel, Parameters, Plaintext};
use crate::rlwe::{self, check_ring, system_seed, SecretKey};
use crate::security::Insecure;
use ringwright_ring::Seed;
use ringwright_target::Device;
use std::sync::Arc;

/// Encrypts plaintexts of any level for who decrypts them too. Every encryption draws a fresh seed
/// from the operating system; the second part's seed is derived from it, and public
/// ([`Ciphertext::mask`]).
pub struct SymmetricEncryptor {
    parameters: Parameters,
    polynomials: rlwe::SymmetricEncryptor,
}

impl SymmetricEncryptor {
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
            polynomials: rlwe::SymmetricEncryptor::new(parameters, key, device)?,
        })
    }

    /// Encrypts at the plaintext's level.
    ///
    /// # Errors
    /// A plaintext of other parameters, no randomness, or a device that cannot run the program.
    pub fn encrypt(&self, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        self.run(plaintext, &system_seed()?, Origin::next())
    }

    /// Encrypts with the caller's own seed: the same ciphertext every time, and worthless as
    /// encryption once the seed was used before. For tests and vectors.
    ///
    /// # Errors
    /// As [`SymmetricEncryptor::encrypt`].
    pub fn encrypt_with_seed(
        &self,
        plaintext: &Plaintext,
        seed: [u8; 32],
        _: Insecure,
    ) -> Result<Ciphertext, Error> {
        let seed = Seed::from_bytes(seed);
        let origin = Origin::of_seed(&seed);
        self.run(plaintext, &seed, origin)
    }

    fn run(&self, plaintext: &Plaintext, seed: &Seed, origin: Origin) -> Result<Ciphertext, Error> {
        let parameters = &self.parameters;
        check_ring("plaintext", plaintext.parameters(), parameters)?;
        check_headroom(
            plaintext,
            NoiseModel::new(parameters).symmetric_encryption(),
        )?;
        let (parts, mask) = self.polynomials.encrypt(plaintext.poly(), seed)?;
        let (scale, max, rms) = (plaintext.scale(), plaintext.max(), plaintext.rms());
        let ty = parameters.fresh_symmetric_at(plaintext.level(), scale, max, rms);
        let identity = self.polynomials.key().identity();
        let encrypted = fresh(plaintext, parts.to_vec(), &ty, identity, origin)?;
        Ok(encrypted.with_mask(mask))
    }
}
