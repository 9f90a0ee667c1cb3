//! Decrypts with the secret key.

use super::flood::{Flooding, Share};
use super::lowered::{run_for, Lowered};
use super::residues::check_parameters;
use super::seeds::SeedSource;
use super::{programs, Ciphertext, Error, Parameters, Plaintext, SecretKey};
use crate::security::Insecure;
use ringwright_ir::{Backend, Value};
use std::sync::Arc;

/// Decrypts ciphertexts of any level and of two or three parts.
///
/// CKKS is IND-CPA secure only: an exact decryption tells about the error and so about the secret
/// (Li, Micciancio, EUROCRYPT 2021). A result that leaves the key holder goes through
/// [`Decryptor::decrypt_share`].
pub struct Decryptor {
    parameters: Parameters,
    key: Arc<SecretKey>,
    lowered: Lowered<Shape>,
    seeds: SeedSource,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    level: usize,
    parts: usize,
    flood: Option<u8>,
}

impl Decryptor {
    /// For one secret key.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn new(
        parameters: &Parameters,
        key: Arc<SecretKey>,
        backend: Arc<dyn Backend>,
    ) -> Result<Self, Error> {
        Self::with_seeds(parameters, key, backend, SeedSource::System)
    }

    /// Flooding noise follows from the caller's seed: no protection. For tests and vectors.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn with_insecure_seed(
        parameters: &Parameters,
        key: Arc<SecretKey>,
        backend: Arc<dyn Backend>,
        seed: [u8; 32],
        insecure: Insecure,
    ) -> Result<Self, Error> {
        Self::with_seeds(parameters, key, backend, SeedSource::fixed(seed, insecure))
    }

    fn with_seeds(
        parameters: &Parameters,
        key: Arc<SecretKey>,
        backend: Arc<dyn Backend>,
        seeds: SeedSource,
    ) -> Result<Self, Error> {
        check_parameters("secret key", key.parameters(), parameters)?;
        Ok(Self {
            parameters: parameters.clone(),
            key,
            lowered: Lowered::new(backend),
            seeds,
        })
    }

    /// The message with its error: for the key holder only.
    ///
    /// # Errors
    /// A ciphertext of other parameters, or a backend that cannot run the program.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Plaintext, Error> {
        self.run(ciphertext, None)
    }

    /// The message under flooding noise: may leave the key holder. Returns what was added, too.
    ///
    /// # Errors
    /// [`Error::NoRoomToShare`] when the noise would bury the message, and as
    /// [`Decryptor::decrypt`].
    pub fn decrypt_share(
        &self,
        ciphertext: &Ciphertext,
        share: Share,
    ) -> Result<(Plaintext, Flooding), Error> {
        let flooding = Flooding::size(ciphertext, share)?;
        let plaintext = self.run(ciphertext, Some(flooding.bits))?;
        Ok((plaintext, flooding))
    }

    fn run(&self, ciphertext: &Ciphertext, flood: Option<u8>) -> Result<Plaintext, Error> {
        check_parameters("ciphertext", ciphertext.parameters(), &self.parameters)?;
        let (level, parts) = (ciphertext.level(), ciphertext.parts().len());
        let kernel = self.lowered.get(
            Shape {
                level,
                parts,
                flood,
            },
            || match flood {
                None => programs::decrypt(&self.parameters, level, parts),
                Some(bits) => programs::decrypt_share(&self.parameters, level, parts, bits),
            },
        )?;
        let mut inputs: Vec<Value> = ciphertext
            .parts()
            .iter()
            .cloned()
            .map(Value::Poly)
            .collect();
        inputs.push(Value::Poly(self.key.towers().clone()));
        if flood.is_some() {
            inputs.push(Value::Seed(self.seeds.next()?));
        }
        let [poly] = run_for(&*kernel, &inputs)?;
        let (scale, max, rms) = (ciphertext.scale(), ciphertext.max(), ciphertext.rms());
        Plaintext::new(&self.parameters, poly, scale, max, rms)
    }
}
