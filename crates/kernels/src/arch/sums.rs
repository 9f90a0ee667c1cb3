//! Bodies for sums of products of 64-bit words, and the choice among them.
//!
//! Bound, in instructions per product of a register, with two operands to load: 12 by halves, 2
//! below 2^30, 2 on IFMA. Zen 3 starts four of them a cycle, so at 2^14 words a product takes
//! 12,300 cycles by halves and 2,000 below 2^30, where loads (two a cycle) take 4,100. A word with a weight
//! takes 10 by halves, 2 below 2^30, and on IFMA 2 up to 52 bits, 4 or 5 above.

use super::scalar::Scalar;
#[cfg(target_arch = "x86_64")]
use super::{
    avx2::Avx2,
    avx2sums::enter_avx2,
    avx512::Avx512,
    avx512ifma::Avx512Ifma,
    avx512sums::{enter_avx512, enter_ifma},
};
use crate::isa::Isa;
use crate::sums::{
    Bits, Reorder, Stored, SumKernel, Sums, WeightedSums, LONGEST, MOST_PRODUCTS, PIECES,
};
#[cfg(target_arch = "x86_64")]
use crate::sums::{Narrow, Split};
use ringwright_arith::Modulus;

/// A body and the proof that it may run.
#[derive(Clone, Copy, Debug)]
pub enum SumBody {
    /// Any modulus below 2^62.
    Scalar(Scalar<u64>),
    /// Moduli below 2^61.
    #[cfg(target_arch = "x86_64")]
    Avx2(Split<Avx2<u64>>),
    /// Moduli below 2^30.
    #[cfg(target_arch = "x86_64")]
    Avx2Narrow(Narrow<Avx2<u64>>),
    /// Moduli below 2^61.
    #[cfg(target_arch = "x86_64")]
    Avx512(Split<Avx512<u64>>),
    /// Moduli below 2^30.
    #[cfg(target_arch = "x86_64")]
    Avx512Narrow(Narrow<Avx512<u64>>),
    /// Moduli below 2^50.
    #[cfg(target_arch = "x86_64")]
    Avx512Ifma(Avx512Ifma<50>),
}

/// What sums hold.
#[derive(Clone, Copy)]
pub struct SumLimits {
    /// [`Sums::most_products`].
    pub most_products: fn(u32) -> usize,
    /// [`WeightedSums::cut`].
    pub cut: fn(u32) -> u32,
    /// [`WeightedSums::fits`].
    pub fits: fn(u32, &[u32]) -> bool,
}

impl SumLimits {
    fn of<S: WeightedSums>(_: S) -> Self {
        Self {
            most_products: S::most_products,
            cut: S::cut,
            fits: S::fits,
        }
    }
}

impl SumBody {
    /// The fastest body of `isa` or below for moduli of that many bits.
    #[cfg(target_arch = "x86_64")]
    pub fn choose(isa: Isa, bits: u32) -> Self {
        if let Some(token) = Avx512Ifma::<50>::new().filter(|_| isa >= Isa::Avx512Ifma) {
            if bits > Narrow::BITS && bits <= 50 {
                return SumBody::Avx512Ifma(token);
            }
        }
        if let Some(token) = <Avx512<u64>>::new().filter(|_| isa >= Isa::Avx512) {
            if bits <= Narrow::BITS {
                return SumBody::Avx512Narrow(Narrow(token));
            }
            if bits <= Split::BITS {
                return SumBody::Avx512(Split(token));
            }
        }
        if let Some(token) = Avx2::<u64>::new().filter(|_| isa >= Isa::Avx2) {
            if bits <= Narrow::BITS {
                return SumBody::Avx2Narrow(Narrow(token));
            }
            if bits <= Split::BITS {
                return SumBody::Avx2(Split(token));
            }
        }
        SumBody::Scalar(Scalar::default())
    }

