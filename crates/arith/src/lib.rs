//! Words of 30 to 128 bits: Barrett, Montgomery, Shoup, primes, CRT. Scalar, the definition.
