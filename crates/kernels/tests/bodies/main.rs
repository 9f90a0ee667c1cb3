//! Every body of every kernel against its definition: one runner, each instruction set in turn.

mod embedding;
mod inner_product;
mod keccak;
mod ntt;
mod pointwise;
mod support;
mod weighted_sum;
