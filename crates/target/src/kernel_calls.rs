//! Programs whose calls of kernels run one by one.

use ringwright_ir::RunError;
use ringwright_towers::{Program, Shelf};

/// A lowered program whose calls of kernels can be run one by one.
pub trait KernelCalls: Send + Sync {
    /// Its calls, in the order of a run.
    fn program(&self) -> &Program;

    /// Towers that a call needs in memory: those of the program, then what it keeps on its way.
    fn places(&self) -> usize {
        self.program().towers
    }

    /// Runs one call alone on the simulated machine. Its operands are in memory, and no seed among them; its
    /// results go there.
    ///
    /// # Errors
    /// What a run of the program would refuse at this call.
    fn run_call(&self, call: usize, memory: &mut Shelf) -> Result<(), RunError>;
}
