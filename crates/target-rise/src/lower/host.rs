//! Functions of the host: what the machine lacks, counted. The interpreter's definitions run them.

use crate::program::towers;
use ringwright_ir::ring::{Distribution, Module, OpKind, Type};
use ringwright_ring::shake::{BLOCK_BYTES, BLOCK_WORDS};
use ringwright_target::{HostOperation, HostOperations};

/// Whether an operation moves no word.
pub fn is_view(op: &OpKind) -> bool {
    matches!(op, OpKind::Towers | OpKind::Concat | OpKind::Element { .. })
}

/// What the ledger calls the operation.
pub fn name(op: &OpKind) -> &'static str {
    match op {
        OpKind::Sample { dist, .. } => match dist {
            Distribution::Uniform => "sample uniform",
            Distribution::Ternary => "sample ternary",
            Distribution::Binomial21 => "sample binomial",
            Distribution::Flood { .. } => "sample flood",
        },
        _ => op.name(),
    }
}

/// How many of which operations a plain program of the host needs.
pub fn operations(module: &Module, op: &OpKind, types: &[Type]) -> HostOperations {
    use HostOperation::*;
    let n = module.n() as u64;
    let result = &types[types.len() - 1];
    let words = n * towers(result) as u64;
    let counts: Vec<(HostOperation, u64)> = match op {
        OpKind::Ntt => vec![(Butterfly, words / 2 * u64::from(module.log_n))],
        OpKind::Intt => vec![
            (Butterfly, words / 2 * u64::from(module.log_n)),
            (ModularMul, words),
        ],
        OpKind::Add | OpKind::Sub | OpKind::Neg | OpKind::AddScalar { .. } => {
            vec![(ModularAdd, words)]
        }
        OpKind::Mul | OpKind::MulScalar { .. } => vec![(ModularMul, words)],
        OpKind::SwitchModulus => vec![(ModularReduction, words)],
        OpKind::Sample { dist, .. } => samples(*dist, n, towers(result) as u64, module, result),
        OpKind::Zero
        | OpKind::Automorphism { .. }
        | OpKind::Towers
        | OpKind::Concat
        | OpKind::Element { .. }
        | OpKind::Call { .. } => vec![(WordMove, words)],
    };
    counts.into_iter().collect()
}

/// Samples are drawn once and then written as residues under every prime; uniform ones are drawn
/// for every prime.
fn samples(
    dist: Distribution,
    n: u64,
    towers: u64,
    module: &Module,
    result: &Type,
) -> Vec<(HostOperation, u64)> {
    use HostOperation::*;
    let residues = (SignedResidue, n * towers);
    match dist {
        Distribution::Ternary => {
            let blocks = (n + n / 128 + 64).div_ceil(BLOCK_BYTES as u64);
            vec![(KeccakPermutation, blocks), (TernarySample, n), residues]
        }
        Distribution::Binomial21 => {
            let per_block = BLOCK_WORDS as u64 * 64 / 42;
            let blocks = n.div_ceil(per_block);
            vec![(KeccakPermutation, blocks), (BinomialSample, n), residues]
        }
        Distribution::Flood { .. } => {
            let blocks = n.div_ceil(BLOCK_WORDS as u64);
            vec![(KeccakPermutation, blocks), (UniformSample, n), residues]
        }
        Distribution::Uniform => {
            let primes = result
                .basis()
                .map_or(vec![], |basis| basis.values(&module.primes));
            // Candidates expected: a word of the prime's bits is below it with probability q/2^bits.
            let blocks = primes.iter().map(|&q| {
                let bits = u128::BITS - q.leading_zeros();
                let bytes = if bits < 32 { 4 } else { 8 };
                let candidates = (f64::from(n as u32) * 2f64.powi(bits as i32) / q as f64).ceil();
                (candidates as u64 * bytes).div_ceil(BLOCK_BYTES as u64)
            });
            vec![
                (KeccakPermutation, blocks.sum()),
                (UniformSample, n * towers),
            ]
        }
    }
}
