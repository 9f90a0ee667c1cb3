//! What CKKS knows of one encrypted vector.

use ringwright_ir::he::{CtType, Message, SecretId};

/// A ciphertext as CKKS knows it: its parts and level, and what was declared or computed of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Polynomials: 2, or 3 after a multiplication that was not relinearised.
    pub parts: u8,
    /// Towers of the ciphertext modulus that remain, at least 1.
    pub level: u16,
    /// What it is encrypted under.
    pub secret: SecretId,
    /// Factor between slot values and the encrypted integers.
    pub scale: f64,
    /// Largest absolute slot value.
    pub max: f64,
    /// Root mean square of the slot values.
    pub rms: f64,
    /// Predicted standard deviation of the error of one coefficient, in integer units.
    pub noise: f64,
    /// The noise of all coefficients that would give every slot the error of the worst one.
    pub peak: f64,
}

/// Scales that differ by less than this factor from 1 are equal: f64 rounding, nothing else.
const SCALE_TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

/// Whether two scales are the same number, but for rounding.
pub fn same_scale(a: f64, b: f64) -> bool {
    (a - b).abs() <= SCALE_TOLERANCE * a.abs().max(b.abs())
}

impl Estimate {
    /// Its type in a program.
    pub fn ty(&self) -> CtType {
        CtType {
            parts: self.parts,
            level: self.level,
            message: Message::Approximate,
            secret: self.secret,
        }
    }
}
