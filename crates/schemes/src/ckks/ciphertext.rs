//! Ciphertexts.

use super::plaintext::check_scale;
use super::residues::{check_fit, check_poly};
use super::{Error, NoiseModel, Parameters};
use ringwright_ir::he::CtType;
use ringwright_ring::RnsPoly;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Polynomials a ciphertext may have: 3 after a multiplication without relinearisation.
pub const PARTS: RangeInclusive<usize> = 2..=3;

/// An encrypted vector: polynomials in evaluation form under the first `level` primes, and what
/// is publicly known of the message: scale, magnitude and predicted noise.
///
/// The message is Σ part_i·s^i modulo Q. Magnitude and noise come from whoever built it; a key
/// holder who shares decryptions must not take them from a stranger (see [`super::Share`]).
#[derive(Clone, Debug)]
pub struct Ciphertext {
    parameters: Parameters,
    parts: Vec<Arc<RnsPoly>>,
    scale: f64,
    max: f64,
    rms: f64,
    noise: f64,
    peak: f64,
}

impl Ciphertext {
    /// From words in evaluation form; the type says the rest.
    ///
    /// # Errors
    /// Degree, towers, parts or words that do not belong to the parameters or the type.
    pub fn new(
        parameters: &Parameters,
        parts: Vec<Arc<RnsPoly>>,
        ty: &CtType,
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
        check_scale(ty.scale)?;
        if let Some(wrong) = [ty.max, ty.rms, ty.noise, ty.peak]
            .iter()
            .find(|v| !(v.is_finite() && **v >= 0.0))
        {
            return shape(
                format!("magnitude or noise {wrong}"),
                "finite, at least 0".into(),
            );
        }
        Ok(Self::from_run(parameters, parts, ty))
    }

    /// What a backend returned for a program of this type.
    pub(super) fn from_run(parameters: &Parameters, parts: Vec<Arc<RnsPoly>>, ty: &CtType) -> Self {
        Self {
            parameters: parameters.clone(),
            parts,
            scale: ty.scale,
            max: ty.max,
            rms: ty.rms,
            noise: ty.noise,
            peak: ty.peak,
        }
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
        NoiseModel::new(&self.parameters).error_bound(self.peak, self.scale)
    }

    /// Its type in a program.
    pub fn ty(&self) -> CtType {
        CtType {
            parts: self.parts.len() as u8,
            level: self.level() as u16,
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
            return Err(Error::Level {
                given: level,
                max: self.level(),
                name,
            });
        }
        let ty = CtType {
            level: level as u16,
            ..self.ty()
        };
        check_fit(&self.parameters, "the message", &ty)?;
        let n = self.parameters.n();
        let cut = |part: &Arc<RnsPoly>| {
            RnsPoly::from_words(n, part.words()[..n * level].to_vec())
                .map(Arc::new)
                .map_err(|error| Error::Internal(error.to_string()))
        };
        let parts = self.parts.iter().map(cut).collect::<Result<_, _>>()?;
        Ok(Self {
            parts,
            ..self.clone()
        })
    }
}
