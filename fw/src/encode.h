// Messages to integer polynomials, in fixed point: no operation of a floating-point unit.
#ifndef RINGWRIGHT_ENCODE_H
#define RINGWRIGHT_ENCODE_H

#include <stdint.h>

#include "tables.h"

// Bits behind the point while a message is transformed. Each of log2(N) - 1 steps rounds twice, by less than
// a unit of them in a product and half a unit in a sum, so a coefficient is off by less than
// 1/2 + 3 log2(N) / 2^GUARD_BITS.
#define GUARD_BITS 14

// A message is twice as wide while it is encoded; then there is room for another polynomial behind it.
typedef union {
  int64_t wide[N];
  struct {
    int32_t coefficients[N];
    uint32_t behind[N];
  };
} encoded_t;

// The coefficients of N / 2 real values (times 2^30, at most 1 in size) at the scale of the tables, at most
// 2^30; the canonical embedding of crates/schemes, slot j at psi^(5^j).
void encode(encoded_t *encoded, const int32_t values[N / 2]);

// Its steps: values behind the point, the transform, whose results are in bit-reversed order, their own
// order, coefficients before the point.
void encode_load(encoded_t *encoded, const int32_t values[N / 2]);
void encode_transform(encoded_t *encoded);
void encode_reorder(encoded_t *encoded);
void encode_round(encoded_t *encoded);

#endif  // RINGWRIGHT_ENCODE_H
