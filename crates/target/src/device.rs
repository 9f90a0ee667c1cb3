//! Devices and the kernels that they lower programs to.

use crate::{Timing, TransformSchedule};
use ringwright_ir::ring::Module;
use ringwright_ir::{Backend, Kernel, RunError};
use std::sync::Arc;

/// A target that is set up for one machine.
///
/// Every device is a [`Backend`], so `Arc<dyn Device>` passes wherever `Arc<dyn Backend>` is
/// expected; `prepare` is `lower` without access to time.
pub trait Device: Backend {
    /// Checks a program and lowers it; the result runs many times.
    fn lower(&self, module: &Module) -> Result<Arc<dyn LoweredKernel>, RunError>;

    /// Name of the machine description.
    fn machine(&self) -> &str;

    /// Bytes in which one word of a tower travels to and from the device and lies in the memory
    /// before it; `None` where the machine is real and its words stay in this computer's memory.
    fn bytes_per_word(&self) -> Option<u64> {
        None
    }

    /// The transforms that have been lowered so far, in the order of degrees: who found their
    /// orders. Empty where the machine orders nothing.
    fn schedules(&self) -> Vec<TransformSchedule> {
        Vec::new()
    }
}

/// A program on one device: values by [`Kernel::run`], time by [`LoweredKernel::timing`].
pub trait LoweredKernel: Kernel {
    /// Time of one run on the simulated machine. It is known before any run because it never
    /// depends on values. `None` where the machine is real: the caller measures by wall clock.
    fn timing(&self) -> Option<&Arc<Timing>>;

    /// The programs in the machine's own instructions that a run starts, each once, in the order
    /// of first use. Empty where the machine has no instruction set.
    fn listings(&self) -> Vec<Listing> {
        Vec::new()
    }
}

/// A program in a machine's own instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// What it computes.
    pub name: String,
    /// One instruction a line, as the assembler reads it, after a comment on how it was made.
    pub text: String,
    /// The same before a scheduler has seen it, where the machine's target has both.
    pub plain: Option<String>,
}
