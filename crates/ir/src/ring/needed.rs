//! Which values of a function matter.

use super::Function;

impl Function {
    /// By value, whether a result depends on it.
    pub fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.types.len()];
        for value in &self.returns {
            needed[value.index()] = true;
        }
        for op in self.ops.iter().rev() {
            if op.results.iter().any(|value| needed[value.index()]) {
                op.args.iter().for_each(|arg| needed[arg.index()] = true);
            }
        }
        needed
    }
}
