//! Encrypts with the public key.

use super::lineage::Origin;
use super::message_fit::NOISE_MARGIN;
use super::{Ciphertext, Error, Estimate, Length, Lineage, NoiseModel, Parameters, Plaintext};
use crate::rlwe::{self, check_ring, system_seed, Identity, PublicKey};
use crate::security::Insecure;
use ringwright_arith::{crt, Crt, Modulus};
use ringwright_ring::{RnsPoly, Seed};
use ringwright_target::Device;
use std::sync::Arc;

/// Encrypts plaintexts of any level. Programs are cached, randomness is not: every encryption
/// draws a fresh seed from the operating system.
pub struct Encryptor {
    parameters: Parameters,
    polynomials: rlwe::Encryptor,
}

impl Encryptor {
    /// For one public key.
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn new(
        parameters: &Parameters,
        key: PublicKey,
        device: Arc<dyn Device>,
    ) -> Result<Self, Error> {
        Ok(Self {
            parameters: parameters.clone(),
            polynomials: rlwe::Encryptor::new(parameters, key, device)?,
        })
    }

    /// Encrypts at the plaintext's level.
    ///
    /// # Errors
    /// A plaintext of other parameters, no randomness, or a device that cannot run the program.
    pub fn encrypt(&self, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        self.run_of(plaintext, system_seed()?, Origin::next())
    }

    /// Encrypts what `encode` gives, a plaintext of this level; a device of several threads draws
    /// noise meanwhile.
    ///
    /// # Errors
    /// That of `encode`, and as [`Encryptor::encrypt`].
    pub fn encrypt_encoded(
        &self,
        level: usize,
        encode: impl FnOnce() -> Result<Plaintext, Error> + Send,
    ) -> Result<Ciphertext, Error> {
        self.run(level, encode, system_seed()?, Origin::next())
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
        let seed = Seed::from_bytes(seed);
        let origin = Origin::of_seed(&seed);
        self.run_of(plaintext, seed, origin)
    }

    fn run_of(
        &self,
        plaintext: &Plaintext,
        seed: Seed,
        origin: Origin,
    ) -> Result<Ciphertext, Error> {
        check_ring("plaintext", plaintext.parameters(), &self.parameters)?;
        let encoded = || Ok(plaintext.clone());
        self.run(plaintext.level(), encoded, seed, origin)
    }

    fn run(
        &self,
        level: usize,
        encode: impl FnOnce() -> Result<Plaintext, Error> + Send,
        seed: Seed,
        origin: Origin,
    ) -> Result<Ciphertext, Error> {
        let mut encoded = None;
        let make = || {
            let plaintext = encode()?;
            check_ring("plaintext", plaintext.parameters(), &self.parameters)?;
            check_headroom(&plaintext, NoiseModel::new(&self.parameters).encryption())?;
            Ok::<_, Error>(encoded.insert(plaintext).poly().clone())
        };
        let parts = self.polynomials.encrypt(level, make, seed)?;
        let Some(plaintext) = encoded else {
            let what = "a device encrypted without the message";
            return Err(Error::Internal(what.into()));
        };
        let (scale, max, rms) = (plaintext.scale(), plaintext.max(), plaintext.rms());
        let ty = self.parameters.fresh_at(level, scale, max, rms);
        let identity = self.polynomials.key().identity();
        fresh(&plaintext, parts, &ty, identity, origin)
    }
}

/// What was encrypted, with what is known of it.
pub(super) fn fresh(
    plaintext: &Plaintext,
    parts: Vec<Arc<RnsPoly>>,
    ty: &Estimate,
    identity: Identity,
    origin: Origin,
) -> Result<Ciphertext, Error> {
    // Bounds that nobody checked may be wrong, and with them what is predicted of any product.
    let lineage = match plaintext.encoded() {
        Some(_) => Lineage::fresh(origin, ty.peak),
        None => Lineage::unknown(),
    };
    let parameters = plaintext.parameters();
    let encrypted = Ciphertext::from_run(parameters, parts, ty, identity, lineage);
    encrypted.with_length(Length {
        numbers: plaintext.length().max(1),
        zeros_beyond: true,
    })
}

/// Refuses a message that the error of encryption may take beyond half the modulus.
pub(super) fn check_headroom(plaintext: &Plaintext, noise: f64) -> Result<(), Error> {
    let (parameters, level) = (plaintext.parameters(), plaintext.level());
    let moduli = parameters.q()[..level].iter();
    let moduli: Result<Vec<_>, _> = moduli.map(|&q| Modulus::new(q)).collect();
    let moduli = moduli.map_err(|error| Error::Internal(error.to_string()))?;
    let largest = match plaintext.encoded() {
        Some(encoded) => encoded.coefficient,
        None => largest_coefficient(plaintext)?,
    };
    let needed = largest + NOISE_MARGIN * noise;
    if crt::is_centred(needed, &moduli) {
        return Ok(());
    }
    Err(Error::Overflow {
        what: "the message with the error of its encryption".to_string(),
        max: largest / plaintext.scale(),
        log_scale: plaintext.scale().log2(),
        needed: needed.log2() + 1.0,
        available: parameters.log_q(level),
        level,
    })
}

/// Of a message whose encoding was not seen.
fn largest_coefficient(plaintext: &Plaintext) -> Result<f64, Error> {
    let (poly, level) = (plaintext.poly(), plaintext.level());
    let crt = Crt::new(&plaintext.parameters().q()[..level]);
    let crt = crt.map_err(|error| Error::Internal(error.to_string()))?;
    let mut residues = vec![0; level];
    let mut largest = 0f64;
    for index in 0..poly.n() {
        for (tower, residue) in residues.iter_mut().enumerate() {
            *residue = poly.tower(tower)[index];
        }
        largest = largest.max(crt.centred_f64(&residues).abs());
    }
    Ok(largest)
}
