//! Which register a result takes.

use super::super::placed::in_place;
use super::super::task_graph::Task;
use super::Scheduler;
use crate::isa::REGISTERS;

impl Scheduler<'_> {
    /// Registers for the results of an instruction whose operands are there.
    pub(super) fn place(&self, task: u32) -> Option<[u8; 2]> {
        let it = &self.graph.tasks[task as usize];
        let sources = self.sources(it);
        if !sources.iter().flatten().all(|&r| self.pipeline.readable(r)) {
            return None;
        }
        let dying = it
            .sources
            .iter()
            .filter(|&&value| in_place(it.class(), self.config) && self.dies(value, task));
        let dying = dying.map(|&value| self.register[value as usize]);
        let dying: Vec<u8> = dying.filter(|&r| self.pipeline.writable(r)).collect();
        let mut results = [u8::MAX; 2];
        for i in 0..it.results.len() {
            results[i] = self.choose(&dying, results)?;
        }
        Some(results)
    }

    /// Whether `task` is the last to read a value, and its register holds nothing else.
    fn dies(&self, value: u32, task: u32) -> bool {
        let r = self.register[value as usize] as usize;
        self.unread[value as usize] == 1
            && self.live[r] == 1
            && self.graph.readers[value as usize].contains(&task)
            && self.pattern[r].is_none()
    }

    /// In place of a source that dies, or the register that was free longest; one that still has a
    /// constant at last.
    fn choose(&self, dying: &[u8], results: [u8; 2]) -> Option<u8> {
        let registers = (0..REGISTERS as u8).filter(|r| !results.contains(r));
        let scored = registers.filter_map(|r| {
            let cached = self.pattern[r as usize].is_some();
            match dying.contains(&r) {
                true => Some((false, 0, r)),
                false if self.is_free(r) => Some((cached, 1 + self.used_at[r as usize], r)),
                false => None,
            }
        });
        scored.min().map(|(.., r)| r)
    }

    fn is_free(&self, register: u8) -> bool {
        self.live[register as usize] == 0 && self.pipeline.writable(register)
    }

    pub(super) fn place_load(&self, task: u32) -> Option<[u8; 2]> {
        match self.graph.tasks[task as usize].results.is_empty() {
            true => Some([u8::MAX; 2]),
            false => Some([self.choose(&[], [u8::MAX; 2])?, u8::MAX]),
        }
    }

    /// Takes a constant that is in a register already.
    pub(super) fn cached(&mut self, task: u32) -> bool {
        let Some(pattern) = self.graph.tasks[task as usize].pattern else {
            return false;
        };
        let found = (0..REGISTERS)
            .find(|&r| self.pattern[r] == Some(pattern) && self.pipeline.readable(r as u8));
        let Some(r) = found else {
            return false;
        };
        let value = self.graph.tasks[task as usize].results[0];
        self.register[value as usize] = r as u8;
        self.live[r] += 1;
        self.issued[task as usize] = true;
        self.left -= 1;
        self.results_at(task, self.pipeline.now());
        true
    }

    pub(super) fn sources(&self, task: &Task) -> [Option<u8>; 3] {
        let mut sources = [None; 3];
        for (i, &value) in task.sources.iter().enumerate() {
            let r = self.register[value as usize];
            if !sources.contains(&Some(r)) {
                sources[i] = Some(r);
            }
        }
        sources
    }
}
