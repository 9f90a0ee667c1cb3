// Polynomials modulo a prime below 2^30. Before ring_modulo, ring_residue and ring_times_plus comes ring_use.
#ifndef RINGWRIGHT_RING_H
#define RINGWRIGHT_RING_H

#include <stdint.h>

#include "tables.h"
#ifdef WITH_INSTRUCTIONS
#include "instructions.h"
#endif

// word - q where that is not negative.
static inline uint32_t ring_reduced(uint32_t word, uint32_t q) {
  const uint32_t less = word - q;
  return less + (q & -(less >> 31));
}

#ifdef WITH_INSTRUCTIONS

// What follows is modulo this prime.
static inline void ring_use(const prime_t *prime) { instructions_use(prime->q, prime->reciprocal); }

// Where ring_forward takes coefficient i and ring_inverse leaves it: those that meet in the first stage, or the
// last, lie side by side. And which coefficient lies at a place.
static inline unsigned ring_place(unsigned i) { return (2 * i & (N - 1)) | i >> (LOG_N - 1); }
static inline unsigned ring_coefficient(unsigned place) { return place / 2 | (place & 1) << (LOG_N - 1); }

static inline uint32_t ring_modulo(const prime_t *prime, uint64_t number) {
  (void)prime;
  return modmul(number, 1);
}

// The residue of an integer, at most 2^33 q in size.
static inline uint32_t ring_residue(const prime_t *prime, int64_t value) {
  return modmul((uint64_t)value + ((uint64_t)prime->q << 33), 1);
}

#else

static inline void ring_use(const prime_t *prime) { (void)prime; }

static inline unsigned ring_place(unsigned i) { return i; }
static inline unsigned ring_coefficient(unsigned place) { return place; }

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

#endif

// a times b plus c, words below q.
static inline uint32_t ring_times_plus(const prime_t *prime, uint32_t a, uint32_t b, uint32_t c) {
  return ring_modulo(prime, (uint64_t)a * b + c);
}

// Words below q in, coefficient i at ring_place(i), evaluations at the odd powers of psi in bit-reversed order out.
void ring_forward(const prime_t *prime, uint32_t words[N]);

// Back, by the inverses of the prime's roots and of N; coefficient i at ring_place(i).
void ring_inverse(
    const prime_t *prime, const uint32_t roots[N][2], const uint32_t degree[2], uint32_t words[N]);

// Whole polynomials, and the same without c.
void ring_multiply_add(
    const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N], const uint32_t c[N]);
void ring_multiply(const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N]);

// Words modulo the prime; small integers as residues, where ring_forward takes them.
void ring_reduce(const prime_t *prime, uint32_t out[N], const uint32_t words[N]);
void ring_residues(const prime_t *prime, uint32_t out[N], const int8_t values[N]);

#endif  // RINGWRIGHT_RING_H
