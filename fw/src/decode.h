// Integer polynomials to messages, in fixed point: no operation of a floating-point unit.
#ifndef RINGWRIGHT_DECODE_H
#define RINGWRIGHT_DECODE_H

#include <stdint.h>

#include "encode.h"  // GUARD_BITS
#include "result.h"
#include "tables.h"

// N / 2 real values times 2^30 of coefficients below 2^29 in size, at the scale of the tables and with
// GUARD_BITS behind the point: the canonical embedding of crates/schemes, slot j at psi^(5^j). Each of log2(N) - 1 steps rounds by less than two units of
// GUARD_BITS, which later steps double: a value is off by less than N / 2^GUARD_BITS over the scale, and half
// a unit. `coefficients` is overwritten. RESULT_RANGE where a value is not in [-2, 2).
result_t decode(int32_t values[N / 2], int64_t coefficients[N]) MUST_USE;

#endif  // RINGWRIGHT_DECODE_H
