//! Parameters as data.

use crate::rlwe::RingKind;

/// Parameters as data, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParametersLiteral {
    /// Name for reports and errors.
    pub name: String,
    /// The ring: standard with N/2 complex slots, or conjugate-invariant with N real ones.
    pub kind: RingKind,
    /// log2 of the ring degree N.
    pub log_n: u32,
    /// Bits of each ciphertext prime; the last is dropped first.
    pub q_bits: Vec<u32>,
    /// Bits of each special prime; none for sets that only encrypt and decrypt.
    pub p_bits: Vec<u32>,
    /// Towers per digit of a key switch; 0 for as many as the special primes hold, which differ.
    pub digit: usize,
    /// log2 of the default scale.
    pub log_scale: u32,
    /// Accept parameters beyond the 128-bit table.
    pub insecure: bool,
}

/// Parameters whose primes another library chose, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenPrimes {
    /// Name for reports and errors.
    pub name: String,
    /// The ring: standard with N/2 complex slots, or conjugate-invariant with N real ones.
    pub kind: RingKind,
    /// log2 of the ring degree N.
    pub log_n: u32,
    /// The ciphertext primes; the last is dropped first.
    pub q: Vec<u64>,
    /// The special primes; none for sets that only encrypt and decrypt, `None` where nobody said
    /// which there are: such a set is called neither secure nor insecure.
    pub p: Option<Vec<u64>>,
    /// Towers per digit of a key switch; 0 for as many as the special primes hold, which differ.
    pub digit: usize,
    /// log2 of the default scale.
    pub log_scale: u32,
    /// Accept parameters beyond the 128-bit table.
    pub insecure: bool,
}
