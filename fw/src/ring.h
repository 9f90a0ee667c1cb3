// Polynomials modulo a prime below 2^30.
#ifndef RINGWRIGHT_RING_H
#define RINGWRIGHT_RING_H

#include <stdint.h>

#include "tables.h"

// The residue of an integer; constant time.
uint32_t ring_residue(const prime_t *prime, int64_t value);

// Words below q in, evaluations at the odd powers of psi in bit-reversed order out.
void ring_forward(const prime_t *prime, uint32_t words[N]);

// a times b plus c, words below q.
uint32_t ring_times_plus(const prime_t *prime, uint32_t a, uint32_t b, uint32_t c);

// The same for whole polynomials, and without c.
void ring_multiply_add(
    const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N], const uint32_t c[N]);
void ring_multiply(const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N]);

// Words modulo the prime; small integers as residues.
void ring_reduce(const prime_t *prime, uint32_t out[N], const uint32_t words[N]);
void ring_residues(const prime_t *prime, uint32_t out[N], const int8_t values[N]);

#endif  // RINGWRIGHT_RING_H
