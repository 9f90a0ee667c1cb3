//! The four register files, 64 registers each (RPU, section III-A).

use std::fmt;

/// Registers in each file.
pub const REGISTERS: usize = 64;

macro_rules! register {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u8);

        impl $name {
            /// The letter before its number in text.
            pub const PREFIX: char = $prefix;

            /// The register of this number; `None` from [`REGISTERS`] on.
            pub const fn new(number: u8) -> Option<Self> {
                match (number as usize) < REGISTERS {
                    true => Some($name(number)),
                    false => None,
                }
            }

            /// The register whose number is the low six bits of `field`.
            pub const fn from_field(field: u64) -> Self {
                $name((field % REGISTERS as u64) as u8)
            }

            /// Its number, below [`REGISTERS`].
            pub const fn number(self) -> u8 {
                self.0
            }

            /// Its number, to index a file with.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// All of them, by number.
            pub fn all() -> impl Iterator<Item = Self> {
                (0..REGISTERS as u8).map($name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", Self::PREFIX, self.0)
            }
        }
    };
}

register!(
    /// A vector register: `vector_length` words in slices, one slice per HPLE.
    VReg, 'v'
);
register!(
    /// A scalar register: one word that a vector-scalar instruction takes as its second operand.
    SReg, 's'
);
register!(
    /// An address register: a word address in the vector data memory.
    AReg, 'a'
);
register!(
    /// A modulus register: a modulus and its reciprocal.
    MReg, 'm'
);
