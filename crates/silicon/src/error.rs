//! What cannot be estimated, and files that cannot be read.

/// Why a process says nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// The file is no process.
    #[error("{file}: {problem}")]
    Malformed {
        /// What it is called.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A block without points.
    #[error(
        "no point of block {block}: spec/silicon/blocks.toml and the process file have {known}"
    )]
    NoPoints {
        /// The block.
        block: String,
        /// Those that there are.
        known: String,
    },
    /// Parameters between or beyond the points of a block whose points allow no estimate.
    #[error("block {block}: {given} is none of its {points} points, and {terms} terms need as many to be fitted")]
    TooFewPoints {
        /// The block.
        block: String,
        /// What was asked for.
        given: String,
        /// How many points it has.
        points: usize,
        /// How many terms.
        terms: usize,
    },
    /// A term names a parameter that nobody gave.
    #[error("block {block}: term {term:?} needs parameter {parameter}, given are {given}")]
    NoParameter {
        /// The block.
        block: String,
        /// The term.
        term: String,
        /// What it needs.
        parameter: String,
        /// What was given.
        given: String,
    },
    /// A host core that was not mapped.
    #[error("no core {core}: spec/silicon/cores.toml has {known}")]
    NoCore {
        /// What was asked for.
        core: String,
        /// Those that there are.
        known: String,
    },
    /// A process without memories.
    #[error("no memory among the points of the process: one [[memory]] at least")]
    NoMemory,
}
