//! What a run says of the values that it took from another device.

/// What was compared in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The machine that the values come from.
    pub values: String,
    /// Calls of kernels in the run.
    pub calls: usize,
    /// Those that the simulated machine ran too, all words equal.
    pub checked: usize,
    /// Different kernels among the calls. A call of each was checked: in this run, or where it is enough
    /// once per device, in one before.
    pub kernels: usize,
}
