//! The `he` dialect: ciphertext operations with level, scale, magnitude and noise.
//!
//! Types are computed by the scheme's builder as operations are added; the verifier checks what
//! holds for every scheme (levels agree, scales agree, parts agree, the message fits the modulus).

use crate::ring::{Loc, ValueId};

/// What is known of an encrypted vector.
#[derive(Clone, Debug, PartialEq)]
pub struct CtType {
    /// Polynomials: 2, or 3 after a multiplication that was not relinearised.
    pub parts: u8,
    /// Towers of the ciphertext modulus that remain, at least 1.
    pub level: u16,
    /// Factor between slot values and the encrypted integers.
    pub scale: f64,
    /// Largest absolute slot value.
    pub max: f64,
    /// Root mean square of the slot values.
    pub rms: f64,
    /// Predicted standard deviation of the error of one coefficient, in integer units.
    pub noise: f64,
}

/// A plaintext vector known when the program is built: real slot values, repeated to fill the
/// slots (the length divides the number of slots).
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    pub name: String,
    pub values: Vec<f64>,
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq)]
pub enum HeOpKind {
    Add,
    Sub,
    Neg,
    /// Ciphertext and constant, encoded at the ciphertext's level and scale.
    AddConstant { constant: usize },
    /// Ciphertext and constant, encoded at the ciphertext's level with `scale`.
    MulConstant { constant: usize, scale: f64 },
    /// Three parts out.
    Mul,
    /// Three parts in, two out; needs the `mult` key.
    Relinearise,
    /// Multiplication and relinearisation in one ring function.
    MulRelin,
    /// Drops the last tower and divides by it.
    Rescale,
    /// Drops towers down to `level`, the value unchanged.
    DropLevel { level: u16 },
    /// Slots move `steps` to the left (negative: right); needs the rotation's key.
    Rotate { steps: i32 },
    Conjugate,
}

/// One operation; one result.
#[derive(Clone, Debug, PartialEq)]
pub struct HeOp {
    pub kind: HeOpKind,
    pub args: Vec<ValueId>,
    pub result: ValueId,
    pub loc: Option<Loc>,
}

/// A key that a program needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyId {
    /// Relinearisation.
    Mult,
    /// Automorphism by this Galois element.
    Galois(u64),
}

/// A program over ciphertexts.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub name: String,
    /// Parameters first, then one value per operation.
    pub types: Vec<CtType>,
    pub names: Vec<Option<String>>,
    pub inputs: usize,
    pub ops: Vec<HeOp>,
    pub constants: Vec<Constant>,
    pub returns: Vec<ValueId>,
    pub loc: Option<Loc>,
}
