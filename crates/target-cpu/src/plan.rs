//! What a program is lowered to: per function a list of steps over buffers of one tower each.
//!
//! A **strand** is the chain of operations on one tower; the strands of a **stage** run in
//! parallel and never touch what another one writes. Between stages everything is visible to
//! everyone. A call stays a call: its callee's plan runs on the callee's own buffers, and results
//! are written where the caller wants them.
//!
//! Buffers come in three classes. *Frame* slots live across stages; the first `results` of them
//! belong to the caller. *Locals* live inside one strand and are scratch of the thread that runs
//! it, so that they stay in its cache. Parameters are the caller's and only read.

use ringwright_ir::ring::{Distribution, RingKind};
use ringwright_kernels::{Permutation, WeightedSum};
use ringwright_ring::BasisExtension;
use std::ops::Range;
use std::sync::Arc;

/// One function, lowered.
#[derive(Clone, Debug)]
pub struct FunctionPlan {
    /// Frame slots that the caller provides.
    pub results: usize,
    /// Further frame slots.
    pub temporaries: usize,
    /// Frame slots that this function and its callees need at most, without `results`.
    pub arena: usize,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// Every returned tower, in order of the returned values and their towers.
    pub returns: Vec<Return>,
}

impl FunctionPlan {
    /// Whether it calls others.
    pub fn calls(&self) -> bool {
        let is_call = |step: &Step| matches!(step, Step::Call { .. });
        self.steps.iter().any(is_call)
    }

    /// Operations of its own stages, which are what its progress is counted in.
    pub fn operations(&self) -> u64 {
        self.steps.iter().map(Step::operations).sum()
    }

    /// The same with those of the functions that it calls, of which `all` has the sums; at most what a word
    /// holds.
    pub fn operations_in_all(&self, all: &[u64]) -> u64 {
        let called = self.steps.iter().map(|step| match step {
            Step::Call { func, .. } => all[*func],
            Step::Stage(_) => 0,
        });
        called.fold(self.operations(), u64::saturating_add)
    }

    /// The leading steps that read no parameter but seeds.
    pub fn early(&self) -> &[Step] {
        let later = self.steps.iter().position(Step::reads_parameters);
        &self.steps[..later.unwrap_or(self.steps.len())]
    }
}

/// Where a returned tower is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Return {
    /// In this result slot.
    Slot(usize),
    /// It is this parameter tower, unchanged.
    Param(usize),
}

/// One step of a function.
#[derive(Clone, Debug)]
pub enum Step {
    /// Strands that run in parallel.
    Stage(Vec<Strand>),
    /// A call; arguments are parameters or shared slots, results are frame slots.
    Call {
        /// Index of the callee's plan.
        func: usize,
        /// One place per parameter tower of the callee.
        args: Vec<Place>,
        /// One seed parameter of the caller per seed parameter of the callee.
        seeds: Vec<usize>,
        /// One frame slot per result slot of the callee.
        results: Vec<usize>,
    },
}

impl Step {
    /// Operations, none of a call's.
    pub fn operations(&self) -> u64 {
        match self {
            Step::Stage(strands) => strands.iter().map(|s| s.ops.len() as u64).sum(),
            Step::Call { .. } => 0,
        }
    }

    /// Whether it may read towers of parameters; a call may.
    fn reads_parameters(&self) -> bool {
        let Step::Stage(strands) = self else {
            return true;
        };
        let mut args = strands.iter().flat_map(|s| &s.ops).flat_map(|op| &op.args);
        args.any(|place| matches!(place, Place::Param(_)))
    }
}

/// Operations on one tower, in order.
#[derive(Clone, Debug)]
pub struct Strand {
    /// Frame slots that this strand alone may touch during the stage.
    pub writes: Vec<usize>,
    /// Local buffers that it needs.
    pub locals: usize,
    /// The operations.
    pub ops: Vec<TowerOp<Place>>,
}

/// Where a tower is during a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Parameter tower, in order of the parameters, array items and towers.
    Param(usize),
    /// Frame slot that no strand of this stage writes.
    Shared(usize),
    /// Index into [`Strand::writes`].
    Own(usize),
    /// Local buffer of the strand.
    Local(usize),
}

/// One operation on one tower; `R` names towers: values before buffers are planned, places after.
#[derive(Clone, Debug)]
pub struct TowerOp<R> {
    /// Index of the prime in the module.
    pub prime: usize,
    /// What to do.
    pub kind: Kind,
    /// Operands, as `kind` says.
    pub args: Vec<R>,
    /// The result.
    pub dst: R,
}

