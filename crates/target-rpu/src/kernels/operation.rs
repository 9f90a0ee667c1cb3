//! What a program of its own computes on one tower.

use ringwright_ir::ring::Domain;

/// What a program computes on one tower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// All words zero.
    Zero,
    /// a + b.
    Add,
    /// a - b.
    Sub,
    /// -a.
    Neg,
    /// a * b, word by word.
    Mul,
    /// a + b * c, word by word.
    MulAdd,
    /// a + b times the scalar, word by word; words of b may exceed the modulus.
    AddMulScalar,
    /// Every word times the scalar.
    MulScalar,
    /// The scalar added to every word.
    AddScalar,
    /// Every word, which may exceed the modulus, reduced.
    Reduce,
    /// Coefficients to evaluations.
    Ntt,
    /// Evaluations to coefficients.
    Intt,
    /// a * b as polynomials: a and the result in coefficients, b in evaluations. A study: no lowering
    /// starts it.
    Convolve,
    /// X to X^galois.
    Automorphism {
        /// Odd, from 3 to 2N - 1.
        galois: u64,
        /// The form of the words.
        domain: Domain,
    },
}

/// What stands in the scalar operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Nothing: the program does not load it.
    None,
    /// This number.
    Fixed(u64),
    /// 1/N modulo the prime.
    InverseOfN,
    /// The operation's own constant.
    Given,
}

impl Operation {
    /// Short name, under which a ledger adds its runs up.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Zero => "zero",
            Operation::Add => "add",
            Operation::Sub => "sub",
            Operation::Neg => "neg",
            Operation::Mul => "mul",
            Operation::MulAdd => "mul_add",
            Operation::AddMulScalar => "add_mul_scalar",
            Operation::MulScalar => "mul_scalar",
            Operation::AddScalar => "add_scalar",
            Operation::Reduce => "switch_modulus",
            Operation::Ntt => "ntt",
            Operation::Intt => "intt",
            Operation::Convolve => "convolve",
            Operation::Automorphism { .. } => "automorphism",
        }
    }

    /// Towers that it reads.
    pub fn operands(self) -> usize {
        match self {
            Operation::Zero => 0,
            Operation::Add
            | Operation::Sub
            | Operation::Mul
            | Operation::AddMulScalar
            | Operation::Convolve => 2,
            Operation::MulAdd => 3,
            _ => 1,
        }
    }

    /// What its scalar operand is.
    pub fn scalar(self) -> Scalar {
        match self {
            Operation::Zero | Operation::Neg => Scalar::Fixed(0),
            Operation::Reduce => Scalar::Fixed(1),
            Operation::Intt | Operation::Convolve => Scalar::InverseOfN,
            Operation::AddMulScalar | Operation::MulScalar | Operation::AddScalar => Scalar::Given,
            _ => Scalar::None,
        }
    }
}
