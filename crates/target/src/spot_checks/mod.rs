//! Values from one device, cycles from another, with spot checks.
//!
//! Timing never depends on values, so a run on a simulated machine may take its values from a quicker
//! device: the CPU. What is lost is the proof that the machine's own programs compute them. It is won
//! back call by call: a kernel's call that is **checked** is run on the simulated machine as well, on
//! the operands of the quick device, and every word that it leaves is compared.
//!
//! | file | what it is |
//! |---|---|
//! | `rule` | which calls are checked |
//! | `device` | the two devices as one |
//! | `paired` | a program of the one with what the other has lowered of it |
//! | `run` | one run: calls in order, checks in between |
//! | `values` | towers by their places in the simulated machine's memory, as the quick device made them |
//!
//! The row of calls is the simulated machine's own ([`crate::KernelCalls`]): what it would run in full is what
//! is checked. The quick device is any [`crate::Device`], and runs each call as a program of its own, made of
//! the ring operations that the call comes from ([`ringwright_towers::Meaning`]).
//!
//! Tried on paper and dropped. A quick evaluator of the simulated machine's own graphs: it is slower than
//! the CPU's, needs arithmetic modulo products of primes, and cannot see an error in the graph that both
//! would share. One run of the whole program on the CPU, with probes at the places that are checked: it
//! is quicker by the copies in between only, and every target would have to know of probes.

mod device;
mod paired;
mod rule;
mod run;
mod values;

pub use device::SpotChecked;
pub use rule::{Checks, ChecksError, OncePer};
