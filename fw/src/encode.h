// Messages to integer polynomials, in fixed point: no operation of a floating-point unit.
#ifndef RINGWRIGHT_ENCODE_H
#define RINGWRIGHT_ENCODE_H

#include <stdint.h>

#include "tables.h"

// Bits behind the point while a message is transformed. Each of log2(N) - 1 steps rounds twice, by less than
// a unit of them in a product and half a unit in a sum, so a coefficient is off by less than
// 1/2 + 3 log2(N) / 2^GUARD_BITS.
#define GUARD_BITS 14

// The coefficients of N / 2 real values (times 2^30, at most 1 in size) at the scale of the tables, at most
// 2^30, in `coefficients`; the canonical embedding of crates/schemes, slot j at psi^(5^j).
void encode(int64_t coefficients[N], const int32_t values[N / 2]);

// Its steps: values behind the point, the transform with its order, coefficients before the point.
void encode_load(int64_t coefficients[N], const int32_t values[N / 2]);
void encode_transform(int64_t coefficients[N]);
void encode_round(int64_t coefficients[N]);

#endif  // RINGWRIGHT_ENCODE_H
