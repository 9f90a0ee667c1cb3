//! Ciphertexts.

use super::message_fit::check_fit;
use super::plaintext::{check_message_scale, ROUNDED};
use super::{Error, Estimate, Lineage, NoiseModel, Parameters};
use crate::rlwe::{self, check_poly, Identity, PublicSeed};
use ringwright_ir::he::SecretId;
use ringwright_ring::RnsPoly;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Polynomials a ciphertext may have: 3 after a multiplication without relinearisation.
pub const PARTS: RangeInclusive<usize> = 2..=3;

/// An encrypted vector: polynomials in evaluation form under the first `level` primes, and what
/// is publicly known of the message: scale, magnitude and predicted noise.
///
/// The message is Σ part_i·s^i modulo Q. All else comes from whoever built it, and anybody may have
/// written what was read: no security decision takes a word of it (see [`super::Sharing`]).
#[derive(Clone, Debug)]
pub struct Ciphertext {
    parameters: Parameters,
    parts: Vec<Arc<RnsPoly>>,
    scale: f64,
    max: f64,
    rms: f64,
    noise: f64,
    peak: f64,
    identity: Identity,
    length: Length,
    lineage: Lineage,
    mask: Option<PublicSeed>,
}

/// How many numbers a vector has, from its first slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Slots that count.
    pub numbers: usize,
    /// Whether the slots after them are zero; else they hold whatever was left there.
    pub zeros_beyond: bool,
}

impl Ciphertext {
    /// From words in evaluation form; the type says the rest.
    ///
    /// # Errors
    /// Degree, towers, parts or words that do not belong to the parameters or the type; a scale below
    /// 1, magnitudes or noise that cannot be or do not fit the modulus; a message that is not
    /// encrypted at all ([`Error::Transparent`]).
    pub fn new(
        parameters: &Parameters,
        parts: Vec<Arc<RnsPoly>>,
        ty: &Estimate,
    ) -> Result<Self, Error> {
        let shape = |given: String, expected: String| {
            Err(Error::Shape {
                what: "ciphertext".into(),
                given,
                expected,
            })
        };
        if !PARTS.contains(&parts.len()) || parts.len() != usize::from(ty.parts) {
            let allowed = format!("{} (its type), 2 or 3", ty.parts);
            return shape(format!("{} parts", parts.len()), allowed);
        }
        for part in &parts {
            check_poly(
                "ciphertext",
                part,
                parameters,
                parameters.q(),
                usize::from(ty.level),
            )?;
        }
        check_message_scale(ty.scale)?;
        if let Some(wrong) = [ty.max, ty.rms, ty.noise, ty.peak]
            .iter()
            .find(|v| !(v.is_finite() && **v >= 0.0))
        {
            return shape(
                format!("magnitude or noise {wrong}"),
                "finite, at least 0".into(),
            );
        }
        if ty.rms > ty.max * ROUNDED {
            let given = format!("root mean square {}", ty.rms);
            return shape(given, format!("at most {}, the largest value", ty.max));
        }
        check_fit(parameters, "ciphertext", ty)?;
        check_encrypted("the ciphertext", &parts)?;
        let (identity, lineage) = (Identity::UNKNOWN, Lineage::unknown());
        Ok(Self::from_run(parameters, parts, ty, identity, lineage))
    }

    /// From the part that is not uniform, and the seed of the other: an encryption with the secret key.
    ///
    /// # Errors
    /// As [`Ciphertext::new`].
    pub fn from_mask(
        parameters: &Parameters,
        c0: Arc<RnsPoly>,
        mask: PublicSeed,
        ty: &Estimate,
    ) -> Result<Self, Error> {
        let c1 = mask.ciphertext_mask(parameters, c0.towers())?;
        let ciphertext = Self::new(parameters, vec![c0, Arc::new(c1)], ty)?;
        Ok(ciphertext.with_mask(mask))
    }

    /// The same; its second part was drawn from this seed.
    pub(super) fn with_mask(self, mask: PublicSeed) -> Self {
        let mask = Some(mask);
        Self { mask, ..self }
    }

