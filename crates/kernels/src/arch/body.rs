//! Which bodies exist for which word, and the choice among them.

use super::scalar::Scalar;
#[cfg(target_arch = "x86_64")]
use super::{
    avx2::Avx2, avx2double::Double, avx512::Avx512, avx512ifma::Avx512Ifma, avx512signed::Signed,
    avx512wide::Avx512Wide, word_wide::Below60,
};
use crate::isa::Isa;
use crate::vector::{Kernel, Modular, RealKernel};
use ringwright_arith::{Modulus, Shoup, Word};

/// A word with kernels: `u32` (q < 2^30), `u64` (q < 2^62), `u128` (q < 2^127).
///
/// Closed: its methods speak of types that cannot be named outside this crate.
pub trait KernelWord: Word {
    /// A body and the proof that it may run.
    #[doc(hidden)]
    type Body: Copy + std::fmt::Debug + Send + Sync + 'static;

    /// The fastest body of `isa` or below that serves the modulus and transforms of n words.
    #[doc(hidden)]
    fn choose(isa: Isa, q: Self, n: usize) -> Self::Body;

    /// The fastest body of `isa` or below for pointwise kernels modulo q.
    #[doc(hidden)]
    fn choose_pointwise(isa: Isa, q: Self) -> Self::Body {
        Self::choose(isa, q, usize::MAX)
    }

    /// The same, for products that take any word that a modulus could bound.
    #[doc(hidden)]
    fn choose_wide(isa: Isa, q: Self) -> Self::Body {
        Self::choose_pointwise(isa, q)
    }

    /// What a body is made of.
    #[doc(hidden)]
    fn traits(body: Self::Body) -> BodyTraits<Self>;

    /// Runs a kernel in a body.
    #[doc(hidden)]
    fn enter<K: Kernel<Self>>(body: Self::Body, kernel: K);
}

/// Facts about a body that its tables depend on.
#[derive(Clone, Copy, Debug)]
pub struct BodyTraits<W> {
    /// The instruction set used.
    pub isa: Isa,
    /// `Modular::prepared`.
    pub prepared: fn(&Modulus<W>, W) -> Shoup<W>,
    /// `Lanes::LANES`.
    pub lanes: usize,
}

fn traits<V: Modular>(_: V, isa: Isa) -> BodyTraits<V::Word> {
    BodyTraits {
        isa,
        prepared: V::prepared,
        lanes: V::LANES,
    }
}

/// Bodies for 64-bit words.
#[derive(Clone, Copy, Debug)]
pub enum Body64 {
    /// Any modulus below 2^62.
    Scalar(Scalar<u64>),
    /// Moduli below 2^61.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2<u64>),
    /// Moduli below 2^60.
    #[cfg(target_arch = "x86_64")]
    Avx2Below2p60(Avx2<u64, Below60>),
    /// Moduli below 2^50.
    #[cfg(target_arch = "x86_64")]
    Double50(Avx2<u64, Double<50>>),
    /// Moduli below 2^48.
    #[cfg(target_arch = "x86_64")]
    Double48(Avx2<u64, Double<48>>),
    /// Moduli below 2^61.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512<u64>),
    /// Moduli below 2^60.
    #[cfg(target_arch = "x86_64")]
    Below2p60(Avx512<u64, Below60>),
    /// Moduli below 2^55.
    #[cfg(target_arch = "x86_64")]
    Below2p55(Avx512<u64, Signed>),
    /// Moduli below 2^50.
    #[cfg(target_arch = "x86_64")]
    Below2p50(Avx512Ifma<50>),
    /// Moduli below 2^46.
    #[cfg(target_arch = "x86_64")]
    Below2p46(Avx512Ifma<46>),
}

impl KernelWord for u64 {
    type Body = Body64;

