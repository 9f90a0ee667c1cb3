//! Which tower kernel computes which kind of tower.

use crate::kernels::Operation;
use ringwright_towers::{ConstantId, Kind, TowerId};

/// What has one program beyond the dialect's own operations: a product added to a tower.
pub fn supports(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::InnerProduct {
            pairs: 1,
            plus: true
        } | Kind::AddMulScalar { .. }
    )
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
