//! The front end (RPU, section IV-A): one instruction in a cycle, in order.
//!
//! The instruction in decode issues when none of its registers is busy and its queue has room;
//! otherwise everything behind it waits. It sees busyboard and queues as they stand at the start
//! of the cycle. A busy register is named before a full queue.

use crate::schedule::{FrontEndStalls, Wait, Waited};

/// Where the program stands.
#[derive(Debug, Default)]
pub struct FrontEnd {
    /// The instruction in decode.
    pub pc: usize,
    /// Cycles so far.
    pub stalls: FrontEndStalls,
    /// Since when the instruction in decode waits, and why.
    waiting: Option<(u64, Wait)>,
    /// Every wait.
    pub waits: Vec<Waited>,
}

impl FrontEnd {
    /// The instruction in decode issues in this cycle.
    pub fn issue(&mut self, now: u64) {
        self.end_wait(now);
        self.stalls.issue += 1;
        self.pc += 1;
    }

    /// It waits in this cycle, and until the front end looks again.
    pub fn wait(&mut self, now: u64, reason: Wait) {
        self.end_wait(now);
        self.waiting = Some((now, reason));
    }

    fn end_wait(&mut self, now: u64) {
        let Some((since, reason)) = self.waiting.take() else {
            return;
        };
        let cycles = match reason {
            Wait::Busy(class) => &mut self.stalls.busy[class],
            Wait::QueueFull(class) => &mut self.stalls.queue_full[class],
        };
        *cycles += now - since;
        self.waits.push(Waited {
            since,
            until: now,
            reason,
        });
    }
}
