//! Which tower kernel computes which kind of tower.

use crate::kernels::Operation;
use crate::units::scalar::is_modulus;
use crate::Config;
use ringwright_ir::ring::Module;
use ringwright_towers::{ConstantId, Kind, TowerId};

/// How a graph becomes calls of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Every operation is a kernel on whole towers, which stay in the vector data memory while there
    /// is room.
    Resident,
    /// As resident, but what works word by word on the same towers is one kernel; towers are joined
    /// where words hold several.
    Fused(Fused),
    /// What works word by word runs on blocks of towers; towers are joined where words hold several.
    Swept,
}

/// How what works word by word is done together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fused {
    /// Slots through which towers are streamed.
    pub streamed: usize,
    /// Products of a sum at once: more hold more factors, and bring and write the sum less often.
    pub products: usize,
    /// What follows what.
    pub order: Order,
}

/// The order of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The program's.
    Program,
    /// That in which few towers wait ([`order`](super::order)).
    FewWait,
}

impl Manner {
    /// Whether it is for graphs with towers joined and sums of any length.
    pub fn joins(self) -> bool {
        self != Manner::Resident
    }
}

/// Whether an operation wants its operand whole.
pub fn is_whole(kind: &Kind) -> bool {
    matches!(kind, Kind::Ntt | Kind::Intt | Kind::Automorphism { .. })
}

/// What has a program beyond the dialect's own operations: a product added to a tower; where graphs are
/// made to be joined, sums of any length, and towers under primes whose product is a modulus of the
/// machine.
pub fn supports(joins: bool, config: &Config, module: &Module, kind: &Kind) -> bool {
    match (joins, kind) {
        (true, Kind::Join { from, .. }) => {
            let mut primes = from.iter().map(|&prime| module.prime(prime));
            let product = primes.try_fold(1u128, |product, q| product.checked_mul(q));
            product.is_some_and(|product| is_modulus(product, config.word_bits))
        }
        (true, Kind::InnerProduct { .. } | Kind::WeightedSum { .. }) => true,
        (_, Kind::AddMulScalar { .. }) => true,
        (
            _,
            Kind::InnerProduct {
                pairs: 1,
                plus: true,
            },
        ) => true,
        _ => false,
    }
}

/// The operation of a kind and the constant that it is given; what no program computes, in words.
pub fn operation(kind: &Kind) -> Result<(Operation, Option<ConstantId>), String> {
    Ok(match kind {
        Kind::Zero => (Operation::Zero, None),
        Kind::Ntt => (Operation::Ntt, None),
        Kind::Intt => (Operation::Intt, None),
        Kind::Add => (Operation::Add, None),
        Kind::Sub => (Operation::Sub, None),
        Kind::Neg => (Operation::Neg, None),
        Kind::Mul => (Operation::Mul, None),
        Kind::MulScalar(constant) => (Operation::MulScalar, Some(*constant)),
        Kind::AddScalar(constant) => (Operation::AddScalar, Some(*constant)),
        Kind::InnerProduct {
            pairs: 1,
            plus: true,
        } => (Operation::MulAdd, None),
        Kind::AddMulScalar { factor, .. } => (Operation::AddMulScalar, Some(*factor)),
        Kind::SwitchModulus { .. } => (Operation::Reduce, None),
        &Kind::Automorphism { galois, domain } => {
            (Operation::Automorphism { galois, domain }, None)
        }
        Kind::Sample(_) => {
            return Err("sample: B512 has no instruction that draws random words".to_owned())
        }
        other => return Err(format!("{other:?}: no program computes it")),
    })
}

/// Operands in the order in which the operation's program has them.
pub fn operands(operation: Operation, args: &[TowerId]) -> Vec<TowerId> {
    match (operation, args) {
        // The summand comes first.
        (Operation::MulAdd, [a, b, c]) => vec![*c, *a, *b],
        _ => args.to_vec(),
    }
}
