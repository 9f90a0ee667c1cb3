//! Where buffers and constants lie in the two data memories, and what an access costs the banks.

use super::CompileError;
use crate::config::{Config, VdmMap};
use crate::isa::Mode;
use ringwright_nttx::{Access, Dataflow, PatternId, Roots};

/// Scalar data memory of a compiled kernel.
pub mod scalars {
    /// The modulus, and after it its reciprocal.
    pub const MODULUS: u32 = 0;
    /// 1/N.
    pub const N_INVERSE: u32 = 2;
    /// Words in all.
    pub const WORDS: u32 = 3;
}

/// Addresses in the vector data memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryMap {
    /// First word of each of the two buffers; layout k of a plan lies in buffer k mod 2.
    pub buffers: [u32; 2],
    /// First word of every vector of constants.
    pub patterns: Vec<u32>,
    /// Words in use.
    pub words: u32,
}

impl MemoryMap {
    /// Two buffers, then the constants: the longest first, so that each lies at a multiple of its
    /// length and takes its banks without a clash.
    pub fn new(graph: &Dataflow, config: &Config) -> Result<Self, CompileError> {
        let size = 1u32 << graph.log_words;
        let lengths: Vec<u32> = graph
            .patterns
            .all()
            .iter()
            .map(|p| p.len() as u32)
            .collect();
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(lengths[i]));
        let mut next = 2 * size;
        let mut patterns = vec![0; lengths.len()];
        for i in order {
            patterns[i] = next;
            next += lengths[i];
        }
        match next as usize <= config.vdm_words {
            true => Ok(MemoryMap {
                buffers: [0, size],
                patterns,
                words: next,
            }),
            false => Err(CompileError::Memory {
                needed: next as usize,
                words: config.vdm_words,
            }),
        }
    }

    /// Address of a vector of constants and how it is loaded.
    pub fn constant(&self, graph: &Dataflow, pattern: PatternId) -> (u32, Mode) {
        let period = graph.patterns.get(pattern).len();
        let mode = match period >> graph.log_vector {
            0 => Mode::Repeated(period.ilog2() as u8),
            _ => Mode::Linear,
        };
        (self.patterns[pattern.0 as usize], mode)
    }

    /// The words of the constants, from the end of the buffers on.
    pub fn constants(&self, graph: &Dataflow, roots: &Roots) -> Vec<u128> {
        let start = 2u32 << graph.log_words;
        let mut words = vec![0; (self.words - start) as usize];
        for (pattern, &address) in graph.patterns.all().iter().zip(&self.patterns) {
            let at = (address - start) as usize;
            for (word, &factor) in words[at..].iter_mut().zip(pattern) {
                *word = roots.word(factor);
            }
        }
        words
    }
}

/// The addressing mode of an access.
pub fn mode(access: Access) -> Mode {
    match access {
        Access::Linear => Mode::Linear,
        Access::Strided(s) => Mode::Strided(s),
        Access::StridedSkip(s) => Mode::StridedSkip(s),
    }
}

/// Cycles of each group of one vector access: the most distinct addresses that one bank has.
pub fn groups(config: &Config, base: u32, mode: Mode) -> Vec<u32> {
    let lanes = config.hples as u64;
    let group = |g: u64| {
        let address = |i| u64::from(base) + mode.offset(i);
        let mut addresses: Vec<u64> = (g * lanes..(g + 1) * lanes).map(address).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut count = vec![0u32; config.banks];
        for address in addresses {
            count[bank(config, address)] += 1;
        }
        count.into_iter().max().unwrap_or(1)
    };
    (0..config.beats() as u64).map(group).collect()
}

fn bank(config: &Config, address: u64) -> usize {
    let banks = config.banks as u64;
    match config.vdm_map {
        VdmMap::Modulo => (address % banks) as usize,
        VdmMap::Skewed => {
            let mut rest = address;
            let mut sum = 0;
            while rest > 0 {
                sum += rest % banks;
                rest /= banks;
            }
            (sum % banks) as usize
        }
    }
}
