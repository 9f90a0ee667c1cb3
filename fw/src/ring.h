// Polynomials modulo a prime below 2^30. Before ring_modulo, ring_residue and ring_times_plus comes ring_use.
#ifndef RINGWRIGHT_RING_H
#define RINGWRIGHT_RING_H

#include <stdint.h>

#include "mask.h"
#include "tables.h"
#ifdef WITH_INSTRUCTIONS
#include "instructions.h"
#endif

// word - q where that is not negative; both below 2^31.
static inline uint32_t ring_reduced(uint32_t word, uint32_t q) {
  const int32_t less = (int32_t)(word - q);
  return (uint32_t)less + (q & (uint32_t)mask_of_negative(less));
}

#ifdef WITH_INSTRUCTIONS

// What follows is modulo this prime.
static inline void ring_use(const prime_t *prime) { instructions_use(prime->q, prime->reciprocal); }

// Coefficients go to ring_forward, and come from ring_inverse, in so many runs whose words alternate: those
// that meet in the first stage, or the last, lie side by side.
#define RING_RUNS 2

static inline uint32_t ring_modulo(const prime_t *prime, uint64_t number) {
  (void)prime;
  return modmul(number, 1);
}

#else

static inline void ring_use(const prime_t *prime) { (void)prime; }

#define RING_RUNS 1

// A number below 2^64 modulo q (Barrett): the quotient is short by one at most. Constant time, like all of it.
static inline uint32_t ring_modulo(const prime_t *prime, uint64_t number) {
  const uint64_t quotient = (uint64_t)((unsigned __int128)number * prime->reciprocal >> 64);
  return ring_reduced((uint32_t)(number - quotient * prime->q), prime->q);
}

#endif

// The residue of an integer, at most 2^33 q in size.
static inline uint32_t ring_residue(const prime_t *prime, int64_t value) {
  return ring_modulo(prime, (uint64_t)value + ((uint64_t)prime->q << 33));
}

// a times b plus c, words of which one factor is below q.
static inline uint32_t ring_times_plus(const prime_t *prime, uint32_t a, uint32_t b, uint32_t c) {
  return ring_modulo(prime, (uint64_t)a * b + c);
}

// Words below q in, in runs; evaluations at the odd powers of psi in bit-reversed order out, below 4q.
void ring_forward(const prime_t *prime, uint32_t words[N]);

// Back, by the inverses of the prime's roots and of N.
void ring_inverse(
    const prime_t *prime, const uint32_t roots[N][2], const uint32_t degree[2], uint32_t words[N]);

// The same of whole polynomials, below q; `out` may be any of them.
void ring_multiply_add(
    const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N], const uint32_t c[N]);

// The same where an accelerator reads it.
void ring_multiply_share(
    const prime_t *prime, volatile uint64_t *out, const uint32_t a[N], const uint32_t b[N],
    const uint32_t c[N]);

// Small integers, and sums with them, as residues where ring_forward takes them.
void ring_residues(const prime_t *prime, uint32_t *restrict out, const int8_t *restrict values);
void ring_sums(
    const prime_t *prime, uint32_t *restrict out, const int32_t *restrict values,
    const int8_t *restrict added);

// The same of one or both, the other one null, in their order where an accelerator reads them.
void ring_share(
    const prime_t *prime, volatile uint64_t *out, const int32_t *values, const int8_t *added);

#endif  // RINGWRIGHT_RING_H
