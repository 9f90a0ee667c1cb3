//! Where everything lies in the memory before the device, in bytes from its base address on.
//!
//! The constants of every prime come first, then every tower, each on a multiple of the port's width.
//! The first lies a few beats behind the base, so that transfers cross pages.

use crate::config::Config;
use crate::lowered::{Frame, Lowered};
use crate::message;
use crate::request::Addresses;
use crate::slot::Slot;
use crate::twiddles::Constants;
use ringwright_ir::RunError;
use ringwright_towers::{Memory, Place, Words};
use std::collections::BTreeMap;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Beats between the base address and the first word.
const FIRST_BEAT: u64 = 3;

/// Where everything is.
pub struct Places {
    /// Bytes of a word.
    pub word: u64,
    /// Of each prime.
    pub constants: Vec<u64>,
    /// Of each of the program's places.
    pub towers: Vec<u64>,
    /// Behind the last.
    pub end: u64,
    /// First lane, and blocks, of each stream.
    pub messages: BTreeMap<String, (u32, u32)>,
}

impl Places {
    /// Of a program; refuses messages that the device has no room for.
    pub fn new(config: &Config, program: &Lowered) -> Result<Self, RunError> {
        let word = config.bytes_per_word();
        let beat = config.dma_bytes_per_cycle;
        let mut end = FIRST_BEAT * beat;
        let mut region = |words: usize| {
            let at = end;
            end += (words as u64 * word).next_multiple_of(beat);
            at
        };
        let (table, n) = (Constants::words(program.shape.log_n), program.shape.n());
        let constants = program.constants.iter().map(|_| region(table)).collect();
        let towers = (0..program.places()).map(|_| region(n)).collect();
        Ok(Places {
            word,
            constants,
            towers,
            end,
            messages: message::places(config, program)?,
        })
    }
}

/// What one call of the accelerator works on.
pub struct CallPlaces<'a> {
    /// Of the program.
    pub places: &'a Places,
    /// The segment that the call is in.
    pub frame: &'a Frame<'a>,
    /// Position of its prime's constants.
    pub prime: usize,
}

impl Addresses for CallPlaces<'_> {
    fn constants(&self) -> u32 {
        self.places.constants[self.prime] as u32
    }

    fn tower(&self, slot: Slot) -> u32 {
        self.places.towers[self.frame.place(slot) as usize] as u32
    }

    fn message(&self, stream: &str) -> (u32, u32) {
        self.places.messages[stream]
    }
}

/// Towers in the bytes of memory.
pub struct Bytes<'a> {
    /// All of it.
    pub bytes: &'a mut [u8],
    /// Where the towers lie.
    pub places: &'a Places,
    /// Words of a tower.
    pub n: usize,
}

impl Memory for Bytes<'_> {
    fn tower(&self, place: Place) -> Result<Words, RunError> {
        let (at, size) = (
            self.places.towers[place as usize] as usize,
            self.places.word as usize,
        );
        let bytes = self.bytes[at..].chunks_exact(size).take(self.n);
        let word = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte))
        };
        Ok(Arc::new(Zeroizing::new(bytes.map(word).collect())))
    }

    fn set(&mut self, place: Place, words: &[u64]) {
        let (at, size) = (
            self.places.towers[place as usize] as usize,
            self.places.word as usize,
        );
        let places = self.bytes[at..].chunks_exact_mut(size);
        for (place, word) in places.zip(words) {
            place.copy_from_slice(&word.to_le_bytes()[..size]);
        }
    }
}
