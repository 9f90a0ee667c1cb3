//! Loads and stores: which is next, and how far behind what they must not overtake.

use super::super::pipeline::Entry;
use super::super::placed::{Placed, FILLER};
use super::super::task_graph::Kind;
use super::Scheduler;
use crate::isa::Class;

impl Scheduler<'_> {
    /// A store that is ready, or the next load.
    pub(super) fn issue_memory(&mut self) -> bool {
        let ready = self.ready[Class::LoadStore as usize].iter();
        let mut can = ready
            .map(|&(_, task)| task)
            .take(MOST_TRIED)
            .filter(|&task| {
                let sources = self.sources(&self.graph.tasks[task as usize]);
                sources.iter().flatten().all(|&r| self.pipeline.readable(r))
                    && self.missing_work(task) == Some(0)
            });
        if let Some(task) = can.next() {
            let key = (self.key[task as usize], task);
            self.ready[Class::LoadStore as usize].remove(&key);
            self.issue(task, [u8::MAX; 2]);
            return true;
        }
        self.issue_load()
    }

    fn issue_load(&mut self) -> bool {
        let free = self.live.iter().filter(|&&live| live == 0).count();
        let limit = self.oldest as u32 + self.knobs.window;
        while self
            .loads
            .get(self.first_load)
            .is_some_and(|&task| self.issued[task as usize])
        {
            self.first_load += 1;
        }
        let waiting = self.loads[self.first_load..].iter().copied();
        let waiting = waiting.filter(|&task| !self.issued[task as usize]);
        let candidates: Vec<u32> = waiting.take_while(|&task| task <= limit).collect();
        let mut fill = false;
        for task in candidates {
            let spare = if self.is_urgent(task) {
                1
            } else {
                self.knobs.reserve as usize
            };
            if self.cached(task) {
                return false;
            }
            if free <= spare && !self.graph.tasks[task as usize].results.is_empty() {
                break;
            }
            match self.missing_work(task) {
                Some(0) => {}
                missing => {
                    fill |= missing.is_some();
                    continue;
                }
            }
            if let Some(results) = self.place_load(task) {
                self.issue(task, results);
                return true;
            }
        }
        if fill {
            self.issue_filler();
        }
        fill
    }

    /// Whether the oldest instruction that waits needs this load.
    fn is_urgent(&self, task: u32) -> bool {
        task as usize <= self.oldest + 4
    }

    /// Work that the load/store pipe must still be given before `task` may follow what it must not
    /// overtake in memory; `None` if that has not even issued.
    ///
    /// Nothing in the machine watches memory, and what a scheduler held back a replay issues at once:
    /// only other work in the same pipe keeps a load behind a store's last write.
    fn missing_work(&self, task: u32) -> Option<u64> {
        let load = matches!(self.graph.tasks[task as usize].kind, Kind::Load { .. });
        let memory = &self.graph.tasks[task as usize].memory;
        if !memory.iter().all(|&other| self.issued[other as usize]) {
            return None;
        }
        let missing = |&other: &u32| {
            let between = self.graph.length(other, self.config) + self.config.load_store_latency;
            between.saturating_sub(self.work_done - self.work[other as usize])
        };
        match load {
            true => Some(memory.iter().map(missing).max().unwrap_or(0)),
            false => Some(0),
        }
    }

    /// Keeps the load/store pipe busy for a cycle.
    fn issue_filler(&mut self) {
        self.work_done += 1 + self.config.gap;
        self.pipeline.issue(Entry {
            class: Class::LoadStore,
            sources: [None; 3],
            destinations: [None; 2],
            groups: 0,
            tag: FILLER,
        });
        self.order.push(Placed {
            task: FILLER,
            sources: [0; 3],
            results: [0; 2],
        });
    }
}

/// Stores that are tried in a cycle.
const MOST_TRIED: usize = 12;
