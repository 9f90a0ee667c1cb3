//! Which pipe gets an instruction in this cycle, and which one.

use super::Scheduler;
use crate::isa::Class;

impl Scheduler<'_> {
    /// Issues the best instruction, if there is one.
    pub(super) fn issue_one(&mut self) -> bool {
        let mut classes = [
            (self.slack(Class::Compute), Class::Compute),
            (self.slack(Class::Shuffle), Class::Shuffle),
            (self.slack(Class::LoadStore), Class::LoadStore),
        ];
        classes.sort_by_key(|&(slack, _)| slack);
        classes.into_iter().any(|(_, class)| {
            self.pipeline.queued(class) <= self.knobs.ahead as usize
                && match class {
                    Class::LoadStore => self.issue_memory(),
                    class => self.issue_ready(class),
                }
        })
    }

    /// Cycles until a pipe starves.
    fn slack(&self, class: Class) -> u64 {
        match class {
            Class::LoadStore => self.pipeline.queued(class) as u64 * self.config.beats() as u64,
            class => self.pipeline.earliest(class) - self.pipeline.now() - 1,
        }
    }

    /// The first in the order that can issue and for which there are registers.
    fn issue_ready(&mut self, class: Class) -> bool {
        let candidates = self.ready[class as usize].iter().map(|&(_, task)| task);
        let mut placed = candidates
            .take(MOST_TRIED)
            .filter_map(|task| Some((task, self.place(task)?)));
        let Some((task, results)) = placed.next() else {
            return false;
        };
        self.ready[class as usize].remove(&(self.key[task as usize], task));
        self.issue(task, results);
        true
    }
}

/// Instructions of a pipe that are tried in a cycle.
const MOST_TRIED: usize = 24;
