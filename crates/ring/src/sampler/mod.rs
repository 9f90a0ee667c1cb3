//! Samplers from SHAKE-256, defined bit by bit.
//!
//! Every sampler reads its own stream: SHAKE-256 over the seed (32 bytes), the length of the
//! stream's name (one byte), the name, and a tower number (two bytes, little-endian). A sampler
//! takes its [`Xof`] by value, so no stream is read twice.
//!
//! | sampler | bits | coefficients |
//! |---|---|---|
//! | [`ternary()`] | bytes in order; 255 is skipped; else byte mod 3 - 1 | uniform over {-1, 0, 1} |
//! | [`sparse()`] | words of 8 bytes, whose high 62 bits all are sorted by; bit 0 of the first `weight` is a sign | so many of -1 and 1, the rest 0 |
//! | [`binomial21`] | 25 samples of 42 bits per block, the last 38 bits unused; weight of the low 21 minus weight of the high 21 | sigma = sqrt(21/2) = 3.24 |
//! | [`uniform()`] | words of 4, 8 or 16 bytes, masked to the bits of q, skipped from q on | uniform over \[0, q) |
//! | [`flood`] | words of 8 bytes; the low `bits` + 1 bits minus 2^bits | uniform over \[-2^bits, 2^bits) |
//!
//! The block structure and the 42-bit samples are those of RISE's error sampling unit
//! (dissertation, chapter 4.1.3), so hardware and software read the same bits. RISE's raw
//! permutation of a 1600-bit seed was dropped for the standard function: a full-state seed
//! leaves the sponge no capacity.
//!
//! [`draw()`] draws several streams together, with the same results.
//!
//! **Constant time.** [`ternary()`], [`sparse()`], [`binomial21`], [`flood`] and [`to_tower`] have no branch
//! and no memory index that depends on a secret. [`uniform()`] makes public polynomials and
//! branches on its rejections.

mod binomial;
mod draw;
mod flood;
mod residue;
mod sparse;
mod taker;
mod ternary;
mod uniform;
mod xof;

pub use binomial::binomial21;
pub use draw::{draw, Draw};
pub use flood::{flood, FloodError, MAX_FLOOD_BITS};
pub use residue::{to_tower, SmallInteger};
pub use sparse::{sparse, WeightError};
pub use ternary::ternary;
pub use uniform::uniform;
pub use xof::{StreamNameError, Xof, MAX_STREAM_NAME};
