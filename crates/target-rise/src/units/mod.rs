//! The units of the accelerator, one file each; an RTL module has the same name and ports.
//!
//! | unit | what it holds | what it does in a cycle |
//! |---|---|---|
//! | [`bank_group`] | one polynomial in 4P single-port banks, their write buffers | one access per bank |
//! | [`bfu`] | D + 1 stages of P butterflies | takes P operand pairs, gives P results |
//! | [`twiddle_unit`] | up to C batches of P twiddle factors | gives a batch, asks for a product |
//! | [`reordering_unit`] | 8P results | takes 2P results, gives half a row |
//! | [`sampler`] | a Keccak state, one block | gives one small coefficient |
//! | [`dma`] | one word per bank | moves words between memory and banks |
//! | [`control`] | which issue of which stage is next | decides what the butterfly units take |

pub mod bank_group;
pub mod bfu;
pub mod control;
pub mod dma;
pub mod reordering_unit;
pub mod sampler;
pub mod twiddle_unit;
