//! Which values of a function matter.

use super::Function;

impl Function {
    /// By value, whether a result depends on it.
    pub fn needed(&self) -> Vec<bool> {
        self.needed_for(&vec![true; self.returns.len()])
    }

    /// By value, whether one of the results that are wanted depends on it.
    pub fn needed_for(&self, wanted: &[bool]) -> Vec<bool> {
        let mut needed = vec![false; self.types.len()];
        for (value, _) in self
            .returns
            .iter()
            .zip(wanted)
            .filter(|(_, wanted)| **wanted)
        {
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
