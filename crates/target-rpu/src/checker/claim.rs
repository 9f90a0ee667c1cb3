//! What a program is said to compute, and what became of the claim.

use crate::isa::Segment;
use crate::program_error::ProgramError;
use std::ops::Range;

/// A program's function, and where its words lie.
pub struct Claim<'a> {
    /// The prime under which everything is computed.
    pub modulus: u128,
    /// What stands in memory before the start: constants, addresses, tables.
    pub data: Vec<Segment>,
    /// The operands; no two share a word, nor with `data`.
    pub operands: Vec<Operand>,
    /// The result.
    pub result: Region,
    /// Words of the vector data memory that may be written beside the result's.
    pub scratch: Vec<Range<u32>>,
    /// The result's words from the operands' words.
    pub function: &'a dyn Fn(&[Vec<u128>]) -> Vec<u128>,
    /// Its degree as a polynomial: 1 if it is linear or affine, 2 if it has products of two operands.
    pub degree: u32,
}

/// An operand.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Where its words lie.
    pub region: Region,
    /// Whether they are below the modulus; else they are any words that a product takes.
    pub reduced: bool,
}

/// Words of a tower in the vector data memory.
#[derive(Clone, Debug)]
pub struct Region {
    /// How many words the tower has.
    pub len: usize,
    /// Addresses, and which word each holds; a word may lie at several.
    pub words: Vec<(u32, u32)>,
}

impl Claim<'_> {
    /// Whether a program may write this word of the vector data memory, the result's aside.
    pub(super) fn is_scratch(&self, address: u64) -> bool {
        let within = |r: &Range<u32>| (u64::from(r.start)..r.end.into()).contains(&address);
        self.scratch.iter().any(within)
    }
}

impl Region {
    /// One tower, word `i` at the address `at(i)`.
    pub fn placed(len: usize, at: impl Fn(usize) -> u32) -> Self {
        let words = (0..len).map(|i| (at(i), i as u32)).collect();
        Region { len, words }
    }

    /// `copies` copies, one behind the other.
    pub fn copies(address: u32, len: usize, copies: usize) -> Self {
        let words = (0..(len * copies) as u32).map(|i| (address + i, i % len as u32));
        Region {
            len,
            words: words.collect(),
        }
    }
}

/// A claim that held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Degree, at most, of the program and of its definition.
    pub degree: u32,
    /// Random points on which they agreed.
    pub points: usize,
    /// log2 of the chance that another function of that degree would have agreed too.
    pub chance_log2: f64,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (degree, points, chance) = (self.degree, self.points, self.chance_log2);
        write!(f, "degree {degree}, equal on {points} random points: wrong with a chance below 2^{chance:.0}")
    }
}

/// Why a claim does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The machine does not take the program, or not with these operands.
    #[error("the machine refuses it: {0}")]
    Refused(ProgramError),
    /// A register is read before it is written.
    #[error("instruction {instruction} reads {register}, which nothing has written")]
    UnwrittenRegister {
        /// Number of the instruction.
        instruction: usize,
        /// The register.
        register: String,
    },
    /// A word is loaded that is neither given nor stored before.
    #[error("instruction {instruction} loads address {address}, which nothing has written")]
    UnwrittenWord {
        /// Number of the instruction.
        instruction: usize,
        /// The address.
        address: u64,
    },
    /// Arithmetic under another modulus.
    #[error("instruction {instruction} computes modulo {found}, not {expected}")]
    OtherModulus {
        /// Number of the instruction.
        instruction: usize,
        /// Its modulus.
        found: u128,
        /// The claim's.
        expected: u128,
    },
    /// A word is written that is neither the result's nor scratch.
    #[error("address {address} is written and is neither the result's nor scratch")]
    WritesOutside {
        /// Number of the instruction, where one was seen to.
        instruction: Option<usize>,
        /// The address.
        address: u64,
    },
    /// A word of the result is never written.
    #[error("word {word} of the result, at address {address}, is never written")]
    NotWritten {
        /// Which word.
        word: u32,
        /// The address.
        address: u32,
    },
    /// A word of the result is wrong.
    #[error("word {word} of the result, at address {address}, is {found} instead of {expected}")]
    Wrong {
        /// Which word.
        word: u32,
        /// The address.
        address: u32,
        /// What the program made.
        found: u128,
        /// What the definition says.
        expected: u128,
    },
}
