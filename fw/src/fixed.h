// Fixed point, as the canonical embedding needs it.
#ifndef RINGWRIGHT_FIXED_H
#define RINGWRIGHT_FIXED_H

#include <stdint.h>

#include "tables.h"

// Of values behind the point, and of the factors of the transform.
#define VALUE_BITS 30
#define FACTOR_BITS 62

// A product with a factor of the tables; |a| below 2^61.
static inline int64_t fixed_times(int64_t a, int64_t factor) {
  const int64_t shifted = (int64_t)((uint64_t)a << (64 - FACTOR_BITS));
  return (int64_t)((__int128)shifted * factor >> 64);
}

// Slots in the order of the transform, which is its own inverse.
static inline void fixed_reorder(int64_t real[N / 2], int64_t imaginary[N / 2]) {
  for (unsigned i = 0; i < N / 2; i++) {
    const unsigned other = bit_reversed[i];
    if (other > i) {
      const int64_t re = real[i], im = imaginary[i];
      real[i] = real[other], real[other] = re;
      imaginary[i] = imaginary[other], imaginary[other] = im;
    }
  }
}

#endif  // RINGWRIGHT_FIXED_H
