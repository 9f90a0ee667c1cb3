// Choices that take as long either way. A compiler that saw where a mask comes from could jump instead, and
// then time would depend on a secret.
#ifndef RINGWRIGHT_MASK_H
#define RINGWRIGHT_MASK_H

#include <stdint.h>

// All ones of a negative number, else zero.
static inline uint64_t mask_of_negative(int64_t number) {
  int64_t mask = number >> 63;
  __asm__("" : "+r"(mask));
  return (uint64_t)mask;
}

#endif  // RINGWRIGHT_MASK_H
