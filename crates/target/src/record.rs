//! The record that describes a target.

use crate::{Cost, Device, ImageOf, Rtl, ScheduleSearch, TransformStudy};
use ringwright_spec::{Machine, ParamDecl, SpecError};
use std::sync::Arc;

/// Counts the cost of a machine.
pub type CostModel = fn(&Machine) -> Result<Cost, TargetError>;

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
    /// Area, power and resources of one machine; `None` where the target has no hardware model.
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

/// Whether a machine description is one of the target of this name.
pub fn check_target(machine: &Machine, target: &'static str) -> Result<(), TargetError> {
    match machine.target() == target {
        true => Ok(()),
        false => Err(TargetError::OtherTarget {
            machine: machine.name().to_owned(),
            given: machine.target().to_owned(),
            target,
        }),
    }
}

/// Why a machine description cannot be turned into a device.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The description is for another target.
    #[error("machine {machine} describes target {given}, not {target}")]
    OtherTarget {
        /// Name of the machine description.
        machine: String,
        /// The target that it names.
        given: String,
        /// The target that was asked to lower it.
        target: &'static str,
    },
    /// A parameter that is not declared with the kind that the target reads.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Schedules that came with the description and cannot be used.
    #[error("{file}: {reason}")]
    Schedules {
        /// Where they stand.
        file: String,
        /// What is wrong with them.
        reason: String,
    },
    /// A declared value that this host cannot provide.
    #[error("machine {machine}: {key} = {given} is not possible here; {allowed}")]
    Unavailable {
        /// Name of the machine description.
        machine: String,
        /// The parameter.
        key: &'static str,
        /// The value that was asked for.
        given: String,
        /// What is possible here.
        allowed: String,
    },
}
