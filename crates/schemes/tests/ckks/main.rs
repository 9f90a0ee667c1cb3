//! CKKS end to end, on the reference interpreter: every operation against the plain computation,
//! precision and predicted noise against what is measured, and every refusal by what it says.

mod analysis;
mod bounds;
mod calls;
mod client;
mod conjugate_invariant;
mod for_depth;
mod key_shapes;
mod literals;
mod noise;
mod on_device;
mod operations;
mod precision;
mod profile;
mod programs;
mod raising;
mod refusals;
mod rotations;
mod secrets;
mod share;
mod symmetric;
mod transform;
