//! One file per instruction set: the token's traits and its entry points, nothing else.
//!
//! The only folder of the crate with `unsafe` code. What every `unsafe` block relies on: a token
//! type has private fields, and its `new` answers `None` unless the instructions were detected.

mod body;
mod keccak;
mod scalar;

/// Calls intrinsics from a method of a token.
#[cfg(target_arch = "x86_64")]
macro_rules! with_token {
    ($call:expr) => {
        // SAFETY: `self` is a token, which exists only where its instruction set was detected;
        // memory operands are references to arrays of the register's size.
        unsafe { $call }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2double;
#[cfg(target_arch = "x86_64")]
mod avx2keccak;
#[cfg(target_arch = "x86_64")]
mod avx2limbs;
#[cfg(target_arch = "x86_64")]
mod avx2real;
#[cfg(target_arch = "x86_64")]
mod avx2short;
#[cfg(target_arch = "x86_64")]
mod avx2sums;
#[cfg(target_arch = "x86_64")]
mod avx2wide;
#[cfg(target_arch = "x86_64")]
mod avx2word;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512ifma;
#[cfg(target_arch = "x86_64")]
mod avx512keccak;
#[cfg(target_arch = "x86_64")]
mod avx512real;
#[cfg(target_arch = "x86_64")]
mod avx512short;
#[cfg(target_arch = "x86_64")]
mod avx512signed;
#[cfg(target_arch = "x86_64")]
mod avx512sums;
#[cfg(target_arch = "x86_64")]
mod avx512wide;
#[cfg(target_arch = "x86_64")]
mod avx512word;
#[cfg(target_arch = "x86_64")]
mod barrett;
mod sums;
#[cfg(target_arch = "x86_64")]
mod word_wide;

/// Exactly the words of a register.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn block<W, const L: usize>(words: &[W]) -> &[W; L] {
    match words.first_chunk() {
        Some(block) => block,
        None => unreachable!("{} words cannot fill {L} lanes", words.len()),
    }
}

/// Brings the line of a cell, which may be beyond the end, into the first-level cache if `NEAR`, else into
/// the second-level one, where a machine can be asked to.
#[inline(always)]
pub(crate) fn prefetch<const NEAR: bool, T>(cells: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0, _MM_HINT_T1};
        let line = cells.as_ptr().wrapping_add(index).cast();
        // SAFETY: every processor of this architecture has the instruction; it faults nowhere.
        unsafe {
            match NEAR {
                true => _mm_prefetch::<_MM_HINT_T0>(line),
                false => _mm_prefetch::<_MM_HINT_T1>(line),
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (cells, index);
}

pub(crate) use body::BodyTraits;
pub use body::KernelWord;
pub(crate) use body::RealBody;
pub(crate) use keccak::KeccakBody;
pub(crate) use sums::SumBody;
