//! The `he` dialect: ciphertext operations with level, scale, magnitude and noise.
//!
//! Types are computed by the scheme's builder as operations are added; the verifier checks what
//! holds for every scheme (levels agree, scales agree, parts agree, the message fits the modulus).

use crate::ring::{Loc, ValueId};
use std::fmt;

mod printer;
mod verify;

pub use printer::print_he;
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

/// A plaintext vector: real slot values, repeated to fill the slots (the length divides the number of
/// slots).
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Unique in the program.
    pub name: String,
    /// What is known of it when the program is built.
    pub values: Values,
}

/// What is known of a plaintext vector.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Everything: the slot values, as many as a power of two.
    Known(Vec<f64>),
    /// An argument of the program, given with each run, within these bounds.
    Argument {
        /// Largest absolute slot value.
        max: f64,
        /// Root mean square of the slot values.
        rms: f64,
    },
}

impl Values {
    /// Largest absolute value and root mean square.
    pub fn magnitude(&self) -> (f64, f64) {
        match self {
            Values::Known(values) => magnitude(values),
            &Values::Argument { max, rms } => (max, rms),
        }
    }

    /// The number that stands in every slot, if that is known.
    pub fn uniform(&self) -> Option<f64> {
        match self {
            Values::Known(values) => match values[..] {
                [value] => Some(value),
                _ => None,
            },
            Values::Argument { .. } => None,
        }
    }
}

/// Largest absolute value and root mean square.
pub fn magnitude(values: &[f64]) -> (f64, f64) {
    let squares: f64 = values.iter().map(|v| v * v).sum();
    let max = values.iter().fold(0f64, |max, v| max.max(v.abs()));
    (max, (squares / values.len() as f64).sqrt())
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

/// Where the errors of a program's results come from: what a run needs to say of its results what is
/// true of these inputs, which may have errors in common.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorFlow {
    /// By input. `None`: its error has nothing to do with the others', and those of its slots nothing
    /// with each other. Inputs of one number may have errors in common, and so may their slots.
    pub inputs: Vec<Option<u32>>,
    /// By returned value.
    pub results: Vec<ResultErrors>,
}

/// Where the error of one result comes from; all numbers as [`CtType::peak`].
#[derive(Clone, Debug, PartialEq)]
pub struct ResultErrors {
    /// What it has of each input's error.
    pub inherited: Vec<f64>,
    /// What the program's own operations added.
    pub own: f64,
    /// Whether the errors of its slots have nothing to do with each other.
    pub even: bool,
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
    /// Where their errors come from; `None` where whoever wrote the program did not say.
    pub errors: Option<ErrorFlow>,
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
    /// Plaintext vectors that are given with each run, by index into [`Program::constants`].
    pub fn plain_arguments(&self) -> impl Iterator<Item = usize> + '_ {
        let constants = self.constants.iter().enumerate();
        let given = constants.filter(|(_, c)| matches!(c.values, Values::Argument { .. }));
        given.map(|(index, _)| index)
    }

    /// The value's name, `%index` where it has none.
    pub fn value_name(&self, value: ValueId) -> String {
        match self.names.get(value.index()) {
            Some(Some(name)) => name.clone(),
            _ => format!("%{}", value.0),
        }
    }
}
