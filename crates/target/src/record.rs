//! The record that describes a target.

use crate::cost::CostError;
use crate::error::check_target;
use crate::{Cost, Device, ImageOf, Rtl, ScheduleSearch, TargetError, TransformStudy};
use ringwright_silicon::Process;
use ringwright_spec::{Machine, ParamDecl};
use std::sync::Arc;

/// Counts the cost of a machine in a process.
pub type CostModel = fn(&Machine, &Process) -> Result<Cost, CostError>;

/// A target: what it is called, what can be set, and what it can do.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Short name, as in `target = "cpu"` of a machine description.
    pub name: &'static str,
    /// One line for lists.
    pub title: &'static str,
    /// The publication that it follows.
    pub paper: Option<&'static str>,
    /// Name of the machine description that is used when none is given.
    pub default_machine: &'static str,
    /// Every parameter that a machine description may set, from `spec/<target>/params.toml`.
    pub parameters: fn() -> &'static [ParamDecl],
    /// Sets the target up for one machine.
    pub lower: fn(&Machine) -> Result<Arc<dyn Device>, TargetError>,
    /// Area, clock and energies of one machine; `None` where the target has no hardware model.
    pub cost: Option<CostModel>,
    /// One transform alone; `None` where the target has no transform unit of its own.
    pub transform: Option<TransformStudy>,
    /// A search for better orders of transforms; `None` where nothing is ordered.
    pub schedules: Option<ScheduleSearch>,
    /// The synthesizable RTL; `None` without.
    pub rtl: Option<Rtl>,
    /// A program as the hardware's host sees it; `None` where none is described.
    pub image: Option<ImageOf>,
}

impl Target {
    /// Whether a machine description is one of this target.
    pub fn check(&self, machine: &Machine) -> Result<(), TargetError> {
        check_target(machine, self.name)
    }
}
