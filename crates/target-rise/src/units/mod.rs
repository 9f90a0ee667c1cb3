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

/// The DMA port.
pub const DMA: &str = "dma";
/// The butterfly units with twiddle and reordering unit.
pub const BFU: &str = "bfu";
/// The error sampling unit.
pub const SAMPLER: &str = "sampler";
/// The control unit, starting a call.
pub const CONTROL: &str = "control";
/// The interrupt line.
pub const INTERRUPT: &str = "interrupt";

/// Units of a machine's steps, each with the RTL module that is it.
pub const MODULES: &[(&str, &str)] = &[
    (CONTROL, "rise_io_control"),
    (DMA, "rise_dma"),
    (SAMPLER, "rise_sampler"),
    (BFU, "rise_bfu"),
    (INTERRUPT, "rise_io_control"),
];

/// Whether the RTL has a unit.
pub fn in_rtl(unit: &str) -> bool {
    MODULES.iter().any(|(known, _)| *known == unit)
}
