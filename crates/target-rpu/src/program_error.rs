//! Why a program is refused, and where.

use crate::isa::{EncodeError, Space};

/// A refusal: the instruction, its line, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", place(.program, *.line, *.instruction))]
pub struct ProgramError {
    /// The program's name.
    pub program: String,
    /// The line of its text; 0 where no instruction is to blame.
    pub line: u32,
    /// Number of the instruction, from 0.
    pub instruction: Option<usize>,
    /// What is wrong.
    pub what: Box<Problem>,
}

fn place(program: &str, line: u32, instruction: Option<usize>) -> String {
    match instruction {
        Some(index) => format!("{program}:{line}: instruction {index}: "),
        None => format!("{program}: "),
    }
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// More instructions than the memory holds.
    #[error("{given} instructions; the instruction memory holds {im_words}")]
    TooLong {
        /// Instructions.
        given: usize,
        /// Words of the memory.
        im_words: usize,
    },
    /// A word of the program's own data outside its memory.
    #[error("data at {} {address}: the memory has {words} words", memory(*.space))]
    DataOutside {
        /// Which memory.
        space: Space,
        /// The first address outside.
        address: u64,
        /// Words of the memory.
        words: usize,
    },
    /// A word wider than the machine's.
    #[error("{} {address} holds {value:#x}; words have {word_bits} bits", memory(*.space))]
    WordTooWide {
        /// Which memory.
        space: Space,
        /// Its address.
        address: u64,
        /// The word.
        value: u128,
        /// Width of a word.
        word_bits: u32,
    },
    /// The caller's memory has not the size of the machine's.
    #[error("the memory {} has {given} words, the machine's has {words}", memory(*.space))]
    MemorySize {
        /// Which memory.
        space: Space,
        /// Words given.
        given: usize,
        /// Words of the machine.
        words: usize,
    },
    /// A number that its field of the instruction cannot hold.
    #[error("{operand} = {given}; the field holds 0 to {max}")]
    Field {
        /// The operand.
        operand: &'static str,
        /// The number.
        given: u64,
        /// The largest possible.
        max: u64,
    },
    /// An instruction without a word of its own.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A vector access that leaves the vector data memory.
    #[error("touches addresses {first} to {last}; the vector data memory has {words} words")]
    OutsideVdm {
        /// The lowest address.
        first: u64,
        /// The highest.
        last: u64,
        /// Words of the memory.
        words: usize,
    },
    /// A scalar load from outside the scalar data memory.
    #[error("reads address {address}; the scalar data memory has {words} words")]
    OutsideSdm {
        /// The highest address read.
        address: u64,
        /// Words of the memory.
        words: usize,
    },
    /// A store that writes words twice.
    #[error("a store repeats nothing: VALUE {value} is below log2 of the vector length, {least}")]
    RepeatedStore {
        /// VALUE.
        value: u8,
        /// The smallest legal one.
        least: u32,
    },
    /// Both results in one register.
    #[error("both results go to v{register}")]
    SameDestination {
        /// The register.
        register: usize,
    },
    /// A shuffle that overwrites rows before it has read them.
    #[error("v{register} is read and written; with {beats} beats and latency {latency} rows are overwritten before they are read")]
    ShuffleInPlace {
        /// The register.
        register: usize,
        /// Beats of a vector.
        beats: usize,
        /// Cycles from read to write.
        latency: u64,
    },
    /// Two registers in one memory of the register file, needed in one cycle.
    #[error(
        "v{first} and v{second} lie in memory {sram} of the register file, which has one port"
    )]
    StackedRegisters {
        /// A register.
        first: usize,
        /// Another, or the same when it is read and written in one cycle.
        second: usize,
        /// Their memory.
        sram: usize,
    },
    /// A port of the register file that another instruction has (machines with `vrf_clash = "error"`).
    #[error(
        "in cycle {cycle} another instruction has the port of memory {sram} of the register file"
    )]
    VrfClash {
        /// The cycle.
        cycle: u64,
        /// The memory.
        sram: usize,
    },
    /// Two accesses of one address in the wrong order.
    #[error("address {address}: {kind} in cycle {cycle}, but line {other_line} (instruction {other}) {other_kind} it in cycle {other_cycle}; the hardware does not watch memory")]
    MemoryOrder {
        /// The address.
        address: u64,
        /// "read" or "written".
        kind: &'static str,
        /// When.
        cycle: u64,
        /// The earlier instruction.
        other: usize,
        /// Its line.
        other_line: u32,
        /// "writes" or "reads".
        other_kind: &'static str,
        /// When.
        other_cycle: u64,
    },
    /// A modulus that the arithmetic cannot use.
    #[error("modulus {modulus}: allowed are odd numbers from 5 to 2^{} - 1", .word_bits - 1)]
    Modulus {
        /// The number.
        modulus: u128,
        /// Width of a word.
        word_bits: u32,
    },
    /// A reciprocal that does not belong to the modulus beside it.
    #[error("the reciprocal of modulus {modulus} is {expected:#x}, the scalar data memory has {given:#x}")]
    Reciprocal {
        /// The modulus.
        modulus: u128,
        /// What stands in memory.
        given: u128,
        /// What must stand there.
        expected: u128,
    },
    /// A modulus register that no instruction has loaded.
    #[error("m{register} has not been loaded")]
    NoModulus {
        /// The register.
        register: usize,
    },
    /// An operand that must be below the modulus and is not.
    #[error("element {element} of v{register} is {value}, not below the modulus {modulus}")]
    Unreduced {
        /// The vector register.
        register: usize,
        /// The element.
        element: usize,
        /// Its value.
        value: u128,
        /// The modulus.
        modulus: u128,
    },
    /// A scalar operand that must be below the modulus and is not.
    #[error("s{register} is {value}, not below the modulus {modulus}")]
    UnreducedScalar {
        /// The scalar register.
        register: usize,
        /// Its value.
        value: u128,
        /// The modulus.
        modulus: u128,
    },
    /// A factor that has the top bit of the word set.
    #[error("element {element} of v{register} is {value:#x}; factors are below 2^{}", .word_bits - 1)]
    WideFactor {
        /// The vector register.
        register: usize,
        /// The element.
        element: usize,
        /// Its value.
        value: u128,
        /// Width of a word.
        word_bits: u32,
    },
}

fn memory(space: Space) -> &'static str {
    match space {
        Space::Vdm => "VDM",
        Space::Sdm => "SDM",
    }
}
