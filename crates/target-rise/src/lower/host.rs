//! Functions of the host: what the machine lacks, run by the reference interpreter and counted.

use crate::program::towers;
use ringwright_ir::interpret::Interpreter;
use ringwright_ir::ring::{
    Distribution, FuncId, Function, Module, Op, OpKind, Param, Type, ValueId,
};
use ringwright_ir::{Backend, Kernel, RunError, Value};
use ringwright_ring::shake::{BLOCK_BYTES, BLOCK_WORDS};
use ringwright_target::{HostOperation, HostOperations};
use std::sync::{Arc, OnceLock};

/// Whether an operation moves no word.
pub fn is_view(op: &OpKind) -> bool {
    matches!(op, OpKind::Towers | OpKind::Concat | OpKind::Element { .. })
}

/// A kernel of one operation, made ready by its first run: its constants are those of all primes, and
/// whoever asks for time alone needs none.
struct OneOperation {
    module: Module,
    ready: OnceLock<Arc<dyn Kernel>>,
}

impl Kernel for OneOperation {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
        if let Some(kernel) = self.ready.get() {
            return kernel.run(inputs);
        }
        let kernel = Interpreter.prepare(&self.module)?;
        self.ready.get_or_init(|| kernel).run(inputs)
    }
}

/// A kernel of the one operation; `types` are those of its arguments, then of its result.
pub fn kernel(module: &Module, op: &OpKind, types: &[Type]) -> Arc<dyn Kernel> {
    let args = types.len() - 1;
    let param = |(index, ty): (usize, &Type)| Param {
        name: format!("x{index}"),
        ty: ty.clone(),
        secret: true,
    };
    let params: Vec<Param> = types[..args].iter().enumerate().map(param).collect();
    let mut names: Vec<Option<String>> = params.iter().map(|p| Some(p.name.clone())).collect();
    names.push(None);
    let result = ValueId(args as u32);
    let function = Function {
        name: op.name().to_owned(),
        params,
        ops: vec![Op {
            kind: op.clone(),
            args: (0..args as u32).map(ValueId).collect(),
            results: vec![result],
            loc: None,
        }],
        returns: vec![result],
        types: types.to_vec(),
        names,
        composite: None,
    };
    let module = Module {
        log_n: module.log_n,
        primes: module.primes.clone(),
        funcs: vec![function],
        entry: FuncId(0),
    };
    let ready = OnceLock::new();
    Arc::new(OneOperation { module, ready })
}

/// What the ledger calls the operation.
pub fn name(op: &OpKind) -> String {
    match op {
        OpKind::Sample { dist, .. } => match dist {
            Distribution::Uniform => "sample uniform".into(),
            Distribution::Ternary => "sample ternary".into(),
            Distribution::Binomial21 => "sample binomial".into(),
            Distribution::Flood { .. } => "sample flood".into(),
        },
        _ => op.name().into(),
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
