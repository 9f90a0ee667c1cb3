//! A device behind a link: operands come over it, the device computes, results go back.
//!
//! The link carries one transfer at a time, in either direction: one DMA engine, with its set-up for
//! each transfer. While it brings operands of one run, the device may compute another, where the jobs
//! in flight allow it; the schedule decides. Keys and constants cross once and stay.

use crate::host::HostStageError;
use crate::link::Link;
use crate::stages::Stages;
use crate::station::Station;
use crate::workload::{Resource, ResourceKind};
use ringwright_target::Timing;

/// Where programs run, and what leads there.
#[derive(Clone, Copy, Debug)]
pub struct Offload<'a> {
    /// The device and its controller.
    pub station: &'a Station,
    /// What carries operands and results.
    pub link: &'a Link,
}

impl Offload<'_> {
    /// Adds what happens once, before the first run of a program: so many bytes of keys and constants
    /// cross, then the device does what it does once. Returns the index of the last; `None` of nothing.
    pub fn set_up(
        &self,
        stages: &mut Stages,
        timing: &Timing,
        bytes: u64,
        after: &[usize],
    ) -> Result<Option<usize>, HostStageError> {
        let brought = match bytes {
            0 => None,
            bytes => Some(self.moved(stages, "keys to the device", bytes, after)?),
        };
        let Some(own) = &timing.set_up else {
            return Ok(brought);
        };
        let after = brought.map_or_else(|| after.to_vec(), |brought| vec![brought]);
        Ok(Some(self.station.run_folded(stages, own, &after)?))
    }

    /// Adds a run between its transfers; returns the index of the last. Nothing crosses the link for no
    /// bytes.
    pub fn run(
        &self,
        stages: &mut Stages,
        timing: &Timing,
        [operands, results]: [u64; 2],
        after: &[usize],
    ) -> Result<usize, HostStageError> {
        let brought = match operands {
            0 => after.to_vec(),
            bytes => vec![self.moved(stages, "operands to the device", bytes, after)?],
        };
        let done = self.station.run_folded(stages, timing, &brought)?;
        match results {
            0 => Ok(done),
            bytes => self.moved(stages, "results from the device", bytes, &[done]),
        }
    }

    fn moved(
        &self,
        stages: &mut Stages,
        name: &str,
        bytes: u64,
        after: &[usize],
    ) -> Result<usize, HostStageError> {
        let place = Resource {
            name: format!("{} link", self.station.device),
            kind: Some(ResourceKind::Link),
            part_of: Some(self.station.part_of.clone()),
        };
        let place = stages.resource(&place)?;
        let stage = self.link.transfer(name, place, bytes.saturating_mul(8))?;
        Ok(stages.push(stage.after(after.iter().copied())))
    }
}