    /// The seed of its second part, where that is known: of an encryption with the secret key.
    pub fn mask(&self) -> Option<PublicSeed> {
        self.mask
    }

    /// What a device returned for a program of this type; all slots count.
    pub(super) fn from_run(
        parameters: &Parameters,
        parts: Vec<Arc<RnsPoly>>,
        ty: &Estimate,
        identity: Identity,
        lineage: Lineage,
    ) -> Self {
        Self {
            parameters: parameters.clone(),
            parts,
            scale: ty.scale,
            max: ty.max,
            rms: ty.rms,
            noise: ty.noise,
            peak: ty.peak,
            identity,
            length: Length {
                numbers: parameters.slots(),
                zeros_beyond: true,
            },
            lineage,
            mask: None,
        }
    }

    /// The same, of a secret key that is known.
    pub fn with_identity(self, identity: Identity) -> Self {
        Self { identity, ..self }
    }

    /// The same, as a vector of this length.
    ///
    /// # Errors
    /// No numbers, or more than there are slots.
    pub fn with_length(self, length: Length) -> Result<Self, Error> {
        let slots = self.parameters.slots();
        match (1..=slots).contains(&length.numbers) {
            true => Ok(Self { length, ..self }),
            false => Err(Error::Slots {
                given: length.numbers,
                allowed: format!("1 to {slots}, the slots of {}", self.parameters.name()),
            }),
        }
    }

    /// The secret key that it is encrypted for, as whoever wrote it says.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// How many numbers it holds, as whoever wrote it says.
    pub fn length(&self) -> Length {
        self.length
    }

    /// Where its error comes from, as far as this process knows.
    pub fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// The parameters it lives under.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The polynomials, evaluation form.
    pub fn parts(&self) -> &[Arc<RnsPoly>] {
        &self.parts
    }

    /// Number of towers.
    pub fn level(&self) -> usize {
        self.parts[0].towers()
    }

    /// Factor between slot values and the encrypted integers.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Largest absolute slot value.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// Root mean square of the slots.
    pub fn rms(&self) -> f64 {
        self.rms
    }

    /// Predicted standard deviation of a coefficient's error.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// The noise of all coefficients that would give every slot the error of the worst one.
    pub fn peak(&self) -> f64 {
        self.peak
    }

    /// What the error of no slot's real part exceeds, but with probability 2^-20.
    pub fn error_bound(&self) -> f64 {
        NoiseModel::new(&self.parameters).error_bound(&self.ty())
    }

    /// What is known of it, as a program takes it.
    pub fn ty(&self) -> Estimate {
        Estimate {
            parts: self.parts.len() as u8,
            level: self.level() as u16,
            secret: SecretId::MAIN,
            scale: self.scale,
            max: self.max,
            rms: self.rms,
            noise: self.noise,
            peak: self.peak,
        }
    }

    /// The same message under fewer towers: less to send and to decrypt.
    ///
    /// # Errors
    /// A level above its own or below 1, or a message that no longer fits.
    pub fn drop_level(&self, level: usize) -> Result<Self, Error> {
        if !(1..=self.level()).contains(&level) {
            let name = format!("this ciphertext ({})", self.parameters.name());
            let (given, max) = (level, self.level());
            return Err(rlwe::Error::Level { given, max, name }.into());
        }
        let ty = Estimate {
            level: level as u16,
            ..self.ty()
        };
        check_fit(&self.parameters, "the message", &ty)?;
        let cut = |part: &Arc<RnsPoly>| Arc::new(part.first(level));
        let parts = self.parts.iter().map(cut).collect();
        Ok(Self {
            parts,
            ..self.clone()
        })
    }
}

/// Refuses polynomials that hold their message in the clear: all that meets the secret is zero.
pub(super) fn check_encrypted(what: &str, parts: &[Arc<RnsPoly>]) -> Result<(), Error> {
    let transparent = parts[1..].iter().all(|part| part.is_zero());
    match transparent {
        false => Ok(()),
        true => Err(Error::Transparent {
            what: what.to_string(),
        }),
    }
}
