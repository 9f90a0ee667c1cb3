#include "ring.h"

// word - q where that is not negative.
static inline uint32_t reduced(uint32_t word, uint32_t q) {
  const uint32_t less = word - q;
  return less + (q & -(less >> 31));
}

// The high word of a product.
static inline uint64_t high(uint64_t a, uint64_t b) {
  return (uint64_t)((unsigned __int128)a * b >> 64);
}

// A number below 2^64 modulo q (Barrett): the quotient is short by one at most.
static inline uint32_t modulo(const prime_t *prime, uint64_t number) {
  const uint64_t quotient = high(number, prime->reciprocal);
  return reduced((uint32_t)(number - quotient * prime->q), prime->q);
}

uint32_t ring_residue(const prime_t *prime, int64_t value) {
  const uint64_t sign = (uint64_t)(value >> 63);
  const uint32_t size = modulo(prime, ((uint64_t)value ^ sign) - sign);
  // q - size for a negative value, unless that is q.
  const uint32_t negative = reduced(prime->q - size, prime->q);
  return (size & ~(uint32_t)sign) | (negative & (uint32_t)sign);
}

// a times a root modulo q, below 2q (Shoup).
static inline uint32_t times(const uint32_t root[2], uint32_t a, uint32_t q) {
  const uint32_t quotient = (uint32_t)((uint64_t)root[1] * a >> 32);
  return root[0] * a - quotient * q;
}

void ring_forward(const prime_t *prime, uint32_t words[N]) {
  const uint32_t q = prime->q;
  for (unsigned groups = 1, half = N / 2; half > 0; groups *= 2, half /= 2) {
    for (unsigned group = 0; group < groups; group++) {
      const uint32_t *root = prime->roots[groups + group];
      uint32_t *low = words + 2 * half * group, *top = low + half;
      for (unsigned i = 0; i < half; i++) {
        const uint32_t a = low[i], b = reduced(times(root, top[i], q), q);
        low[i] = reduced(a + b, q);
        top[i] = reduced(a + q - b, q);
      }
    }
  }
}

uint32_t ring_times_plus(const prime_t *prime, uint32_t a, uint32_t b, uint32_t c) {
  return modulo(prime, (uint64_t)a * b + c);
}

void ring_multiply_add(
    const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N], const uint32_t c[N]) {
  for (unsigned i = 0; i < N; i++) out[i] = ring_times_plus(prime, a[i], b[i], c[i]);
}

void ring_multiply(const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N]) {
  for (unsigned i = 0; i < N; i++) out[i] = ring_times_plus(prime, a[i], b[i], 0);
}

void ring_reduce(const prime_t *prime, uint32_t out[N], const uint32_t words[N]) {
  for (unsigned i = 0; i < N; i++) out[i] = modulo(prime, words[i]);
}

void ring_residues(const prime_t *prime, uint32_t out[N], const int8_t values[N]) {
  for (unsigned i = 0; i < N; i++) out[i] = ring_residue(prime, values[i]);
}
