//! What an accelerator (or the CPU at hand) must offer to be a target of ring programs.
//!
//! A [`Target`] is a plain record. Its `lower` turns a machine description into a [`Device`], a
//! [`Device`] lowers ring programs into [`Executable`]s, and one gives values and, where the machine
//! is simulated, the [`Timing`] of a run. [`conformance::run`] compares any target
//! with the reference interpreter, bit for bit.
//!
//! There is no registration: the list of targets stands in `crates/targets`, and whatever lists
//! targets iterates it. A capability that a target does not have is `None` and is reported as
//! "skipped: reason".

mod buffer_error;
mod buffered;
mod checked;
pub mod conformance;
mod core_clock;
pub mod cost;
mod counters;
pub mod definition;
mod device;
mod error;
mod form;
pub mod image;
mod instruction_set;
mod kept;
mod kernel_calls;
mod memory;
mod record;
mod ring;
mod roofline;
mod rtl;
mod schedule;
mod share;
mod size;
mod spot_checks;
mod step;
mod steps;
mod timing;
mod transform;
mod word_bytes;

pub use buffer_error::BufferError;
pub use buffered::{Argument, Buffered};
pub use checked::Checked;
pub use core_clock::core_clock;
pub use cost::{Cost, CostEntry, CostError, Energy, Quantity, Total};
pub use counters::{Counter, Counters};
pub use device::{with_late, CallTime, Device, Executable, Late, Listing, Profile};
pub use error::{check_target, TargetError, TransformError};
pub use form::Form;
pub use image::{Image, ImageError, ImageOf};
pub use instruction_set::{
    Alone, Assembled, AssembledInstruction, Execution, InstructionSet, InstructionSetError, Runner,
    Stall, TransformProgram, TransformTime, TransformTimer,
};
pub use kept::Kept;
pub use kernel_calls::KernelCalls;
pub use memory::{Buffer, DeviceMemory, Space};
pub use record::{CostModel, Target};
pub use ring::check_standard_ring;
pub use ringwright_ir::ring::Source;
pub use roofline::{Limit, Roofline, Roofs};
pub use rtl::{Rtl, RtlCase, RtlPackage, RtlParameter, RtlStudy, RtlWords};
pub use schedule::{
    FoundSchedule, FoundSchedules, Origin, ScheduleSearch, Sought, TransformSchedule,
};
pub use share::Share;
pub use size::{check_size, MAX_TOWERS};
pub use spot_checks::{Checks, ChecksError, OncePer, SpotChecked};
pub use step::{Hardware, HostOperation, HostOperations, StepKind, Task, Work, HOST};
pub use steps::{Interval, Step, Steps};
pub use timing::{Call, Called, Part, Timing, TimingError};
pub use transform::{
    PlacedInstruction, PublishedCycles, Residency, StrictReading, TransformAsked, TransformReport,
    TransformStudy, Utilisation, WordOrder,
};
pub use word_bytes::WordBytes;
