//! The `he` dialect: ciphertext operations with level, scale, magnitude and noise.
//!
//! Types are computed by the scheme's builder as operations are added; the verifier checks what
//! holds for every scheme (levels agree, scales agree, parts agree, the message fits the modulus).

use crate::ring::{Loc, ValueId};
use std::fmt;

mod verify;

pub use verify::{same_scale, verify};

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
    /// The noise of all coefficients that would give every slot the error of the worst one.
    pub peak: f64,
}

/// A plaintext vector known when the program is built: real slot values, repeated to fill the
/// slots (the length divides the number of slots).
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Unique in the program.
    pub name: String,
    /// Slot values; the length is a power of two.
    pub values: Vec<f64>,
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq)]
pub enum HeOpKind {
    /// Sum; level, scale and parts agree.
    Add,
    /// Difference; level, scale and parts agree.
    Sub,
    /// Negation.
    Neg,
    /// Ciphertext and constant, encoded at the ciphertext's level and scale.
    AddConstant {
        /// Index into [`Program::constants`].
        constant: usize,
    },
    /// Ciphertext and constant, encoded at the ciphertext's level with `scale`.
    MulConstant {
        /// Index into [`Program::constants`].
        constant: usize,
        /// The constant's scale.
        scale: f64,
    },
    /// Three parts out.
    Mul,
    /// Three parts in, two out; needs the `mult` key.
    Relinearise,
    /// Multiplication and relinearisation in one ring function.
    MulRelin,
    /// Drops the last tower and divides by it.
    Rescale,
    /// Drops towers down to `level`, the value unchanged.
    DropLevel {
        /// Towers that remain.
        level: u16,
    },
    /// Slots move `steps` to the left (negative: right); needs the rotation's key.
    Rotate {
        /// Slots to the left.
        steps: i32,
    },
    /// Complex conjugation of every slot; needs its key.
    Conjugate,
    /// Both at once, by one automorphism and its key.
    RotateConjugate {
        /// Slots to the left.
        steps: i32,
    },
}

/// One operation; one result.
#[derive(Clone, Debug, PartialEq)]
pub struct HeOp {
    /// What it does, with its attributes.
    pub kind: HeOpKind,
    /// Operands.
    pub args: Vec<ValueId>,
    /// The result: the inputs' number plus the operation's index.
    pub result: ValueId,
    /// The user's source line.
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

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyId::Mult => write!(f, "mult"),
            KeyId::Galois(element) => write!(f, "galois {element}"),
        }
    }
}

/// A program over ciphertexts.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The user's function.
    pub name: String,
    /// Parameters first, then one value per operation.
    pub types: Vec<CtType>,
    /// Optional name of every value, parallel to `types`, unique.
    pub names: Vec<Option<String>>,
    /// Number of parameters.
    pub inputs: usize,
    /// The operations, in order.
    pub ops: Vec<HeOp>,
    /// Plaintext vectors that operations name by index.
    pub constants: Vec<Constant>,
    /// The results, at least one.
    pub returns: Vec<ValueId>,
    /// Where the program is defined.
    pub loc: Option<Loc>,
}

impl HeOpKind {
    /// Whether it is an automorphism of the ring.
    pub fn is_automorphism(&self) -> bool {
        matches!(
            self,
            HeOpKind::Rotate { .. } | HeOpKind::Conjugate | HeOpKind::RotateConjugate { .. }
        )
    }

    /// The word of the text form.
    pub fn name(&self) -> &'static str {
        match self {
            HeOpKind::Add => "add",
            HeOpKind::Sub => "sub",
            HeOpKind::Neg => "neg",
            HeOpKind::AddConstant { .. } => "add_constant",
            HeOpKind::MulConstant { .. } => "mul_constant",
            HeOpKind::Mul => "mul",
            HeOpKind::Relinearise => "relinearise",
            HeOpKind::MulRelin => "mul_relin",
            HeOpKind::Rescale => "rescale",
            HeOpKind::DropLevel { .. } => "drop_level",
            HeOpKind::Rotate { .. } => "rotate",
            HeOpKind::Conjugate => "conjugate",
            HeOpKind::RotateConjugate { .. } => "rotate_conjugate",
        }
    }
}

impl Program {
    /// The value's name, `%index` where it has none.
    pub fn value_name(&self, value: ValueId) -> String {
        match self.names.get(value.index()) {
            Some(Some(name)) => name.clone(),
            _ => format!("%{}", value.0),
        }
    }
}
