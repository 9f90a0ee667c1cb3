//! Instruction sets with a body of their own, and what this machine has of them.
//!
//! Detection is a few loads of a cached answer; plans still do it once, in their constructor,
//! and keep the proof (a token of `arch`) that the instructions may be used.

use std::fmt;
use std::str::FromStr;

/// An instruction set for which the kernels have a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// Portable code, one lane.
    Scalar,
    /// x86-64 AVX2 and FMA: 256-bit registers.
    Avx2,
    /// x86-64 AVX-512 F and DQ: 512-bit registers.
    Avx512,
    /// AVX-512 with the 52-bit multiply-add (IFMA), for moduli below 2^50 or of 105 to 120 bits.
    Avx512Ifma,
}

impl Isa {
    /// Every instruction set, slowest first.
    pub const ALL: [Isa; 4] = [Isa::Scalar, Isa::Avx2, Isa::Avx512, Isa::Avx512Ifma];

    /// The best this machine offers.
    pub fn detect() -> Isa {
        Self::ALL
            .into_iter()
            .rev()
            .find(|isa| isa.is_available())
            .unwrap_or(Isa::Scalar)
    }

    /// All that this machine offers, slowest first; `Scalar` is always among them.
    pub fn available() -> Vec<Isa> {
        Self::ALL
            .into_iter()
            .filter(|isa| isa.is_available())
            .collect()
    }

    /// Whether this machine offers it.
    #[cfg(target_arch = "x86_64")]
    pub fn is_available(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        let avx512 = || has!("avx512f") && has!("avx512dq");
        match self {
            Isa::Scalar => true,
            Isa::Avx2 => has!("avx2") && has!("fma"),
            Isa::Avx512 => avx512(),
            Isa::Avx512Ifma => avx512() && has!("avx512ifma"),
        }
    }

    /// Whether this machine offers it.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn is_available(self) -> bool {
        self == Isa::Scalar
    }

    /// The name used in descriptions and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Avx512Ifma => "avx512ifma",
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no instruction set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("instruction set \"{0}\": expected one of scalar, avx2, avx512, avx512ifma")]
pub struct UnknownIsa(pub String);

impl FromStr for Isa {
    type Err = UnknownIsa;

    fn from_str(name: &str) -> Result<Self, UnknownIsa> {
        Self::ALL
            .into_iter()
            .find(|isa| isa.name() == name)
            .ok_or_else(|| UnknownIsa(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for isa in Isa::ALL {
            assert_eq!(isa.to_string().parse(), Ok(isa));
        }
        assert_eq!("neon".parse::<Isa>(), Err(UnknownIsa("neon".into())));
    }

    #[test]
    fn scalar_is_always_there_and_detection_picks_the_last_available() {
        let available = Isa::available();
        assert_eq!(available.first(), Some(&Isa::Scalar));
        assert_eq!(available.last(), Some(&Isa::detect()));
    }
}
