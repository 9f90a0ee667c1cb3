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
    /// Adds what happens once, before the first run of a program: what the device does for its ring, and
    /// so many bytes of keys and constants that cross. Returns the index of the last; `None` of nothing.
    pub fn set_up(
        &self,
        stages: &mut Stages,
        timing: &Timing,
        bytes: u64,
        after: &[usize],
    ) -> Result<Option<usize>, HostStageError> {
        let own = timing.set_up.as_deref();
        let own = own.map(|own| self.station.run_folded(stages, own, after));
        let own = own.transpose()?;
        if bytes == 0 {
            return Ok(own);
        }
        let after = own.map_or_else(|| after.to_vec(), |own| vec![own]);
        let brought = self.moved(stages, "keys to the device", bytes, &after)?;
        Ok(Some(brought))
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
