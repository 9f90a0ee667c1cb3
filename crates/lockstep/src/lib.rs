//! RTL and simulator side by side, equal in every value and every cycle.
//!
//! Both sides emit records `(cycle, unit, event, destination, value)`. [`Lockstep`] pairs them one
//! by one and stops at the first that has no equal partner, with the seed and the command that
//! replays the run; [`Lockstep::finish`] fails when either side has records left, so a side that
//! falls silent fails too. [`Rtl`] is the RTL's side: a verilated shared library, stepped cycle by
//! cycle (Verilator; the library is built from `hw/` by the test driver, see `hw/harness`). [`Model`]
//! is the simulator's: the trace of a run that is over, fed in beside the RTL.
//!
//! Within a cycle records have no order: neither side's order of evaluation means anything. They
//! are compared sorted by unit and event, destination, and value.
//!
//! Used by tests only. The idea is that of OpenTitan's OTBN, whose RTL and model are paired through
//! trace records with an explicit end.

mod ffi;
mod model;
mod pairing;
mod record;
mod rtl;

pub use ffi::LoadError;
pub use model::Model;
pub use pairing::{Difference, Lockstep, OutOfOrder, PairingError, Side};
pub use record::{NamedRecord, Probe, Probes, Record};
pub use rtl::Rtl;
