//! Decrypts with the secret key.

use super::lowered::{run_for, Lowered};
use super::residues::check_parameters;
use super::{programs, Ciphertext, Error, Parameters, Plaintext, SecretKey, Shared};
use ringwright_ir::Value;
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
    key: Arc<SecretKey>,
    lowered: Lowered<Shape>,
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
        device: Arc<dyn Device>,
    ) -> Result<Self, Error> {
        check_parameters("secret key", key.parameters(), parameters)?;
        Ok(Self {
            parameters: parameters.clone(),
            key,
            lowered: Lowered::new(device),
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
        let seed = shared.seed(&self.key)?;
        self.run(&shared.ciphertext, Some((shared.flooding().bits, seed)))
    }

    fn run(&self, ciphertext: &Ciphertext, flood: Option<(u8, Seed)>) -> Result<Plaintext, Error> {
        check_parameters("ciphertext", ciphertext.parameters(), &self.parameters)?;
        let key = self.key.identity();
        ciphertext.identity().check("the ciphertext", key)?;
        let (level, parts) = (ciphertext.level(), ciphertext.parts().len());
        let (flood, seed) = flood.unzip();
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
        inputs.extend(seed.map(|seed| Value::Seed(Arc::new(seed))));
        let [poly] = run_for(&*kernel, &inputs)?;
        let (scale, max, rms) = (ciphertext.scale(), ciphertext.max(), ciphertext.rms());
        Plaintext::new(&self.parameters, poly, scale, max, rms)
    }
}
