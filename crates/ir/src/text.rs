//! The text form of both dialects; what is printed reads back equal.
//!
//! Whitespace and line ends separate words and mean nothing else; `#` begins a comment that runs
//! to the end of the line. Names that are not plain words (letters, digits, `_ . @ / +`, a letter
//! or `_` first) stand in double quotes. `@ file:line` is the user's source line.
//!
//! # The `ring` dialect
//!
//! A value without a name is `%` and its number. The type of a result follows from the operands
//! except for `zero`, `towers`, `switch_modulus` and `sample`, where it stands behind `->`; it may
//! be written anywhere, and is printed if it differs from what follows, which the verifier refuses.
//!
//! ```text
#![doc = include_str!("../tests/golden/every_operation.ring")]
//! ```
//!
//! # The `he` dialect
//!
//! Every value has the type that the scheme computed: level, parts if they are not two, scale,
//! largest and root mean square slot value, standard deviation of the noise, and that of the slot
//! where it is largest.
//!
//! ```text
#![doc = include_str!("../tests/golden/blur.he")]
//! ```

mod attributes;
mod cursor;
mod he_parser;
mod lexer;
mod ring_parser;
mod values;

pub use crate::he::print_he;
pub use crate::ring::print;
pub use he_parser::parse_he;
pub use ring_parser::parse;

/// Text that is not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What was found and what should stand there.
    pub message: String,
}

/// Reads `bytes` as a program of either dialect; the body shared by the fuzz target and the smoke
/// test.
///
/// Panics when a parser or verifier does, or when what was read prints as something that reads
/// back different.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(module) = parse(text) {
        let _ = crate::ring::verify(&module);
        assert_eq!(parse(&print(&module)), Ok(module));
    }
    if let Ok(program) = parse_he(text) {
        let _ = crate::he::verify(&program, 3);
        assert_eq!(parse_he(&print_he(&program)), Ok(program));
    }
}
