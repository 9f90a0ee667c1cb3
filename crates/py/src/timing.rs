//! The time of programs on simulated machines, known without running them.

use pyo3::prelude::*;
use ringwright_ir::ring::Loc;
use ringwright_schemes::ckks;
use ringwright_sim::Provenance;
use ringwright_system::StageKind;
use ringwright_target::{self as target, HostOperation, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Time of one run on a simulated machine.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Timing(pub Arc<target::Timing>);

#[pymethods]
impl Timing {
    /// Period of the machine's clock, femtoseconds.
    #[getter]
    fn clock_fs(&self) -> u64 {
        self.0.clock.period().0
    }

    /// Where that period comes from: "published", "synthesised", "modelled", …
    #[getter]
    fn clock_provenance(&self) -> &'static str {
        self.0.clock.provenance().as_str()
    }

    /// What the device does once, before the first run, for the ring and for keys that it keeps, in none
    /// of the other numbers; `None` where it needs nothing.
    #[getter]
    fn set_up(&self) -> Option<Self> {
        self.0.set_up.clone().map(Self)
    }

    /// From the start until the device has drained, host functions taking no time.
    #[getter]
    fn cycles(&self) -> u64 {
        self.0.cycles.0
    }

    /// Where `cycles` come from: "simulated" where the units are in RTL, "modelled" where they are
    /// described only, both where they mix.
    #[getter]
    fn provenances(&self) -> Vec<&'static str> {
        words(&self.0.provenances())
    }

    /// How often each instruction runs, by mnemonic; empty for machines without instructions.
    #[getter]
    fn instructions(&self) -> BTreeMap<&'static str, u64> {
        self.0.counters().of("instruction").collect()
    }

    /// How many parts were timed; what is called again is not timed again.
    #[getter]
    fn parts(&self) -> usize {
        self.0.parts.len()
    }

    /// What one run leaves to the machine's host, as counts of operations.
    #[getter]
    fn host_operations(&self) -> BTreeMap<&'static str, u64> {
        let mut all = BTreeMap::new();
        for (kind, times) in self.0.count() {
            if let Work::HostFunction { operations } = &kind.work {
                for (operation, count) in operations {
                    *all.entry(operation.as_str()).or_insert(0) += count * times;
                }
            }
        }
        all
    }

    /// Work of the busiest unit of every part of the run, together: no order of the same steps that
    /// keeps the parts apart takes less.
    #[getter]
    fn bound_cycles(&self) -> u64 {
        self.0.bound().0
    }

    /// Cycles of the device's clock by what steps are and are for, one after the other: (kind, task)
    /// to cycles.
    #[getter]
    fn cycles_by_task(&self) -> BTreeMap<(&'static str, &'static str), u64> {
        let mut all = BTreeMap::new();
        for (kind, times) in self.0.count() {
            let key = (StageKind::of(&kind.work).as_str(), kind.task.as_str());
            *all.entry(key).or_insert(0) += kind.work.device_cycles() * times;
        }
        all
    }

    /// What a run moves without RTL that another port of the RTL could move: cycles that it takes,
    /// and cycles through that port. `None` where there is nothing of the kind.
    #[getter]
    fn moves(&self) -> Option<(u64, u64)> {
        let kinds = self.0.count().into_iter();
        let moves = kinds.filter_map(|(kind, times)| match kind.hardware {
            target::Hardware::Described { through_rtl } => {
                Some((kind.work.device_cycles() * times, through_rtl? * times))
            }
            target::Hardware::Rtl => None,
        });
        moves.reduce(|(own, rtl), (more, more_rtl)| (own + more, rtl + more_rtl))
    }

    /// What is called in order; its exposed cycles sum to `cycles`.
    #[getter]
    fn kernels(&self) -> Vec<KernelTiming> {
        self.0.shares().map(KernelTiming::of).collect()
    }

    /// Those of them that are for no call of the program: what the device needs besides.
    #[getter]
    fn besides(&self) -> Vec<KernelTiming> {
        let shares = self.0.shares();
        let besides = shares.filter(|(source, _)| source.call.is_none());
        besides.map(KernelTiming::of).collect()
    }

    /// What device, transfers and host do, in order, of all calls.
    #[getter]
    fn steps(&self) -> Vec<Step> {
        let steps = self.0.unfolded();
        let step = |step: target::Step<'_>| Step {
            kind: step.kind.clone(),
            after: step.after.to_vec(),
        };
        steps.iter().map(step).collect()
    }
}

