#include "ring.h"

#define INLINE static inline __attribute__((always_inline))

// Roots with their quotients, as the tables have them.
typedef const uint32_t (*restrict roots_t)[2];

// What a transform does is the same of words and, with instructions, of pairs of them; a butterfly is not.
#ifdef WITH_INSTRUCTIONS

// Two words, as a register takes them.
typedef pair_t __attribute__((may_alias)) element_t;
// With the root 1 a butterfly is a sum and a difference.
typedef pair_t modulus_t;
// Going back, neighbours have a root each.
#define ROOTS_BACK 2

INLINE modulus_t modulus_of(const prime_t *prime) { return 1 | prime->reciprocal >> 32 << 32; }

// A pair's butterfly belongs to the stage; its results are of two pairs of the next one, whose words lay
// in the same two places. So nothing is packed: two loads, four instructions, four stores.
INLINE void butterfly(element_t *low, element_t *high, roots_t roots, modulus_t one) {
  const pair_t first = *low, second = *high, root = *(const element_t *)roots;
  uint32_t *sums = (uint32_t *)low, *differences = (uint32_t *)high;
  const uint32_t a = butterfly_sum(first, root), b = butterfly_sum(second, root);
  const uint32_t c = butterfly_difference(first, root), d = butterfly_difference(second, root);
  (void)one;
  sums[0] = a;
  sums[1] = b;
  differences[0] = c;
  differences[1] = d;
}

// Back, two pairs become two of the next stage likewise; their roots come last.
INLINE void butterfly_back(element_t *low, element_t *high, roots_t roots, modulus_t one) {
  const pair_t first = *low, second = *high;
  uint32_t *sums = (uint32_t *)low, *differences = (uint32_t *)high;
  const uint32_t a = butterfly_sum(first, one), b = butterfly_sum(second, one);
  const uint32_t c = butterfly_difference(first, one), d = butterfly_difference(second, one);
  sums[0] = a;
  sums[1] = b;
  const uint32_t e = modmul(c, roots[0][0]), f = modmul(d, roots[1][0]);
  differences[0] = e;
  differences[1] = f;
}

#else

typedef uint32_t element_t;
// Twice as wide as a word, so that nothing is cut before it is stored.
typedef uint64_t modulus_t;
#define ROOTS_BACK 1

INLINE modulus_t modulus_of(const prime_t *prime) { return prime->q; }

// a times a root modulo q, below 2q; a below 2^32 (Shoup).
INLINE uint64_t times(const uint32_t root[2], uint64_t a, uint64_t q) {
  return root[0] * a - (root[1] * a >> 32) * q;
}

// A number below 4q modulo 2q.
INLINE uint64_t halved(uint64_t number, uint64_t q) {
  const int64_t less = (int64_t)(number - 2 * q);
  return (uint64_t)less + (2 * q & mask_of_negative(less));
}

// Words stay below 4q: each butterfly reduces one (Harvey).
INLINE void butterfly(element_t *low, element_t *high, roots_t roots, modulus_t q) {
  const uint64_t a = halved(*low, q), b = times(*roots, *high, q);
  *low = (uint32_t)(a + b);
  *high = (uint32_t)(a + 2 * q - b);
}

// Back, they stay below 2q.
INLINE void butterfly_back(element_t *low, element_t *high, roots_t roots, modulus_t q) {
  const uint64_t a = *low, b = *high;
  *low = (uint32_t)halved(a + b, q);
  *high = (uint32_t)times(*roots, a + 2 * q - b, q);
}

#endif

#define ELEMENTS (N / RING_RUNS)
// Loops over so few elements are outside of those over groups, which come to every line of the cache each time.
#define SHORT 2

// So many butterflies whose elements are `step` apart, and whose roots `each`.
INLINE void butterflies(
    element_t *restrict low, element_t *restrict high, unsigned count, unsigned step, roots_t roots,
    unsigned each, modulus_t modulus, int back) {
#pragma GCC unroll 4
  for (unsigned i = 0; i < count; i++) {
    element_t *first = low + i * step, *second = high + i * step;
    if (back) {
      butterfly_back(first, second, roots + i * each, modulus);
    } else {
      butterfly(first, second, roots + i * each, modulus);
    }
  }
}

// A stage: groups of `half` twice, each with `each` roots.
INLINE void stage(
    element_t *elements, unsigned groups, unsigned half, roots_t roots, unsigned each, modulus_t modulus,
    int back) {
  if (half > SHORT) {
    for (unsigned group = 0; group < groups; group++, elements += 2 * half, roots += each)
      butterflies(elements, elements + half, half, 1, roots, 0, modulus, back);
    return;
  }
  for (unsigned i = 0; i < half; i++, elements++)
    butterflies(elements, elements + half, groups, 2 * half, roots, each, modulus, back);
}

