//! Circuits end to end, on the reference interpreter: values against the plain computation,
//! predicted noise against what is measured, levels and scales, and every refusal by what it says.

mod bootstrapping;
mod bounds;
mod check;
#[path = "../../../schemes/tests/ckks/client.rs"]
#[allow(dead_code)] // shared with the scheme's tests, which use the rest
mod client;
mod linear_transforms;
mod polynomials;
mod refusals;
mod scales;
mod signs;
mod sums;
