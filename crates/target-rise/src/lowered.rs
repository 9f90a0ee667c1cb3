//! What a ring program becomes: parts made of calls of the accelerator and functions of its host, and
//! where the program runs them.
//!
//! A **call** is what one write of the command register starts and one interrupt ends: a
//! half-encryption or a decryption under one prime (RACE section IV-A). Between calls polynomials
//! are in memory, in [`Slot`]s of one tower each. A **part** is a kernel of the program
//! ([`ringwright_towers::program`]), cut once however often the program runs it; a **segment** is one
//! of those runs.

use crate::core::{Group, Pointwise};
use crate::host::{Host, HostFunction};
use crate::shape::{Layout, Shape};
use crate::slot::Slot;
use crate::twiddles::{Constants, Direction};
use crate::units::sampler::Draw;
use ringwright_ir::ring::Loc;
use ringwright_towers::{Call as Segment, Origin, OriginId, Place, Program, Val};
use std::ops::Range;
use std::sync::Arc;

/// What the sampler draws: the same integers for every prime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The distribution.
    pub draw: Draw,
    /// The stream's name.
    pub stream: String,
    /// Which parameter of the part is the seed.
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

impl Instruction {
    /// What the sampler draws in it.
    pub fn drawn(&self) -> Option<&Drawn> {
        match self {
            Instruction::Sample(drawn, ..) | Instruction::LoadSum(_, drawn, ..) => Some(drawn),
            _ => None,
        }
    }
}

/// One call of the accelerator.
#[derive(Clone, Debug)]
pub struct Call {
    /// Position of the prime in [`Lowered::constants`].
    pub prime: u32,
    /// Its instructions among those of the part, in order; the schedule overlaps what uses different
    /// units and bank groups.
    pub instructions: Range<u32>,
    /// The operation that asked for it.
    pub origin: OriginId,
}

impl Call {
    /// Positions of its instructions.
    pub fn positions(&self) -> Range<usize> {
        self.instructions.start as usize..self.instructions.end as usize
    }
}

/// A step of a part.
pub enum Action {
    /// On the accelerator.
    Call(Call),
    /// On the host.
    Host(HostFunction),
}

/// What a segment runs; behind it the device has drained.
#[derive(Default)]
pub struct Part {
    /// Slots of operands.
    pub operands: u32,
    /// Slots of all towers.
    pub slots: u32,
    /// In order.
    pub actions: Vec<Action>,
    /// Of all its calls.
    pub instructions: Vec<Instruction>,
    /// What asked for operations.
    pub origins: Vec<Origin>,
}

impl Part {
    /// Its calls of the accelerator, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.actions.iter().filter_map(|action| match action {
            Action::Call(call) => Some(call),
            Action::Host(_) => None,
        })
    }

    /// The instructions of a call.
    pub fn instructions(&self, call: &Call) -> &[Instruction] {
        &self.instructions[call.positions()]
    }

    /// The user's line.
    pub fn line(&self, origin: OriginId) -> Option<&Loc> {
        self.origins[origin.0 as usize].line.as_ref()
    }

    /// What it draws, call by call.
    pub fn drawn(&self) -> impl Iterator<Item = &Drawn> {
        self.instructions.iter().filter_map(Instruction::drawn)
    }
}

/// A lowered program.
pub struct Lowered {
    /// Degree and units.
    pub shape: Shape,
    /// What its host functions compute.
    pub host: Host,
    /// Of every prime that the device works with.
    pub constants: Vec<Constants>,
    /// Each once.
    pub parts: Vec<Part>,
    /// Its segments are the calls; `kernel` is the position of a part. What a part keeps on its way
    /// lies behind the program's towers, in the same place for all parts.
    pub program: Program,
}

impl Lowered {
    /// Towers in memory.
    pub fn places(&self) -> usize {
        let kept = |segment: &Segment| {
            let part = &self.parts[segment.kernel];
            (part.slots - part.operands) as usize - segment.results.len()
        };
        self.program.towers + self.program.calls.iter().map(kept).max().unwrap_or(0)
    }

    /// A segment with what it works on.
    pub fn frame<'a>(&'a self, segment: &'a Segment) -> Frame<'a> {
        let operands = segment.args.iter().flat_map(Val::towers);
        Frame {
            part: &self.parts[segment.kernel],
            segment,
            named: operands.chain(segment.results.iter().copied()).collect(),
            towers: self.program.towers,
        }
    }

    /// All segments, in order.
    pub fn frames(&self) -> impl Iterator<Item = Frame<'_>> {
        self.program.calls.iter().map(|segment| self.frame(segment))
    }
}

/// A part where the program runs it.
pub struct Frame<'a> {
    /// What it runs.
    pub part: &'a Part,
    /// Where it stands.
    pub segment: &'a Segment,
    /// Places of operands and results.
    named: Vec<Place>,
    /// Places of the whole program.
    towers: usize,
}

impl Frame<'_> {
    /// Where a slot is in memory.
    pub fn place(&self, slot: Slot) -> Place {
        match self.named.get(slot.index()) {
            Some(&place) => place,
            None => (self.towers + slot.index() - self.named.len()) as Place,
        }
    }

    /// Which input of the program a parameter is, that is a seed.
    pub fn seed(&self, parameter: usize) -> usize {
        match self.segment.args[parameter] {
            Val::Seed(input) => input,
            _ => unreachable!("parameter {parameter} of a sample is a seed"),
        }
    }
}