impl<R: PartialEq> TowerOp<R> {
    /// Whether both are sums of as many products under one prime with the same first operands.
    pub fn shares_firsts(&self, other: &Self) -> bool {
        let same_kind = match (&self.kind, &other.kind) {
            (Kind::InnerProduct, Kind::InnerProduct) => true,
            (Kind::PermutedInnerProduct(a), Kind::PermutedInnerProduct(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let mut pairs = self.args.chunks_exact(2).zip(other.args.chunks_exact(2));
        same_kind
            && self.prime == other.prime
            && self.args.len() == other.args.len()
            && pairs.all(|(a, b)| a[0] == b[0])
    }

    /// The same, and neither writes what the other reads, so that they may be taken together.
    pub fn is_twin(&self, other: &Self) -> bool {
        self.shares_firsts(other)
            && self.dst != other.dst
            && !self.args.contains(&other.dst)
            && !other.args.contains(&self.dst)
    }
}

/// Makes every ternary and binomial integer positive.
pub const SMALL_BIAS: u64 = 1 << 7;

/// What a tower operation computes modulo its prime.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Zero words.
    Zero,
    /// Forward transform.
    Ntt,
    /// Inverse transform.
    Intt,
    /// a + b.
    Add,
    /// a - b.
    Sub,
    /// -a.
    Neg,
    /// a * b.
    Mul,
    /// a0*b0 + a1*b1 + .. (+ c): operands in pairs, with c alone at the end where there is one.
    InnerProduct,
    /// The same of the automorphism of each first operand, which is read where its words are.
    PermutedInnerProduct(Arc<Permutation>),
    /// a * s.
    MulScalar(u64),
    /// a + s.
    AddScalar(u64),
    /// (a - b) * s.
    SubMulScalar(u64),
    /// X -> X^galois in coefficient form.
    AutomorphismCoeff(RingKind, u64),
    /// The same in evaluation form.
    AutomorphismEval(Arc<Permutation>),
    /// Words of any tower, read as integers.
    SwitchModulus,
    /// Words of a tower under the prime `from`, read as centred integers.
    SwitchCentred {
        /// Index of the operand's prime.
        from: usize,
    },
    /// Centred value of all operands together, under this one prime.
    Extend(Arc<BasisExtension>),
    /// Operands under any primes, read as integers, each times its weight, and a constant.
    WeightedSum(Arc<WeightedSum>),
    /// Integers of a stream that are the same under every prime; `prime` has no meaning. Ternary
    /// and binomial ones are stored with [`SMALL_BIAS`] added, flooding ones in two's complement.
    SampleSmall {
        /// Ternary, binomial or flooding.
        dist: Distribution,
        /// Stream name.
        stream: String,
        /// Seed parameter.
        seed: usize,
    },
    /// Biased integers modulo the prime: no mask, no branch, one addition.
    FromBiased,
    /// Two's complement integers modulo the prime.
    FromSigned,
    /// Uniform residues of a stream.
    SampleUniform {
        /// Stream name.
        stream: String,
        /// Seed parameter.
        seed: usize,
    },
}

impl Kind {
    /// Whether streams of this kind can be drawn in one pass; flooding noise is drawn alone.
    pub fn is_drawn_together(&self) -> bool {
        match self {
            Kind::SampleSmall { dist, .. } => !matches!(dist, Distribution::Flood { .. }),
            Kind::SampleUniform { .. } => true,
            _ => false,
        }
    }

    /// Whether word i of the result depends on word i of the operands only, so that a run of such
    /// operations can go through the cache block by block.
    pub fn is_elementwise(&self) -> bool {
        use Kind::*;
        match self {
            Zero
            | Add
            | Sub
            | Neg
            | Mul
            | InnerProduct
            | MulScalar(_)
            | AddScalar(_)
            | SubMulScalar(_)
            | SwitchModulus
            | SwitchCentred { .. }
            | WeightedSum(_)
            | FromBiased
            | FromSigned => true,
            Ntt
            | Intt
            | AutomorphismCoeff(..)
            | AutomorphismEval(_)
            | PermutedInnerProduct(_)
            | Extend(_)
            | SampleSmall { .. }
            | SampleUniform { .. } => false,
        }
    }

    /// Which of `count` operands may share the result's buffer.
    pub fn in_place_operands(&self, count: usize) -> Range<usize> {
        use Kind::*;
        match self {
            Ntt | Intt | Neg | MulScalar(_) | AddScalar(_) | Sub => 0..1,
            Add | Mul => 0..2,
            InnerProduct | PermutedInnerProduct(_) if count % 2 == 1 => count - 1..count,
            _ => 0..0,
        }
    }
}
