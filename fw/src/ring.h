// Polynomials modulo a prime below 2^30.
#ifndef RINGWRIGHT_RING_H
#define RINGWRIGHT_RING_H

#include <stdint.h>

#include "tables.h"

// word - q where that is not negative.
static inline uint32_t ring_reduced(uint32_t word, uint32_t q) {
  const uint32_t less = word - q;
  return less + (q & -(less >> 31));
}

// A number below 2^64 modulo q (Barrett): the quotient is short by one at most.
static inline uint32_t ring_modulo(const prime_t *prime, uint64_t number) {
  const uint64_t quotient = (uint64_t)((unsigned __int128)number * prime->reciprocal >> 64);
  return ring_reduced((uint32_t)(number - quotient * prime->q), prime->q);
}

// The residue of an integer, at most 2^62 in size; constant time. The quotient is off by one at most, on
// either side: what is left is in [-q, 2q).
static inline uint32_t ring_residue(const prime_t *prime, int64_t value) {
  const int64_t quotient = (int64_t)((__int128)value * (int64_t)prime->reciprocal >> 64);
  const int64_t rest = value - quotient * prime->q;
  return ring_reduced((uint32_t)rest + (prime->q & (uint32_t)(rest >> 63)), prime->q);
}

// a times b plus c, words below q.
static inline uint32_t ring_times_plus(const prime_t *prime, uint32_t a, uint32_t b, uint32_t c) {
  return ring_modulo(prime, (uint64_t)a * b + c);
}

// Words below q in, evaluations at the odd powers of psi in bit-reversed order out.
void ring_forward(const prime_t *prime, uint32_t words[N]);

// Back, by the inverses of the prime's roots and of N.
void ring_inverse(
    const prime_t *prime, const uint32_t roots[N][2], const uint32_t degree[2], uint32_t words[N]);

// Whole polynomials, and the same without c.
void ring_multiply_add(
    const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N], const uint32_t c[N]);
void ring_multiply(const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N]);

// Words modulo the prime; small integers as residues.
void ring_reduce(const prime_t *prime, uint32_t out[N], const uint32_t words[N]);
void ring_residues(const prime_t *prime, uint32_t out[N], const int8_t values[N]);

#endif  // RINGWRIGHT_RING_H
