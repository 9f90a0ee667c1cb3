//! A simulated machine where it stands in a system: its steps become stages.
//!
//! A machine leaves to its host what it has no unit for, as counts of operations. The host turns
//! counts into time, and the steps are scheduled again with it: transfers overlap transforms where
//! neither a unit nor a dependency forbids, and so does the host. Every unit and the host do their
//! steps in the order of the list, as the machine does. A step that no RTL does is modelled,
//! whatever its host's costs are.

use crate::host::{Host, HostStageError};
use crate::naming::Naming;
use crate::stages::Stages;
use crate::workload::{Resource, ResourceId, ResourceKind, Stage, StageKind};
use ringwright_sim::{Clock, Cycle, Provenance};
use ringwright_target::{Step, StepKind, Steps, Task, Timing, Work};
use std::collections::BTreeMap;

/// A device with the host that serves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// What the names of the machine's units begin with.
    pub device: String,
    /// The resource that they are parts of.
    pub part_of: String,
    /// What an operation of the host costs.
    pub host: Host,
    /// The processor that does them.
    pub processor: Resource,
    /// What the ledger calls the machine's steps.
    pub naming: Naming,
}

/// What a run waits for, as indices of earlier stages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waits<'a> {
    /// All of it.
    pub all: &'a [usize],
    /// The device and its control besides, for instance for the end of the run before.
    pub device: &'a [usize],
}

/// Where the stages of one run stand among the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placing {
    /// Index of the first.
    pub first: usize,
    /// The stage after which the device is free for another run; `None` for a run without steps.
    pub free: Option<usize>,
    /// Those that draw samples.
    pub sampling: Vec<usize>,
}

impl Station {
    /// Adds the stages of a run, one for each step.
    ///
    /// An error for an operation whose cost the host does not know.
    pub fn run(
        &self,
        stages: &mut Stages,
        timing: &Timing,
        waits: Waits<'_>,
    ) -> Result<Placing, HostStageError> {
        self.steps(stages, &timing.clock, &timing.unfolded(), waits)
    }

    /// Adds the stages of these steps.
    pub(crate) fn steps(
        &self,
        stages: &mut Stages,
        clock: &Clock,
        steps: &Steps,
        waits: Waits<'_>,
    ) -> Result<Placing, HostStageError> {
        let first = stages.stages().len();
        let mut placing = Placing {
            first,
            free: None,
            sampling: Vec::new(),
        };
        let mut latest: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, step) in (first..).zip(steps.iter()) {
            let stage = self.stage(stages, clock, step.kind)?;
            let of_device = is_of_device(step.kind);
            stages.push(stage.after(all_waits(first, &step, &latest, waits, of_device)));
            latest.extend(step.kind.units.iter().map(|&unit| (unit, index)));
            if of_device {
                placing.free = Some(index);
            }
            if step.kind.task == Task::Sample {
                placing.sampling.push(index);
            }
        }
        Ok(placing)
    }

    fn stage(
        &self,
        stages: &mut Stages,
        clock: &Clock,
        step: &StepKind,
    ) -> Result<Stage, HostStageError> {
        let name = self.naming.name(step);
        if let Work::HostFunction { operations } = &step.work {
            let processor = stages.resource(&self.processor)?;
            let operations = operations.iter();
            let counts = operations.map(|(operation, count)| (operation.as_str(), *count));
            return self.host.stage(name, processor, counts, step.provenance());
        }
        let units = step.units.iter().map(|unit| self.unit(stages, unit));
        let units: Vec<ResourceId> = units.collect::<Result<_, _>>()?;
        let (&own, others) = units
            .split_first()
            .ok_or(HostStageError::NoUnit { name: step.name })?;
        let duration = clock.time_of(Cycle(step.work.device_cycles()))?;
        // Only a host function can be without a provenance of its own.
        let provenance = step.provenance().unwrap_or(Provenance::Modelled);
        let kind = StageKind::of(&step.work);
        Ok(Stage {
            also_holds: others.to_vec(),
            ..Stage::new(name, kind, own, duration, provenance)
        })
    }

    fn unit(&self, stages: &mut Stages, unit: &str) -> Result<ResourceId, HostStageError> {
        let resource = Resource {
            name: format!("{} {unit}", self.device),
            kind: Some(ResourceKind::Device),
            part_of: Some(self.part_of.clone()),
        };
        Ok(stages.resource(&resource)?)
    }
}

/// Stages that a step waits for, each once, in order.
fn all_waits(
    first: usize,
    step: &Step<'_>,
    latest: &BTreeMap<&str, usize>,
    waits: Waits<'_>,
    of_device: bool,
) -> Vec<usize> {
    let mut all = waits.all.to_vec();
    all.extend(step.after.iter().map(|&before| first + before as usize));
    let units = step.kind.units.iter();
    all.extend(units.filter_map(|unit| latest.get(unit)));
    if of_device {
        all.extend(waits.device);
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// What the device does, and what its host does to it.
fn is_of_device(step: &StepKind) -> bool {
    StageKind::of(&step.work) != StageKind::HostFunction || step.task == Task::Control
}
