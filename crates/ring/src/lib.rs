//! RNS polynomials, basis extension, automorphisms, Keccak-based samplers.
