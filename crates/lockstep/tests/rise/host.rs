//! The host: registers over APB, interrupts, and what it computes itself.
//!
//! A write takes two cycles. An interrupt takes three: the host sees the line in one and reads the
//! status register in two. A function takes none.

use crate::stalls::Stalls;
use ringwright_ir::Value;
use ringwright_target::image::{HostAction, RegisterWrite};
use ringwright_target::Image;
use ringwright_target_rise::hosted::Hosted;
use ringwright_target_rise::schedule::What;
use std::collections::VecDeque;

const STATUS: u32 = 4;
const FINISHED: u32 = 0b11 << 4;
const ERRORS: u32 = 0b11 << 8;

pub const CYCLES_OF_ACCESS: u64 = 2;

/// Cycles that the host takes for a step.
pub fn cycles(what: What, writes: u64) -> u64 {
    match what {
        What::TakeInterrupt => 1 + CYCLES_OF_ACCESS,
        What::Function(_) => 0,
        _ => writes * CYCLES_OF_ACCESS,
    }
}

/// What the host drives in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub enable: bool,
    pub offset: u32,
    pub write: Option<u32>,
}

enum State {
    Ready,
    Waits,
    /// What is left to write, and whether its next access is in its second cycle.
    Writes(VecDeque<RegisterWrite>, bool),
    Reads(bool),
}

pub struct Host<'a> {
    hosted: &'a Hosted,
    inputs: &'a [Value],
    actions: VecDeque<(Option<usize>, HostAction)>,
    /// Of the program that have run.
    functions: usize,
    state: State,
    stalls: Stalls,
    /// Begin and end of every step that took time.
    pub steps: Vec<(usize, u64, u64)>,
    begun: u64,
}

impl<'a> Host<'a> {
    /// A host that sets the device up, then does what the script asks for.
    pub fn new(hosted: &'a Hosted, image: &Image, inputs: &'a [Value], stalls: Stalls) -> Self {
        let set_up = (None, HostAction::Write(image.set_up.clone()));
        let steps = hosted.host_steps().into_iter().map(Some);
        let actions = steps.zip(image.script.iter().cloned());
        Host {
            hosted,
            inputs,
            actions: [set_up].into_iter().chain(actions).collect(),
            functions: 0,
            state: State::Ready,
            stalls,
            steps: Vec::new(),
            begun: 0,
        }
    }

    pub fn is_done(&self) -> bool {
        self.actions.is_empty()
    }

    pub fn drive(&mut self, cycle: u64, memory: &mut [u8]) -> Option<Access> {
        while let State::Ready = self.state {
            self.begun = cycle;
            self.state = match self.actions.front()? {
                (_, HostAction::Write(writes)) => {
                    State::Writes(writes.iter().copied().collect(), false)
                }
                (_, HostAction::TakeInterrupt) => State::Waits,
                (_, HostAction::Function { name, .. }) => {
                    let run = self.hosted.function(self.functions, self.inputs, memory);
                    run.expect(name);
                    self.functions += 1;
                    self.actions.pop_front();
                    continue;
                }
            };
        }
        match &self.state {
            State::Writes(_, false) | State::Reads(false) if self.stalls.stall() => None,
            State::Writes(writes, enable) => writes.front().map(|write| Access {
                enable: *enable,
                offset: write.offset,
                write: Some(write.value),
            }),
            State::Reads(enable) => Some(Access {
                enable: *enable,
                offset: STATUS,
                write: None,
            }),
            State::Waits | State::Ready => None,
        }
    }

    /// The device's answer in the same cycle.
    pub fn see(&mut self, cycle: u64, access: Option<Access>, word: u32, error: bool, line: bool) {
        let done = match (&mut self.state, access) {
            (State::Waits, _) => {
                // The step begins when there is something to take.
                self.begun = cycle;
                if line {
                    self.state = State::Reads(false);
                }
                false
            }
            (State::Writes(_, enable @ false) | State::Reads(enable @ false), Some(_)) => {
                *enable = true;
                false
            }
            (State::Writes(writes, enable @ true), Some(_)) => {
                assert!(!error, "a write is refused");
                *enable = false;
                writes.pop_front();
                writes.is_empty()
            }
            (State::Reads(true), Some(_)) => {
                assert!(!error && word & FINISHED != 0, "status {word:#x}");
                assert_eq!(word & ERRORS, 0, "status {word:#x}");
                true
            }
            _ => false,
        };
        if done {
            if let Some((Some(step), _)) = self.actions.pop_front() {
                self.steps.push((step, self.begun, cycle + 1));
            }
            self.state = State::Ready;
        }
    }
}
