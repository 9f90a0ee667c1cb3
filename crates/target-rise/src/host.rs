//! Functions of the host: what the machine lacks, counted. The interpreter's definitions run them.

use crate::slot::Slot;
use ringwright_ir::interpret::Definitions;
use ringwright_ir::ring::{Basis, Distribution, Domain, OpKind, RingKind, Type};
use ringwright_ir::RunError;
use ringwright_ring::shake::{BLOCK_BYTES, BLOCK_WORDS};
use ringwright_target::{HostOperation, HostOperations};
use ringwright_towers::{ConstantId, Graph, Kind, Node, OriginId};
use std::sync::{Arc, OnceLock};

/// One operation on all of its towers that are needed.
pub struct HostFunction {
    /// That of all of them but for constants.
    kind: Kind,
    /// Of the towers of its result.
    basis: Basis,
    /// One for each of them, in an operation that has constants; else none.
    constants: Vec<ConstantId>,
    /// Its arguments.
    pub args: Vec<Argument>,
    /// Its one result.
    pub results: Vec<Slot>,
    /// Who asked for it.
    pub origin: OriginId,
}

/// An argument of a host function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A polynomial, tower by tower.
    Poly(Vec<Slot>),
    /// The seed that is this parameter of the part.
    Seed(usize),
}

impl HostFunction {
    /// The function of nodes that belong to one operation; at least one.
    pub fn new(graph: &Graph, nodes: &[Node], args: Vec<Argument>, results: Vec<Slot>) -> Self {
        let constant = |node: &Node| match node.kind {
            Kind::MulScalar(id) | Kind::AddScalar(id) => Some(id),
            _ => None,
        };
        HostFunction {
            kind: nodes[0].kind.clone(),
            basis: Basis(nodes.iter().map(|node| graph.prime(node.result)).collect()),
            constants: nodes.iter().filter_map(constant).collect(),
            args,
            results,
            origin: nodes[0].origin,
        }
    }

    /// What the ledger calls it.
    pub fn name(&self) -> &'static str {
        match &self.kind {
            Kind::Sample(sample) => match sample.dist {
                Distribution::Uniform => "sample uniform",
                Distribution::Ternary => "sample ternary",
                Distribution::Binomial21 => "sample binomial",
                Distribution::Flood { .. } => "sample flood",
            },
            Kind::Zero => "zero",
            Kind::Ntt => "ntt",
            Kind::Intt => "intt",
            Kind::Add => "add",
            Kind::Sub => "sub",
            Kind::Neg => "neg",
            Kind::Mul => "mul",
            Kind::MulScalar(_) => "mul_scalar",
            Kind::AddScalar(_) => "add_scalar",
            Kind::Automorphism { .. } => "automorphism",
            Kind::SwitchModulus { .. } => "switch_modulus",
            _ => "fused",
        }
    }

    /// The operation of the interpreter, with the constants of a segment. Kinds that no target asked
    /// for are in no graph.
    pub fn operation(&self, constants: &[u128]) -> Result<OpKind, RunError> {
        let residues = || {
            let ids = self.constants.iter();
            ids.map(|id| constants[id.0 as usize]).collect()
        };
        Ok(match &self.kind {
            Kind::Zero => OpKind::Zero,
            Kind::Ntt => OpKind::Ntt,
            Kind::Intt => OpKind::Intt,
            Kind::Add => OpKind::Add,
            Kind::Sub => OpKind::Sub,
            Kind::Neg => OpKind::Neg,
            Kind::Mul => OpKind::Mul,
            Kind::MulScalar(_) => OpKind::MulScalar {
                residues: residues(),
            },
            Kind::AddScalar(_) => OpKind::AddScalar {
                residues: residues(),
            },
            Kind::Automorphism { galois, .. } => OpKind::Automorphism { galois: *galois },
            Kind::SwitchModulus { .. } => OpKind::SwitchModulus,
            Kind::Sample(sample) => OpKind::Sample {
                dist: sample.dist,
                stream: sample.stream.clone(),
            },
            other => return Err(RunError::Invalid(format!("{other:?} on the host"))),
        })
    }

    /// The type of its first operand; only switching the modulus changes it.
    pub fn operand(&self) -> Type {
        match self.kind {
            Kind::SwitchModulus { from } => Type::poly(&Basis(vec![from]), Domain::Coeff),
            _ => self.result(),
        }
    }

    /// The type of its result; the form matters to automorphisms alone.
    pub fn result(&self) -> Type {
        match self.kind {
            Kind::Automorphism { domain, .. } => Type::poly(&self.basis, domain),
            _ => Type::poly(&self.basis, Domain::Coeff),
        }
    }

    /// How many of which operations a plain program of the host needs.
    pub fn counts(&self, host: &Host) -> HostOperations {
        use HostOperation::*;
        let words = host.n() * self.basis.len() as u64;
        let butterflies = (Butterfly, words / 2 * u64::from(host.log_n));
        let counts: Vec<(HostOperation, u64)> = match &self.kind {
            Kind::Ntt => vec![butterflies],
            Kind::Intt => vec![butterflies, (ModularMul, words)],
            Kind::Add | Kind::Sub | Kind::Neg | Kind::AddScalar(_) => vec![(ModularAdd, words)],
            Kind::Mul | Kind::MulScalar(_) => vec![(ModularMul, words)],
            Kind::SwitchModulus { .. } => vec![(ModularReduction, words)],
            Kind::Sample(sample) => self.samples(sample.dist, host),
            _ => vec![(WordMove, words)],
        };
        counts.into_iter().collect()
    }

    /// Samples are drawn once and then written as residues under every prime; uniform ones are drawn
    /// for every prime.
    fn samples(&self, dist: Distribution, host: &Host) -> Vec<(HostOperation, u64)> {
        use HostOperation::*;
        let (n, towers) = (host.n(), self.basis.len() as u64);
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
                let primes = self.basis.values(&host.primes).into_iter();
                let blocks = primes.map(|q| uniform_blocks(n, q)).sum();
                vec![(KeccakPermutation, blocks), (UniformSample, n * towers)]
            }
        }
    }
}

/// Blocks of the candidates expected: a word of the prime's bits is below it with probability
/// q/2^bits.
fn uniform_blocks(n: u64, q: u128) -> u64 {
    let bits = u128::BITS - q.leading_zeros();
    let bytes = if bits < 32 { 4 } else { 8 };
    let candidates = (f64::from(n as u32) * 2f64.powi(bits as i32) / q as f64).ceil();
    (candidates as u64 * bytes).div_ceil(BLOCK_BYTES as u64)
}

/// The standard ring of a program, and the definitions that its host functions run. Those hold constants of all
/// primes, so the first run makes them: whoever asks for time alone needs none.
pub struct Host {
    log_n: u32,
    primes: Vec<u128>,
    definitions: OnceLock<Arc<Definitions<u64>>>,
}

impl Host {
    /// Over a ring and its primes.
    pub fn new(log_n: u32, primes: &[u128]) -> Self {
        Host {
            log_n,
            primes: primes.to_vec(),
            definitions: OnceLock::new(),
        }
    }

    fn n(&self) -> u64 {
        1 << self.log_n
    }

    /// The definitions.
    pub fn definitions(&self) -> Result<Arc<Definitions<u64>>, RunError> {
        if let Some(definitions) = self.definitions.get() {
            return Ok(definitions.clone());
        }
        let made = Arc::new(Definitions::new(
            RingKind::Standard,
            self.log_n,
            &self.primes,
        )?);
        Ok(self.definitions.get_or_init(|| made).clone())
    }
}
