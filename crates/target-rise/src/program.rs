//! What a ring program becomes: calls of the accelerator and functions of its host.
//!
//! A **call** is what one write of the command register starts and one interrupt ends: a
//! half-encryption or a decryption under one prime (RACE section IV-A). Between calls polynomials
//! are in memory, in [`Slot`]s of one tower each.

use crate::core::{Group, Pointwise};
use crate::shape::{Layout, Shape};
use crate::twiddles::{Constants, Direction};
use crate::units::sampler::Draw;
use ringwright_ir::interpret::Definitions;
use ringwright_ir::ring::{Loc, OpKind, Type};
use ringwright_ir::RunError;
use ringwright_target::HostOperations;
use std::sync::{Arc, OnceLock};

/// One tower in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub usize);

/// What the sampler draws: the same integers for every prime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The distribution.
    pub draw: Draw,
    /// The stream's name.
    pub stream: String,
    /// Which input of the program is the seed.
    pub seed: usize,
}

/// One action of the units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Memory to bank group.
    Load(Slot, Group, Layout),
    /// Sampler to bank group.
    Sample(Arc<Drawn>, Group, Layout),
    /// Memory and sampler, added, to bank group.
    LoadSum(Slot, Arc<Drawn>, Group, Layout),
    /// A bank group in place.
    Transform(Group, Direction),
    /// Both bank groups to BG1.
    Pointwise(Pointwise),
    /// Bank group to memory.
    Store(Slot, Group, Layout),
}

/// One call of the accelerator.
#[derive(Clone, Debug)]
pub struct Call {
    /// Position of the prime in [`Program::constants`].
    pub prime: usize,
    /// In order; the schedule overlaps what uses different units and bank groups.
    pub instructions: Vec<Instruction>,
    /// The line of the user's program.
    pub loc: Option<Loc>,
}

/// One function of the host.
pub struct HostFunction {
    /// What the ledger calls it.
    pub name: &'static str,
    /// What it computes; arguments and result are whole values.
    pub op: OpKind,
    /// The type of its first argument.
    pub operand: Option<Type>,
    /// The type of its result.
    pub result: Type,
    /// Its arguments.
    pub args: Vec<Argument>,
    /// Its one result.
    pub results: Vec<Slot>,
    /// What it does, for a host profile.
    pub operations: HostOperations,
    /// The line of the user's program.
    pub loc: Option<Loc>,
}

/// The definitions that the host functions of a program run, made by the first: they hold constants
/// of all primes, and whoever asks for time alone needs none.
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

    /// The definitions.
    pub fn definitions(&self) -> Result<Arc<Definitions<u64>>, RunError> {
        if let Some(definitions) = self.definitions.get() {
            return Ok(definitions.clone());
        }
        let made = Arc::new(Definitions::new(self.log_n, &self.primes)?);
        Ok(self.definitions.get_or_init(|| made).clone())
    }
}

/// An argument of a host function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A polynomial, tower by tower.
    Poly(Vec<Slot>),
    /// An input of the program.
    Seed(usize),
}

/// A step of the program.
pub enum Action {
    /// On the accelerator.
    Call(Call),
    /// On the host.
    Host(HostFunction),
}

/// A part of the program behind which the device has drained.
pub struct Segment {
    /// The ring function.
    pub name: String,
    /// Which of the entry function's calls it is; `None` for its own operations.
    pub call: Option<usize>,
    /// The line of the user's program.
    pub loc: Option<Loc>,
    /// In order.
    pub actions: Vec<Action>,
}

/// Where the words of an input go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Items of an array (one for a polynomial), tower by tower.
    Polys(Vec<Vec<Slot>>),
    /// Read where it is used.
    Seed,
}

/// What a result is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A polynomial.
    Poly(Vec<Slot>),
    /// An array.
    Array(Vec<Vec<Slot>>),
    /// An input handed through.
    Seed(usize),
}

/// A lowered program.
pub struct Program {
    /// Degree and units.
    pub shape: Shape,
    /// What its host functions compute.
    pub host: Host,
    /// Of every prime that the device works with.
    pub constants: Vec<Constants>,
    /// Towers in memory.
    pub slots: usize,
    /// One per parameter of the entry function.
    pub inputs: Vec<Input>,
    /// In order.
    pub segments: Vec<Segment>,
    /// One per returned value.
    pub outputs: Vec<Output>,
}

/// Number of towers of a type, 0 for a seed.
pub fn towers(ty: &Type) -> usize {
    ty.basis().map_or(0, |basis| basis.len())
}