    #[cfg(target_arch = "x86_64")]
    fn choose(isa: Isa, q: u64, n: usize) -> Body64 {
        if isa >= Isa::Avx512Ifma && q < 1 << 46 && n >= 64 {
            if let Some(token) = Avx512Ifma::<46>::new() {
                return Body64::Below2p46(token);
            }
        }
        if isa >= Isa::Avx512Ifma && q < 1 << 50 && n >= 64 {
            if let Some(token) = Avx512Ifma::<50>::new() {
                return Body64::Below2p50(token);
            }
        }
        if isa >= Isa::Avx512 && q < 1 << 55 && n >= 64 {
            if let Some(token) = Avx512::<u64, Signed>::new() {
                return Body64::Below2p55(token);
            }
        }
        if isa >= Isa::Avx512 && q < 1 << 60 && n >= 64 {
            if let Some(token) = Avx512::<u64, Below60>::new() {
                return Body64::Below2p60(token);
            }
        }
        if isa >= Isa::Avx512 && q < 1 << <Avx512<u64>>::MODULUS_BITS && n >= 64 {
            if let Some(token) = <Avx512<u64>>::new() {
                return Body64::Avx512(token);
            }
        }
        if isa >= Isa::Avx2 && q < 1 << 48 && n >= 32 {
            if let Some(token) = Avx2::new() {
                return Body64::Double48(token);
            }
        }
        if isa >= Isa::Avx2 && q < 1 << 50 && n >= 32 {
            if let Some(token) = Avx2::new() {
                return Body64::Double50(token);
            }
        }
        if isa >= Isa::Avx2 && q < 1 << 60 && n >= 32 {
            if let Some(token) = Avx2::new() {
                return Body64::Avx2Below2p60(token);
            }
        }
        if isa >= Isa::Avx2 && q < 1 << Avx2::<u64>::MODULUS_BITS && n >= 32 {
            if let Some(token) = Avx2::new() {
                return Body64::Avx2(token);
            }
        }
        Body64::Scalar(Scalar::default())
    }

    /// Pointwise, the windows of transforms are no help: their products are corrected at once.
    #[cfg(target_arch = "x86_64")]
    fn choose_pointwise(isa: Isa, q: u64) -> Body64 {
        match Self::choose(isa, q, usize::MAX) {
            Body64::Below2p55(_) | Body64::Below2p60(_) => match <Avx512<u64>>::new() {
                Some(token) => Body64::Avx512(token),
                None => Body64::Scalar(Scalar::default()),
            },
            Body64::Avx2Below2p60(_) => match <Avx2<u64>>::new() {
                Some(token) => Body64::Avx2(token),
                None => Body64::Scalar(Scalar::default()),
            },
            body => body,
        }
    }