fn interrupts(share: &target::Share) -> u64 {
    let taken = share.host_operations.get(&HostOperation::Interrupt);
    taken.copied().unwrap_or(0)
}

fn words(provenances: &BTreeSet<Provenance>) -> Vec<&'static str> {
    provenances.iter().map(|each| each.as_str()).collect()
}

/// Time of one ring function that a program calls.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct KernelTiming {
    source: target::Source,
    share: target::Share,
}

impl KernelTiming {
    fn of((source, share): (&target::Source, &target::Share)) -> Self {
        Self {
            source: source.clone(),
            share: share.clone(),
        }
    }
}

#[pymethods]
impl KernelTiming {
    /// The ring function.
    #[getter]
    fn name(&self) -> &str {
        &self.source.name
    }

    /// The user's file and line that asked for it: "camera.py:12".
    #[getter]
    fn line(&self) -> Option<String> {
        self.source.loc.as_ref().map(Loc::to_string)
    }

    /// From its first step until its last has ended; 0 where all is the host's, or where another's
    /// steps do it as well.
    #[getter]
    fn cycles(&self) -> u64 {
        self.share.cycles.0
    }

    /// How many of them no other call hides; over all calls they sum to `Timing.cycles`.
    #[getter]
    fn exposed_cycles(&self) -> u64 {
        self.share.exposed.0
    }

    /// Work of the unit that works longest: no order of the same steps takes less.
    #[getter]
    fn bound_cycles(&self) -> u64 {
        self.share.bound.0
    }

    /// Where they come from, as `Timing.provenances`.
    #[getter]
    fn provenances(&self) -> Vec<&'static str> {
        words(&self.share.provenances)
    }

    /// Bytes between the device and the memory behind it.
    #[getter]
    fn bytes_moved(&self) -> u64 {
        self.share.bytes_moved
    }

    /// Interrupts that its host takes.
    #[getter]
    fn interrupts(&self) -> u64 {
        interrupts(&self.share)
    }
}

/// One step of a run.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct Step {
    kind: target::StepKind,
    after: Vec<u32>,
}

#[pymethods]
impl Step {
    /// What it does; steps that do the same share it.
    #[getter]
    fn name(&self) -> &'static str {
        self.kind.name
    }

    /// "kernel", "transfer" or "host".
    #[getter]
    fn kind(&self) -> &'static str {
        StageKind::of(&self.kind.work).as_str()
    }

    /// What it is for: "compute", "sample" (draws coefficients), "move" (words) or "control"
    /// (registers, starts, interrupts).
    #[getter]
    fn task(&self) -> &'static str {
        self.kind.task.as_str()
    }

    /// Cycles of the device's clock; 0 for a host function, whose time its host decides.
    #[getter]
    fn cycles(&self) -> u64 {
        self.kind.work.device_cycles()
    }

    /// "simulated" where RTL does it, "modelled" where none does; `None` for a host function in which
    /// nothing of the device is assumed: its time is its host's alone.
    #[getter]
    fn provenance(&self) -> Option<&'static str> {
        self.kind.provenance().map(Provenance::as_str)
    }

    /// Cycles that the port which the RTL has would take for the same bytes; `None` where the step is
    /// in RTL or none of its ports could do it.
    #[getter]
    fn cycles_through_rtl(&self) -> Option<u64> {
        match self.kind.hardware {
            target::Hardware::Described { through_rtl } => through_rtl,
            target::Hardware::Rtl => None,
        }
    }

    /// Bytes of a transfer; 0 otherwise.
    #[getter]
    fn byte_count(&self) -> u64 {
        match self.kind.work {
            Work::Transfer { bytes, .. } => bytes,
            _ => 0,
        }
    }

    /// What a host function does, as counts of operations; empty otherwise.
    #[getter]
    fn operations(&self) -> BTreeMap<&'static str, u64> {
        match &self.kind.work {
            Work::HostFunction { operations } => operations
                .iter()
                .map(|(operation, count)| (operation.as_str(), *count))
                .collect(),
            _ => BTreeMap::new(),
        }
    }

    /// The units that it occupies, its own first.
    #[getter]
    fn units(&self) -> Vec<&'static str> {
        self.kind.units.to_vec()
    }

    /// Indices of the earlier steps that it waits for.
    #[getter]
    fn after(&self) -> Vec<u32> {
        self.after.clone()
    }
}

