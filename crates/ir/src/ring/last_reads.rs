//! When the values of a function are needed for the last time.

use super::Function;

/// The last reader of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastRead {
    /// Nothing reads it.
    Never,
    /// The operation at this position.
    Operation(usize),
    /// It is returned.
    Return,
}

impl Function {
    /// The last reader of every value.
    pub fn last_reads(&self) -> Vec<LastRead> {
        let mut last = vec![LastRead::Never; self.types.len()];
        for (index, op) in self.ops.iter().enumerate() {
            for arg in &op.args {
                last[arg.index()] = LastRead::Operation(index);
            }
        }
        for value in &self.returns {
            last[value.index()] = LastRead::Return;
        }
        last
    }
}
