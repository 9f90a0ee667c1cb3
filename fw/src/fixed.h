// Fixed point, as the canonical embedding needs it.
#ifndef RINGWRIGHT_FIXED_H
#define RINGWRIGHT_FIXED_H

#include <stdint.h>

#include "tables.h"

// Of values behind the point; factors of the tables are 2^63 times theirs.
#define VALUE_BITS 30

// Half a product with a factor of the tables, and all of it; |a| below 2^62.
static inline int64_t fixed_half(int64_t a, int64_t factor) { return (int64_t)((__int128)a * factor >> 64); }

static inline int64_t fixed_times(int64_t a, int64_t factor) { return fixed_half(2 * a, factor); }

// All slots in an order in which they and those that they change places with in bit-reversed order lie in few
// lines of a cache at a time: eight numbers are a line, eight lines of each are done together. So many at once.
#define FIXED_LINE 8
_Static_assert(N / 2 >= FIXED_LINE * FIXED_LINE, "slots are done in eight lines of eight");
#define FIXED_EACH_SLOT(slot, step)                                            \
  for (unsigned line = 0; line < N / 2 / FIXED_LINE; line += FIXED_LINE)       \
    for (unsigned first = line; first < N / 2; first += N / 2 / FIXED_LINE)    \
      for (unsigned slot = first; slot < first + FIXED_LINE; slot += step)

typedef const int64_t (*restrict factors_t)[2];

// So many butterflies of a transform of complex numbers, which are `step` apart, and their factors `each`.
static inline __attribute__((always_inline)) void fixed_butterflies(
    int64_t *restrict low, int64_t *restrict top, unsigned count, unsigned step, factors_t factor,
    unsigned each, int back) {
#pragma GCC unroll 2
  for (unsigned i = 0; i < count; i++) {
    int64_t *first = low + i * step, *second = top + i * step;
    const int64_t a = first[0], b = first[N / 2], c = second[0], d = second[N / 2];
    const int64_t real = factor[i * each][0], imaginary = factor[i * each][1];
    if (back) {
      const int64_t re = fixed_times(c, real) + fixed_times(d, imaginary);
      const int64_t im = fixed_times(d, real) - fixed_times(c, imaginary);
      first[0] = a + re;
      first[N / 2] = b + im;
      second[0] = a - re;
      second[N / 2] = b - im;
    } else {
      first[0] = (a + c) >> 1;
      first[N / 2] = (b + d) >> 1;
      second[0] = fixed_half(a - c, real) - fixed_half(b - d, imaginary);
      second[N / 2] = fixed_half(a - c, imaginary) + fixed_half(b - d, real);
    }
  }
}

// Loops over so few butterflies of a group are outside of those over groups.
#define FIXED_SHORT 2

// A stage: groups of `half` twice. Real parts come first, imaginary ones N / 2 behind them.
static inline __attribute__((always_inline)) void fixed_stage(
    int64_t *numbers, unsigned half, factors_t factor, int back) {
  if (half > FIXED_SHORT) {
    for (unsigned first = 0; first < N / 2; first += 2 * half)
      fixed_butterflies(numbers + first, numbers + first + half, half, 1, factor, 1, back);
    return;
  }
  for (unsigned i = 0; i < half; i++, factor++)
    fixed_butterflies(numbers + i, numbers + i + half, N / 4 / half, 2 * half, factor, 0, back);
}

#endif  // RINGWRIGHT_FIXED_H
