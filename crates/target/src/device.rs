//! Devices and the kernels that they lower programs to.

use crate::Timing;
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
}

/// A program on one device: values by [`Kernel::run`], time by [`LoweredKernel::timing`].
pub trait LoweredKernel: Kernel {
    /// Time of one run on the simulated machine. It is known before any run because it never
    /// depends on values. `None` where the machine is real: the caller measures by wall clock.
    fn timing(&self) -> Option<&Timing>;

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
