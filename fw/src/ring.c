#include "ring.h"

#ifdef WITH_INSTRUCTIONS

// Two words, as a register takes them.
typedef pair_t __attribute__((may_alias)) words_t;

// A pair's butterfly belongs to the stage; its results are of two pairs of the next one, whose words lay
// in the same two places. So nothing is packed: two loads, four instructions, four stores.
static inline void two_butterflies(words_t *low, words_t *high, pair_t root) {
  const pair_t first = *low, second = *high;
  uint32_t *sums = (uint32_t *)low, *differences = (uint32_t *)high;
  const uint32_t a = butterfly_sum(first, root), b = butterfly_sum(second, root);
  const uint32_t c = butterfly_difference(first, root), d = butterfly_difference(second, root);
  sums[0] = a;
  sums[1] = b;
  differences[0] = c;
  differences[1] = d;
}

// Loops over so few pairs are outside of those over groups, which come to every line of the cache each time.
#define SHORT 2

// A stage before the last: `groups` of `half` twice, each with its root.
static void stage(words_t *pairs, const words_t *roots, unsigned groups, unsigned half) {
  if (half > SHORT) {
    for (unsigned group = 0; group < groups; group++, pairs += 2 * half) {
      const pair_t root = roots[group];
#pragma GCC unroll 4
      for (unsigned i = 0; i < half; i++) two_butterflies(pairs + i, pairs + half + i, root);
    }
    return;
  }
  for (unsigned i = 0; i < half; i++, pairs++) {
    words_t *low = pairs;
#pragma GCC unroll 4
    for (unsigned group = 0; group < groups; group++, low += 2 * half)
      two_butterflies(low, low + half, roots[group]);
  }
}

void ring_forward(const prime_t *prime, uint32_t words[N]) {
  const words_t *roots = (const words_t *)prime->roots;
  words_t *pairs = (words_t *)words;
  ring_use(prime);
  for (unsigned groups = 1, half = N / 4; half > 0; groups *= 2, half /= 2)
    stage(pairs, roots + groups, groups, half);
#pragma GCC unroll 4
  for (unsigned i = 0; i < N / 2; i++) {
    const pair_t both = pairs[i], root = roots[N / 2 + i];
    const uint32_t sum = butterfly_sum(both, root), difference = butterfly_difference(both, root);
    words[2 * i] = sum;
    words[2 * i + 1] = difference;
  }
}

// With the root 1 a butterfly is a sum and a difference.
static inline pair_t one(const prime_t *prime) { return 1 | prime->reciprocal >> 32 << 32; }

// Back, two pairs that become two of the next stage likewise; each has its own root, which comes last.
static inline void two_back(words_t *low, words_t *high, const uint32_t (*roots)[2], pair_t unit) {
  const pair_t first = *low, second = *high;
  uint32_t *sums = (uint32_t *)low, *differences = (uint32_t *)high;
  const uint32_t a = butterfly_sum(first, unit), b = butterfly_sum(second, unit);
  const uint32_t c = butterfly_difference(first, unit), d = butterfly_difference(second, unit);
  sums[0] = a;
  sums[1] = b;
  const uint32_t e = modmul(c, roots[0][0]), f = modmul(d, roots[1][0]);
  differences[0] = e;
  differences[1] = f;
}

static void stage_back(
    words_t *pairs, const uint32_t (*roots)[2], unsigned groups, unsigned half, pair_t unit) {
  if (half > SHORT) {
    for (unsigned group = 0; group < groups; group += 2, pairs += 2 * half)
#pragma GCC unroll 4
      for (unsigned i = 0; i < half; i++) two_back(pairs + i, pairs + half + i, roots + group, unit);
    return;
  }
  for (unsigned i = 0; i < half; i++, pairs++) {
    words_t *low = pairs;
#pragma GCC unroll 4
    for (unsigned group = 0; group < groups; group += 2, low += 2 * half)
      two_back(low, low + half, roots + group, unit);
  }
}

void ring_inverse(
    const prime_t *prime, const uint32_t roots[N][2], const uint32_t degree[2], uint32_t words[N]) {
  const pair_t unit = one(prime);
  words_t *pairs = (words_t *)words;
  ring_use(prime);
  for (unsigned groups = N / 2, half = 1; groups > 1; groups /= 2, half *= 2)
    stage_back(pairs, roots + groups, groups, half, unit);
  const uint32_t last = modmul(roots[1][0], degree[0]);
#pragma GCC unroll 4
  for (unsigned i = 0; i < N / 2; i++) {
    const pair_t both = pairs[i];
    const uint32_t sum = butterfly_sum(both, unit), difference = butterfly_difference(both, unit);
    words[2 * i] = modmul(sum, degree[0]);
    words[2 * i + 1] = modmul(difference, last);
  }
}

#else

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

#endif

void ring_multiply_add(
    const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N], const uint32_t c[N]) {
  ring_use(prime);
  for (unsigned i = 0; i < N; i++) out[i] = ring_times_plus(prime, a[i], b[i], c[i]);
}

void ring_multiply(const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N]) {
  ring_use(prime);
  for (unsigned i = 0; i < N; i++) out[i] = ring_times_plus(prime, a[i], b[i], 0);
}

void ring_reduce(const prime_t *prime, uint32_t out[N], const uint32_t words[N]) {
  ring_use(prime);
  for (unsigned i = 0; i < N; i++) out[i] = ring_modulo(prime, words[i]);
}

void ring_residues(const prime_t *prime, uint32_t out[N], const int8_t values[N]) {
  ring_use(prime);
  for (unsigned i = 0; i < N; i++) out[ring_place(i)] = ring_residue(prime, values[i]);
}