    /// Neither doubles nor the multiplier of IFMA take more than 52 bits.
    #[cfg(target_arch = "x86_64")]
    fn choose_wide(isa: Isa, q: u64) -> Body64 {
        match Self::choose_pointwise(isa.min(Isa::Avx512), q) {
            Body64::Double48(_) | Body64::Double50(_) => match <Avx2<u64>>::new() {
                Some(token) => Body64::Avx2(token),
                None => Body64::Scalar(Scalar::default()),
            },
            body => body,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn choose(_: Isa, _: u64, _: usize) -> Body64 {
        Body64::Scalar(Scalar::default())
    }

    fn traits(body: Body64) -> BodyTraits<Self> {
        match body {
            Body64::Scalar(token) => traits(token, Isa::Scalar),
            #[cfg(target_arch = "x86_64")]
            Body64::Avx2(token) => traits(token, Isa::Avx2),
            #[cfg(target_arch = "x86_64")]
            Body64::Avx2Below2p60(token) => traits(token, Isa::Avx2),
            #[cfg(target_arch = "x86_64")]
            Body64::Double50(token) => traits(token, Isa::Avx2),
            #[cfg(target_arch = "x86_64")]
            Body64::Double48(token) => traits(token, Isa::Avx2),
            #[cfg(target_arch = "x86_64")]
            Body64::Avx512(token) => traits(token, Isa::Avx512),
            #[cfg(target_arch = "x86_64")]
            Body64::Below2p60(token) => traits(token, Isa::Avx512),
            #[cfg(target_arch = "x86_64")]
            Body64::Below2p55(token) => traits(token, Isa::Avx512),
            #[cfg(target_arch = "x86_64")]
            Body64::Below2p50(token) => traits(token, Isa::Avx512Ifma),
            #[cfg(target_arch = "x86_64")]
            Body64::Below2p46(token) => traits(token, Isa::Avx512Ifma),
        }
    }

    fn enter<K: Kernel<u64>>(body: Body64, kernel: K) {
        match body {
            Body64::Scalar(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body64::Avx2(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body64::Avx2Below2p60(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body64::Double50(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body64::Double48(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body64::Avx512(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body64::Below2p60(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body64::Below2p55(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body64::Below2p50(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body64::Below2p46(token) => token.enter(kernel),
        }
    }
}

/// Bodies for 32-bit words; all take any modulus below 2^30.
#[derive(Clone, Copy, Debug)]
pub enum Body32 {
    /// One lane.
    Scalar(Scalar<u32>),
    /// 8 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2<u32>),
    /// 16 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512<u32>),
}

impl KernelWord for u32 {
    type Body = Body32;

    #[cfg(target_arch = "x86_64")]
    fn choose(isa: Isa, _: u32, n: usize) -> Body32 {
        if isa >= Isa::Avx512 && n >= 128 {
            if let Some(token) = <Avx512<u32>>::new() {
                return Body32::Avx512(token);
            }
        }
        if isa >= Isa::Avx2 && n >= 64 {
            if let Some(token) = Avx2::new() {
                return Body32::Avx2(token);
            }
        }
        Body32::Scalar(Scalar::default())
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn choose(_: Isa, _: u32, _: usize) -> Body32 {
        Body32::Scalar(Scalar::default())
    }

    fn traits(body: Body32) -> BodyTraits<Self> {
        match body {
            Body32::Scalar(token) => traits(token, Isa::Scalar),
            #[cfg(target_arch = "x86_64")]
            Body32::Avx2(token) => traits(token, Isa::Avx2),
            #[cfg(target_arch = "x86_64")]
            Body32::Avx512(token) => traits(token, Isa::Avx512),
        }
    }

    fn enter<K: Kernel<u32>>(body: Body32, kernel: K) {
        match body {
            Body32::Scalar(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body32::Avx2(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body32::Avx512(token) => token.enter(kernel),
        }
    }
}

/// Bodies for 128-bit words.
#[derive(Clone, Copy, Debug)]
pub enum Body128 {
    /// Any modulus below 2^127.
    Scalar(Scalar<u128>),
    /// Transforms modulo q for which `Avx2::serves`.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2<u128>),
    /// Transforms modulo 2^104 to 2^120.
    #[cfg(target_arch = "x86_64")]
    Wide(Avx512Wide),
}

impl KernelWord for u128 {
    type Body = Body128;

    #[cfg(target_arch = "x86_64")]
    fn choose(isa: Isa, q: u128, n: usize) -> Body128 {
        let bits = u128::BITS - q.leading_zeros();
        if isa >= Isa::Avx512Ifma && Avx512Wide::MODULUS_BITS.contains(&bits) && n >= 64 {
            if let Some(token) = Avx512Wide::new() {
                return Body128::Wide(token);
            }
        }
        if isa >= Isa::Avx2 && Avx2::<u128>::serves(q) && n >= 32 {
            if let Some(token) = Avx2::new() {
                return Body128::Avx2(token);
            }
        }
        Body128::Scalar(Scalar::default())
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn choose(_: Isa, _: u128, _: usize) -> Body128 {
        Body128::Scalar(Scalar::default())
    }

    fn choose_pointwise(_: Isa, _: u128) -> Body128 {
        Body128::Scalar(Scalar::default())
    }

    fn traits(body: Body128) -> BodyTraits<u128> {
        match body {
            Body128::Scalar(token) => traits(token, Isa::Scalar),
            #[cfg(target_arch = "x86_64")]
            Body128::Avx2(token) => traits(token, Isa::Avx2),
            #[cfg(target_arch = "x86_64")]
            Body128::Wide(token) => traits(token, Isa::Avx512Ifma),
        }
    }

    fn enter<K: Kernel<u128>>(body: Body128, kernel: K) {
        match body {
            Body128::Scalar(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body128::Avx2(token) => token.enter(kernel),
            #[cfg(target_arch = "x86_64")]
            Body128::Wide(token) => token.enter(kernel),
        }
    }
}

/// Bodies for `f64`.
#[derive(Clone, Copy, Debug)]
pub enum RealBody {
    /// One lane.
    Scalar(Scalar<f64>),
    /// 4 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2<f64>),
    /// 8 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512<f64>),
}

impl RealBody {
    /// The best body of `isa` or below for n words a slice.
    #[cfg(target_arch = "x86_64")]
    pub fn choose(isa: Isa, n: usize) -> Self {
        if isa >= Isa::Avx512 && n >= 16 {
            if let Some(token) = <Avx512<f64>>::new() {
                return RealBody::Avx512(token);
            }
        }
        if isa >= Isa::Avx2 && n >= 8 {
            if let Some(token) = Avx2::new() {
                return RealBody::Avx2(token);
            }
        }
        RealBody::Scalar(Scalar::default())
    }

    /// The best body of `isa` or below for n words a slice.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn choose(_: Isa, _: usize) -> Self {
        RealBody::Scalar(Scalar::default())
    }

    /// Its instruction set.
    pub fn isa(self) -> Isa {
        match self {
            RealBody::Scalar(_) => Isa::Scalar,
            #[cfg(target_arch = "x86_64")]
            RealBody::Avx2(_) => Isa::Avx2,
            #[cfg(target_arch = "x86_64")]
            RealBody::Avx512(_) => Isa::Avx512,
        }
    }

    /// Runs a kernel.
    pub fn enter<K: RealKernel>(self, kernel: K) {
        match self {
            RealBody::Scalar(token) => token.enter_real(kernel),
            #[cfg(target_arch = "x86_64")]
            RealBody::Avx2(token) => token.enter_real(kernel),
            #[cfg(target_arch = "x86_64")]
            RealBody::Avx512(token) => token.enter_real(kernel),
        }
    }
}