    /// The fastest body of `isa` or below for moduli of that many bits.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn choose(_: Isa, _: u32) -> Self {
        SumBody::Scalar(Scalar::default())
    }

    /// Its instruction set.
    pub fn isa(self) -> Isa {
        match self {
            SumBody::Scalar(_) => Isa::Scalar,
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx2(_) | SumBody::Avx2Narrow(_) => Isa::Avx2,
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx512(_) | SumBody::Avx512Narrow(_) => Isa::Avx512,
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx512Ifma(_) => Isa::Avx512Ifma,
        }
    }

    /// What it says of its sums.
    pub fn limits(self) -> SumLimits {
        match self {
            SumBody::Scalar(token) => SumLimits::of(token),
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx2(token) => SumLimits::of(token),
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx2Narrow(token) => SumLimits::of(token),
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx512(token) => SumLimits::of(token),
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx512Narrow(token) => SumLimits::of(token),
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx512Ifma(token) => SumLimits::of(token),
        }
    }

    /// Runs a kernel.
    pub fn enter<K: SumKernel>(self, kernel: K) {
        match self {
            SumBody::Scalar(token) => enter_scalar(token, kernel),
            // SAFETY: the token proves that the machine has AVX2.
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx2(token) => unsafe { enter_avx2(token, kernel) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx2Narrow(token) => unsafe { enter_avx2(token, kernel) },
            // SAFETY: the token proves that the machine has AVX-512 F and DQ.
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx512(token) => unsafe { enter_avx512(token, kernel) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx512Narrow(token) => unsafe { enter_avx512(token, kernel) },
            // SAFETY: the token proves that the machine has AVX-512 F, DQ and IFMA.
            #[cfg(target_arch = "x86_64")]
            SumBody::Avx512Ifma(token) => unsafe { enter_ifma(token, kernel) },
        }
    }
}

#[inline(never)]
fn enter_scalar<K: SumKernel>(token: Scalar<u64>, kernel: K) {
    kernel.run(token);
}

/// The definition: 128-bit sums, fifteen products below 2^124.
impl Sums for Scalar<u64> {
    type Lanes = Self;
    type Sum = u128;
    type Constants = Modulus<u64>;

    fn most_products(_: u32) -> usize {
        MOST_PRODUCTS
    }
    #[inline(always)]
    fn lanes(self) -> Self {
        self
    }
    #[inline(always)]
    fn constants(self, q: &Modulus<u64>) -> Modulus<u64> {
        *q
    }
    #[inline(always)]
    fn start(self, first: u64) -> u128 {
        first.into()
    }
    #[inline(always)]
    fn add_product(self, sum: u128, x: u64, y: u64, _: &Modulus<u64>) -> u128 {
        sum + u128::from(x) * u128::from(y)
    }
    #[inline(always)]
    fn total(self, sum: u128, q: &Modulus<u64>) -> u64 {
        q.reduce_u128(sum)
    }
}

impl WeightedSums for Scalar<u64> {
    type Weights = u64;

    fn cut(_: u32) -> u32 {
        LONGEST
    }
    fn fits(_: u32, _: &[u32]) -> bool {
        true
    }
    #[inline(always)]
    fn weights(self, _: u32, weights: &[u64; PIECES], _: &Modulus<u64>) -> u64 {
        weights[0]
    }
    #[inline(always)]
    fn add_weighted(self, sum: u128, x: u64, weight: &u64, q: &Modulus<u64>) -> u128 {
        self.add_product(sum, x, *weight, q)
    }
}

impl Bits for Scalar<u64> {
    type Count = u32;

    #[inline(always)]
    fn and(self, x: u64, y: u64) -> u64 {
        x & y
    }
    #[inline(always)]
    fn count(self, bits: u32) -> u32 {
        bits
    }
    #[inline(always)]
    fn shift_right(self, x: u64, bits: u32) -> u64 {
        x >> bits
    }
}

impl Stored for Scalar<u64> {
    type Short = u32;

    #[inline(always)]
    fn shorts(words: &[u32]) -> &[u32] {
        words
    }
    #[inline(always)]
    fn shorts_mut(words: &mut [u32]) -> &mut [u32] {
        words
    }
    #[inline(always)]
    fn load_short(self, word: &u32) -> u64 {
        u64::from(*word)
    }
    #[inline(always)]
    fn store_short(self, word: u64, out: &mut u32) {
        *out = word as u32;
    }
}

impl Reorder for Scalar<u64> {
    type Order = ();

    #[inline(always)]
    fn order(self, _: &[u32]) {}
    #[inline(always)]
    fn reorder(self, x: u64, _: ()) -> u64 {
        x
    }
}
