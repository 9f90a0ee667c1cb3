//! What the device, its transfers and its host do in one step.
//!
//! A machine that lacks something leaves it to its host: the step then is a host function, and
//! carries counts of operations instead of a time, because a target does not know its host. Whoever
//! owns a host profile turns the counts into time and schedules the steps again; overlap (sampling
//! beside a transform, a load beside a product) is what the dependencies leave open.

use ringwright_sim::Provenance;
use std::collections::BTreeMap;

/// The unit of every host function.
pub const HOST: &str = "host";

/// What a host does, counted; a host profile gives the cycles of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostOperation {
    /// One butterfly of a transform, its twiddle factor ready.
    Butterfly,
    /// One modular product.
    ModularMul,
    /// One modular sum, difference or negation.
    ModularAdd,
    /// One word reduced modulo another prime.
    ModularReduction,
    /// One word moved or set.
    WordMove,
    /// One Keccak-f\[1600\] permutation.
    KeccakPermutation,
    /// One ternary coefficient taken out of a block.
    TernarySample,
    /// One centred binomial coefficient taken out of a block.
    BinomialSample,
    /// One uniform residue or integer taken out of a block.
    UniformSample,
    /// One small integer written as a residue.
    SignedResidue,
    /// One control register of the device written.
    RegisterWrite,
    /// One interrupt of the device taken.
    Interrupt,
}

impl HostOperation {
    /// All of them, in order.
    pub const ALL: [Self; 12] = [
        Self::Butterfly,
        Self::ModularMul,
        Self::ModularAdd,
        Self::ModularReduction,
        Self::WordMove,
        Self::KeccakPermutation,
        Self::TernarySample,
        Self::BinomialSample,
        Self::UniformSample,
        Self::SignedResidue,
        Self::RegisterWrite,
        Self::Interrupt,
    ];

    /// The word used in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Butterfly => "butterfly",
            Self::ModularMul => "modular_mul",
            Self::ModularAdd => "modular_add",
            Self::ModularReduction => "modular_reduction",
            Self::WordMove => "word_move",
            Self::KeccakPermutation => "keccak_permutation",
            Self::TernarySample => "ternary_sample",
            Self::BinomialSample => "binomial_sample",
            Self::UniformSample => "uniform_sample",
            Self::SignedResidue => "signed_residue",
            Self::RegisterWrite => "register_write",
            Self::Interrupt => "interrupt",
        }
    }
}

impl HostOperation {
    /// What a host function is for that does this.
    fn task(self) -> Task {
        match self {
            Self::KeccakPermutation
            | Self::TernarySample
            | Self::BinomialSample
            | Self::UniformSample => Task::Sample,
            Self::RegisterWrite | Self::Interrupt => Task::Control,
            Self::WordMove => Task::Move,
            _ => Task::Compute,
        }
    }
}

/// How often a host function does what; an operation that it does not do is absent.
pub type HostOperations = BTreeMap<HostOperation, u64>;

/// What a step is and how long it takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// The device works by itself: it computes, or parts of it send each other words.
    Kernel {
        /// Cycles of the device's clock.
        cycles: u64,
    },
    /// Words move between memory and device.
    Transfer {
        /// Cycles of the device's clock.
        cycles: u64,
        /// Bytes moved.
        bytes: u64,
    },
    /// The host computes, on the unit [`HOST`].
    HostFunction {
        /// What it does.
        operations: HostOperations,
    },
}

impl Work {
    /// Cycles of the device's clock: none for a host function, whose time is not known here.
    pub fn device_cycles(&self) -> u64 {
        self.cycles_beside(0)
    }

    /// The same beside a host that takes so many cycles for each of its functions.
    pub(crate) fn cycles_beside(&self, host: u64) -> u64 {
        match self {
            Work::Kernel { cycles } | Work::Transfer { cycles, .. } => *cycles,
            Work::HostFunction { .. } => host,
        }
    }
}

/// What a step is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// Arithmetic on towers.
    Compute,
    /// Draws random coefficients, perhaps while it loads what they are added to.
    Sample,
    /// Moves words.
    Move,
    /// Registers, starts and interrupts: how host and device talk.
    Control,
}

impl Task {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Compute, Self::Sample, Self::Move, Self::Control];

    /// What a host function is for: drawing where it draws at all, for the residues of what was drawn
    /// belong to it; else what comes first in the order of [`Task`].
    pub fn of_host(operations: &HostOperations) -> Self {
        let tasks = || operations.keys().map(|operation| operation.task());
        match tasks().any(|task| task == Task::Sample) {
            true => Task::Sample,
            false => tasks().min().unwrap_or(Task::Control),
        }
    }

    /// The word used in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Sample => "sample",
            Self::Move => "move",
            Self::Control => "control",
        }
    }
}

/// Whether hardware stands behind a step. A target declares it, in [`crate::Rtl::units`] and where
/// its lowering asks for more than its RTL takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hardware {
    /// The device has in RTL all that the step needs of it.
    Rtl,
    /// The step is described, no RTL does it in these cycles.
    Described {
        /// Cycles that the port which the RTL has would take for the same bytes.
        through_rtl: Option<u64>,
    },
}

impl Hardware {
    /// No RTL does the step, and no port of it could.
    pub const DESCRIBED: Self = Hardware::Described { through_rtl: None };

    /// In RTL where the device has it there; else described.
    pub fn built(in_rtl: bool) -> Self {
        match in_rtl {
            true => Hardware::Rtl,
            false => Self::DESCRIBED,
        }
    }
}

/// What a step does; steps that do the same share one kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StepKind {
    /// What it does; steps that do the same share a name, under which a ledger adds them up.
    pub name: &'static str,
    /// What it is for.
    pub task: Task,
    /// Kernel, transfer or host function.
    pub work: Work,
    /// Whether it is in RTL; of a host function, what it needs of the device.
    pub hardware: Hardware,
    /// The units that it occupies, its own first. A unit does its steps in the order of the list.
    pub units: &'static [&'static str],
}

impl StepKind {
    /// Where its cycles come from; `None` for a host function in which nothing is assumed of the
    /// device, whose time is its host's alone.
    pub fn provenance(&self) -> Option<Provenance> {
        match (&self.hardware, &self.work) {
            (Hardware::Described { .. }, _) => Some(Provenance::Modelled),
            (Hardware::Rtl, Work::HostFunction { .. }) => None,
            (Hardware::Rtl, _) => Some(Provenance::Simulated),
        }
    }

    /// The same as a detail of a timeline's span.
    pub fn provenance_args(&self) -> Vec<(String, String)> {
        let word = |provenance: Provenance| ("provenance".to_owned(), provenance.to_string());
        self.provenance().map(word).into_iter().collect()
    }
}
