//! A queue between the front end and a pipeline (RPU, section IV-A): first in, first out.
//!
//! An entry pushed in cycle t may start from t + 1 on. It leaves in the cycle in which it starts,
//! and its place can be filled by an issue in the cycle after.

use std::collections::VecDeque;

/// Entries are numbers of instructions with the cycle of their issue.
#[derive(Debug)]
pub struct Queue {
    entries: VecDeque<(usize, u64)>,
    depth: usize,
}

impl Queue {
    /// An empty queue.
    pub fn new(depth: usize) -> Self {
        Queue {
            entries: VecDeque::with_capacity(depth),
            depth,
        }
    }

    /// Whether there is no room; asked before the starts of the cycle.
    pub fn is_full(&self) -> bool {
        self.entries.len() == self.depth
    }

    /// Issues an instruction in a cycle.
    pub fn push(&mut self, instruction: usize, cycle: u64) {
        self.entries.push_back((instruction, cycle));
    }

    /// The oldest instruction and the first cycle in which it may start.
    pub fn head(&self) -> Option<(usize, u64)> {
        self.entries.front().map(|&(i, issued)| (i, issued + 1))
    }

    /// Starts the oldest instruction.
    pub fn pop(&mut self) {
        self.entries.pop_front();
    }
}
