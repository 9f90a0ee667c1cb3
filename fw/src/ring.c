#include "ring.h"

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
        const uint32_t a = low[i], b = ring_reduced(times(root, top[i], q), q);
        low[i] = ring_reduced(a + b, q);
        top[i] = ring_reduced(a + q - b, q);
      }
    }
  }
}

void ring_inverse(
    const prime_t *prime, const uint32_t roots[N][2], const uint32_t degree[2], uint32_t words[N]) {
  const uint32_t q = prime->q;
  for (unsigned groups = N / 2, half = 1; groups > 0; groups /= 2, half *= 2) {
    for (unsigned group = 0; group < groups; group++) {
      const uint32_t *root = roots[groups + group];
      uint32_t *low = words + 2 * half * group, *top = low + half;
      for (unsigned i = 0; i < half; i++) {
        const uint32_t a = low[i], b = top[i];
        low[i] = ring_reduced(a + b, q);
        top[i] = ring_reduced(times(root, a + q - b, q), q);
      }
    }
  }
  for (unsigned i = 0; i < N; i++) words[i] = ring_reduced(times(degree, words[i], q), q);
}

void ring_multiply_add(
    const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N], const uint32_t c[N]) {
  for (unsigned i = 0; i < N; i++) out[i] = ring_times_plus(prime, a[i], b[i], c[i]);
}

void ring_multiply(const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N]) {
  for (unsigned i = 0; i < N; i++) out[i] = ring_times_plus(prime, a[i], b[i], 0);
}

void ring_reduce(const prime_t *prime, uint32_t out[N], const uint32_t words[N]) {
  for (unsigned i = 0; i < N; i++) out[i] = ring_modulo(prime, words[i]);
}

void ring_residues(const prime_t *prime, uint32_t out[N], const int8_t values[N]) {
  for (unsigned i = 0; i < N; i++) out[i] = ring_residue(prime, values[i]);
}
