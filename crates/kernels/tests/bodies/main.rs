//! Every body of every kernel against its definition: one runner, each instruction set in turn.

mod embedding;
mod ntt;
mod pointwise;
mod support;
