//! Names of the towers that a part works with.

/// One tower: the part's operands come first, then its results, then what it keeps on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl Slot {
    /// As an index of lists that have an item for each slot.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
