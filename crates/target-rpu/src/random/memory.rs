//! What the data memories hold, and which words may be touched.

use super::words::word_to;
use crate::config::Config;
use crate::isa::{reciprocal, Mode, Segment, Space};
use ringwright_arith::Choices;

/// Vectors in each half of the vector data memory, where there is room.
const VECTORS: usize = 8;

/// Contents of the scalar data memory, by what they are for: address and word.
pub(super) struct Scalars {
    pub(super) moduli: Vec<(u32, u128)>,
    pub(super) words: Vec<(u32, u128)>,
    pub(super) addresses: Vec<(u32, u128)>,
    all: Vec<u128>,
}

impl Scalars {
    /// Moduli of all widths, words below one of them, and addresses below `vdm`.
    pub(super) fn new(choices: &mut Choices, config: &Config, vdm: usize) -> Self {
        let part = config.sdm_words.min(64) / 4;
        let mut scalars = Scalars {
            moduli: Vec::new(),
            words: Vec::new(),
            addresses: Vec::new(),
            all: Vec::new(),
        };
        while scalars.all.len() < part {
            let wide = scalars.moduli.is_empty() || !choices.one_in(4);
            let q = modulus(choices, config.word_bits, wide);
            if let Some(reciprocal) = reciprocal(q, config.word_bits) {
                scalars.moduli.push((scalars.all.len() as u32, q));
                scalars.all.extend([q, reciprocal]);
            }
        }
        while scalars.all.len() < 2 * part {
            let q = choices.pick(&scalars.moduli).map_or(1, |(_, q)| q);
            let word = word_to(choices, q - 1);
            scalars.words.push((scalars.all.len() as u32, word));
            scalars.all.push(word);
        }
        while scalars.all.len() < 4 * part {
            // The first reaches every word.
            let address = match scalars.addresses.is_empty() {
                true => 0,
                false => choices.below(vdm) as u128,
            };
            scalars.addresses.push((scalars.all.len() as u32, address));
            scalars.all.push(address);
        }
        scalars
    }

    /// The smallest of the widest moduli.
    pub(super) fn bound(&self) -> u128 {
        let all = self.moduli.iter().map(|&(_, q)| q);
        let widest = all.clone().map(u128::leading_zeros).min();
        let wide = all.filter(|q| Some(q.leading_zeros()) == widest);
        wide.min().unwrap_or(1)
    }

    pub(super) fn segment(&self) -> Segment {
        Segment {
            space: Space::Sdm,
            address: 0,
            words: self.all.clone(),
        }
    }
}

/// An odd number of at least three bits, or of all bits that a modulus may have.
fn modulus(choices: &mut Choices, word_bits: u32, wide: bool) -> u128 {
    let widest = word_bits as usize - 1;
    let bits = match wide {
        true => widest,
        false => 3 + choices.below(widest - 2),
    };
    let top = 1u128 << (bits - 1);
    match choices.below(8) {
        0 => top + 1,
        1 => top - 1 + top,
        _ => word_to(choices, top - 1) | top | 1,
    }
}

/// The vector data memory: the largest value of each word, where something has been written.
pub(super) struct Vdm {
    limits: Vec<Option<u128>>,
    /// Words of each half.
    half: usize,
    /// Whether loads read the upper half.
    upper: bool,
}

impl Vdm {
    /// `None` if there is no room for four vectors.
    pub(super) fn new(config: &Config) -> Option<Self> {
        let vectors = (config.vdm_words / config.vector_length).min(2 * VECTORS);
        (vectors >= 4).then(|| Vdm {
            limits: vec![None; vectors * config.vector_length],
            half: vectors / 2 * config.vector_length,
            upper: false,
        })
    }

    pub(super) fn words(&self) -> usize {
        self.limits.len()
    }

    /// Fills the lower half; a quarter of it with words of every width, the rest below `bound`.
    pub(super) fn fill(&mut self, choices: &mut Choices, bound: u128, widest: u128) -> Segment {
        let mut words = Vec::with_capacity(self.half);
        for i in 0..self.half {
            let limit = if 4 * i >= 3 * self.half {
                widest
            } else {
                bound - 1
            };
            words.push(word_to(choices, limit));
            self.limits[i] = Some(limit);
        }
        Segment {
            space: Space::Vdm,
            address: 0,
            words,
        }
    }

    /// Loads and stores change their halves.
    pub(super) fn swap(&mut self) {
        self.upper = !self.upper;
    }

    /// A base address from which all `length` words of `mode` lie in the half of loads or stores.
    pub(super) fn place(
        &self,
        choices: &mut Choices,
        mode: Mode,
        length: usize,
        store: bool,
    ) -> Option<u64> {
        let span = (0..length as u64).map(|i| mode.offset(i)).max()? + 1;
        let room = (self.half as u64).checked_sub(span)? + 1;
        let start = if self.upper != store {
            self.half as u64
        } else {
            0
        };
        // Aligned addresses are those at which banks are apart, or all one.
        let base = match choices.one_in(2) {
            true => choices.below(room as usize) as u64 / length as u64 * length as u64,
            false => choices.below(room as usize) as u64,
        };
        Some(start + base)
    }

    /// The largest value that a load brings; `None` where a word has never been written.
    pub(super) fn limit(&self, base: u64, mode: Mode, length: usize) -> Option<u128> {
        let mut largest = 0;
        for i in 0..length as u64 {
            let limit = self.limits.get((base + mode.offset(i)) as usize)?;
            largest = largest.max((*limit)?);
        }
        Some(largest)
    }

    /// Notes a store.
    pub(super) fn store(&mut self, base: u64, mode: Mode, length: usize, limit: u128) {
        for i in 0..length as u64 {
            if let Some(word) = self.limits.get_mut((base + mode.offset(i)) as usize) {
                *word = Some(limit);
            }
        }
    }
}
