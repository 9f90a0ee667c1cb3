//! Lines that move in and out of the core's memories while a program runs, in cycles drawn at random.
//!
//! They touch the upper half of the data memories, which the program does not have, and instructions
//! behind its own. What was written is kept, what is read is compared at once.

use super::{Inputs, Memory};
use ringwright_arith::Choices;
use ringwright_target_rpu::config::VdmPort;
use ringwright_target_rpu::Config;
use std::collections::BTreeMap;
use std::ops::Range;

/// Positions in the input vector of `lockstep_rpu_core.sv`.
const WORD: usize = 6;
const ADDRESS: usize = 10;
const CONTROL: usize = 11;
const ENABLE: usize = 12;
const REQUEST: u32 = 1;
const WRITE: u32 = 2;
/// The words that are read, in its output vector.
const READ: usize = 6;

/// A memory that lines move into.
struct Side {
    memory: Memory,
    free: Range<usize>,
    /// Words of a line.
    words: usize,
    /// Addresses of lines are multiples of it.
    aligned: usize,
    bits: u32,
}

/// Moves of one run.
pub struct Moves {
    choices: Choices,
    /// One cycle in so many has a move; 0: none.
    rarity: usize,
    sides: Vec<Side>,
    /// What was written, by memory and address.
    written: BTreeMap<(u32, usize), u128>,
    /// Read in this cycle, and in the one before.
    asked: Option<usize>,
    due: Option<usize>,
    /// Lines so far.
    pub lines: u64,
}

impl Moves {
    /// Nothing moves.
    pub fn none() -> Self {
        Moves {
            choices: Choices::new(0),
            rarity: 0,
            sides: Vec::new(),
            written: BTreeMap::new(),
            asked: None,
            due: None,
            lines: 0,
        }
    }

    /// Beside a program whose instructions end at `end`, on a machine that was built with this port.
    pub fn beside(config: &Config, port_bytes: usize, end: usize, seed: u64) -> Self {
        let beat = port_bytes / config.bytes_per_word() as usize;
        let data = |memory, words: usize, aligned| Side {
            memory,
            free: words / 2..words,
            words: beat,
            aligned,
            bits: config.word_bits,
        };
        let instructions = Side {
            memory: Memory::Instruction,
            free: end..config.im_words,
            words: port_bytes / 8,
            aligned: 1,
            bits: 64,
        };
        let mut sides = vec![instructions, data(Memory::Scalar, config.sdm_words, 1)];
        if config.vdm_port == VdmPort::Second {
            sides.push(data(Memory::Vector, config.vdm_words, beat));
        }
        let mut choices = Choices::new(seed);
        Moves {
            rarity: 1 + choices.below(4),
            choices,
            sides,
            ..Moves::none()
        }
    }

    /// Puts the next line, if one moves in this cycle, into the inputs.
    pub fn offer(&mut self, inputs: &mut Inputs) {
        if self.rarity == 0 || !self.choices.one_in(self.rarity) {
            return;
        }
        let side = &self.sides[self.choices.below(self.sides.len())];
        let room = (side.free.end - side.words).saturating_sub(side.free.start);
        let first = side.free.start + self.choices.below(room + 1) / side.aligned * side.aligned;
        if room == 0 {
            return;
        }
        let reads = matches!(side.memory, Memory::Vector) && self.choices.one_in(2);
        let mask = self.choices.at_least_one((1 << side.words) - 1);
        let word = self.choices.wide() >> (129 - side.bits);
        for quarter in 0..4 {
            inputs[WORD + quarter] = (word >> (32 * quarter)) as u32;
        }
        inputs[ADDRESS] = first as u32;
        inputs[CONTROL] = REQUEST | (side.memory as u32) << 2;
        inputs[ENABLE] = mask as u32;
        self.lines += 1;
        if reads {
            inputs[ENABLE] |= 1;
            self.asked = Some(first);
            return;
        }
        inputs[CONTROL] |= WRITE;
        for j in (0..side.words).filter(|j| mask >> j & 1 == 1) {
            let key = (side.memory as u32, first + j);
            let wrapped = u128::MAX >> (128 - side.bits);
            self.written.insert(key, (word + j as u128) & wrapped);
        }
    }

    /// Compares what was read in the cycle before.
    pub fn take(&mut self, outputs: &[u32]) {
        if let Some(address) = self.due.take() {
            let quarters = (0..4).map(|q| u128::from(outputs[READ + q]) << (32 * q));
            let found: u128 = quarters.sum();
            if let Some(&word) = self.written.get(&(Memory::Vector as u32, address)) {
                assert_eq!(found, word, "a move read word {address}");
            }
        }
        self.due = self.asked.take();
    }

    /// Puts what was written into the words of a memory.
    pub fn apply(&self, memory: Memory, words: &mut [u128]) {
        let of = |&(&(number, _), _): &(&(u32, usize), &u128)| number == memory as u32;
        for (&(_, address), &word) in self.written.iter().filter(of) {
            words[address] = word;
        }
    }
}