void ring_forward(const prime_t *prime, uint32_t words[N]) {
  const modulus_t modulus = modulus_of(prime);
  ring_use(prime);
  for (unsigned groups = 1, half = ELEMENTS / 2; half > 0; groups *= 2, half /= 2)
    stage((element_t *)words, groups, half, prime->roots + groups, 1, modulus, 0);
#ifdef WITH_INSTRUCTIONS
  const element_t *pairs = (element_t *)words, *roots = (const element_t *)(prime->roots + ELEMENTS);
#pragma GCC unroll 4
  for (unsigned i = 0; i < ELEMENTS; i++) {
    const pair_t both = pairs[i], root = roots[i];
    const uint32_t sum = butterfly_sum(both, root), difference = butterfly_difference(both, root);
    words[2 * i] = sum;
    words[2 * i + 1] = difference;
  }
#endif
}

void ring_inverse(
    const prime_t *prime, const uint32_t roots[N][2], const uint32_t degree[2], uint32_t words[N]) {
  const modulus_t modulus = modulus_of(prime);
  ring_use(prime);
  for (unsigned groups = ELEMENTS / 2, half = 1; groups > 0; groups /= 2, half *= 2)
    stage((element_t *)words, groups, half, roots + ROOTS_BACK * groups, ROOTS_BACK, modulus, 1);
#ifdef WITH_INSTRUCTIONS
  const uint32_t last = modmul(roots[1][0], degree[0]);
  const element_t *pairs = (element_t *)words;
#pragma GCC unroll 4
  for (unsigned i = 0; i < ELEMENTS; i++) {
    const pair_t both = pairs[i];
    const uint32_t sum = butterfly_sum(both, modulus), difference = butterfly_difference(both, modulus);
    words[2 * i] = modmul(sum, degree[0]);
    words[2 * i + 1] = modmul(difference, last);
  }
#else
  const uint32_t factor[2] = {degree[0], degree[1]};
#pragma GCC unroll 4
  for (unsigned i = 0; i < N; i++)
    words[i] = ring_reduced((uint32_t)times(factor, words[i], modulus), (uint32_t)modulus);
#endif
}

// What one product waits for, others do meanwhile.
#define TOGETHER 4

void ring_multiply_add(
    const prime_t *prime, uint32_t out[N], const uint32_t a[N], const uint32_t b[N], const uint32_t c[N]) {
  ring_use(prime);
  for (unsigned i = 0; i < N; i += TOGETHER) {
    uint32_t words[TOGETHER];
    for (unsigned k = 0; k < TOGETHER; k++) words[k] = ring_times_plus(prime, a[i + k], b[i + k], c[i + k]);
    for (unsigned k = 0; k < TOGETHER; k++) out[i + k] = words[k];
  }
}

// Those that share copy the prime: what is stored could change the original, as far as a compiler knows.
void ring_multiply_share(
    const prime_t *of, volatile uint64_t *out, const uint32_t a[N], const uint32_t b[N],
    const uint32_t c[N]) {
  const prime_t prime = *of;
  ring_use(&prime);
  for (unsigned i = 0; i < N; i += 2) {
    const uint64_t low = ring_times_plus(&prime, a[i], b[i], c[i]);
    const uint64_t high = ring_times_plus(&prime, a[i + 1], b[i + 1], c[i + 1]);
    out[i / 2] = low | high << 32;
  }
}

void ring_residues(const prime_t *prime, uint32_t *restrict out, const int8_t *restrict values) {
  ring_use(prime);
  for (unsigned run = 0; run < RING_RUNS; run++, values += N / RING_RUNS)
#pragma GCC unroll 4
    for (unsigned i = 0; i < N / RING_RUNS; i++) out[RING_RUNS * i + run] = ring_residue(prime, values[i]);
}

void ring_sums(
    const prime_t *prime, uint32_t *restrict out, const int32_t *restrict values,
    const int8_t *restrict added) {
  ring_use(prime);
  for (unsigned run = 0; run < RING_RUNS; run++, values += N / RING_RUNS, added += N / RING_RUNS)
#pragma GCC unroll 4
    for (unsigned i = 0; i < N / RING_RUNS; i++)
      out[RING_RUNS * i + run] = ring_residue(prime, (int64_t)values[i] + added[i]);
}

// Inlined with what is null, so that the loop does not ask.
INLINE void share(const prime_t *prime, volatile uint64_t *out, const int32_t *values, const int8_t *added) {
  for (unsigned i = 0; i < N; i += 2) {
    int64_t sums[2] = {0, 0};
    for (unsigned k = 0; k < 2; k++) {
      if (values) sums[k] += values[i + k];
      if (added) sums[k] += added[i + k];
    }
    out[i / 2] = ring_residue(prime, sums[0]) | (uint64_t)ring_residue(prime, sums[1]) << 32;
  }
}

void ring_share(
    const prime_t *of, volatile uint64_t *out, const int32_t *values, const int8_t *added) {
  const prime_t prime = *of;
  ring_use(&prime);
  if (!added) {
    share(&prime, out, values, 0);
  } else if (!values) {
    share(&prime, out, 0, added);
  } else {
    share(&prime, out, values, added);
  }
}
