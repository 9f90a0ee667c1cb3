//! The units, named like their RTL modules: `busyboard.rs` is `rpu_busyboard.sv`.

pub mod busyboard;
pub mod front_end;
pub mod hple;
pub mod law;
pub mod queue;
pub mod sbar;
pub mod scalar;
pub mod vbar;
pub mod vdm;
pub mod vrf;
