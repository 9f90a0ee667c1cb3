//! A plan as portable C: a second back half, for the processor at hand.
//!
//! [`source`] writes one self-contained file of C11 with `unsigned __int128` (GCC, Clang): the
//! plan's blocks one after the other, each a function in which every node of the dataflow graph is
//! a call on vectors. The modulus is a run-time argument, any prime below 2^127 with the roots; words
//! stay in 0..q. The head of the file says how it is called.
//!
//! Factors are kept in Montgomery form (times 2^128), so that one reduction gives the product of a
//! plain word with a factor. A table of factors is made from a few exponents: along one bit of the
//! element number exponents grow by a constant, so a vector is its first exponent and a step for each
//! bit.
//!
//! Not done: the file is as fast as the compiler makes plain loops on 128-bit words, for any modulus;
//! narrow moduli and vector instructions are the business of `ringwright-kernels`.

mod block;
mod file;
mod library;
mod table;

use crate::{Dataflow, Plan, PlanError};
use file::File;
use std::fmt::Write;
use table::Table;

/// The C file of a plan; `name`, an identifier, is the function and the prefix of everything else.
pub fn source(plan: &Plan, name: &str) -> Result<String, PlanError> {
    if !is_identifier(name) {
        let given = name.to_owned();
        return Err(PlanError::Name { given });
    }
    let graph = Dataflow::new(plan)?;
    let table = Table::new(&graph, plan.problem.log_n);
    let blocks = block::blocks(&graph, &table);
    let slots = blocks.iter().map(|block| block.slots).max().unwrap_or(0);
    let file = File {
        plan,
        name,
        table: table.words(),
        scratch: (1 << graph.log_words) + (slots << graph.log_vector),
    };
    let used = graph.nodes.iter().map(block::function);
    let mut text = file.head();
    text.push_str(library::ARITHMETIC);
    text.push_str(&table.text(name, plan.log_vector));
    text.push_str(&library::vectors(&used.collect()));
    for block in &blocks {
        text.push_str(&block.text(name));
    }
    text.push_str(&file.entry(&blocks));
    Ok(text)
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(what);
}