/// What one operation of a ciphertext program takes.
#[pyclass(frozen, module = "ringwright._ringwright")]
pub struct OperationCycles {
    site: ckks::CallSite,
    cycles: u64,
    exposed_cycles: u64,
    bound_cycles: u64,
    bytes_moved: u64,
    interrupts: u64,
    provenances: Vec<&'static str>,
}

impl OperationCycles {
    /// What each call of an entry function takes, 0 where it leaves the device nothing to do.
    pub fn of(timing: &target::Timing, sites: &[ckks::CallSite]) -> Vec<Self> {
        let mut all: Vec<Self> = sites.iter().map(Self::nothing).collect();
        for (source, share) in timing.shares() {
            if let Some(one) = source.call.and_then(|call| all.get_mut(call)) {
                one.cycles += share.cycles.0;
                one.exposed_cycles += share.exposed.0;
                one.bound_cycles += share.bound.0;
                one.bytes_moved += share.bytes_moved;
                one.interrupts += interrupts(share);
                one.provenances = words(&share.provenances);
            }
        }
        all
    }

    fn nothing(site: &ckks::CallSite) -> Self {
        Self {
            site: site.clone(),
            cycles: 0,
            exposed_cycles: 0,
            bound_cycles: 0,
            bytes_moved: 0,
            interrupts: 0,
            provenances: Vec::new(),
        }
    }
}

#[pymethods]
impl OperationCycles {
    /// What it does, in a word: "mul_relin", "rotate", "decompose".
    #[getter]
    fn kind(&self) -> &'static str {
        self.site.kind
    }

    /// The operation with its operands, as `explain` shows it: "rotate %4".
    #[getter]
    fn op(&self) -> &str {
        &self.site.op
    }

    /// Towers of its first operand.
    #[getter]
    fn level(&self) -> usize {
        self.site.level
    }

    /// Name of the value it makes.
    #[getter]
    fn result(&self) -> &str {
        &self.site.result
    }

    /// The ring function: "ckks.mul_relin@6".
    #[getter]
    fn function(&self) -> &str {
        &self.site.function
    }

    /// The user's file and line: "camera.py:12".
    #[getter]
    fn line(&self) -> Option<String> {
        self.site.loc.as_ref().map(Loc::to_string)
    }

    /// From its first step on the device until its last has ended, its host taking no time; 0 for what
    /// is left to the host, or done by the steps of another operation.
    #[getter]
    fn cycles(&self) -> u64 {
        self.cycles
    }

    /// How many of them no other operation hides; over all operations they sum to `Timing.cycles`.
    #[getter]
    fn exposed_cycles(&self) -> u64 {
        self.exposed_cycles
    }

    /// Work of the unit that works longest: no order of the same steps takes less.
    #[getter]
    fn bound_cycles(&self) -> u64 {
        self.bound_cycles
    }

    /// Bytes between the device and the memory behind it.
    #[getter]
    fn bytes_moved(&self) -> u64 {
        self.bytes_moved
    }

    /// Interrupts that its host takes.
    #[getter]
    fn interrupts(&self) -> u64 {
        self.interrupts
    }

    /// Where they come from, as `Timing.provenances`; empty for what is left to the host.
    #[getter]
    fn provenances(&self) -> Vec<&'static str> {
        self.provenances.clone()
    }
}
