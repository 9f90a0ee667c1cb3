// Integer polynomials to messages, in fixed point: no operation of a floating-point unit.
#ifndef RINGWRIGHT_DECODE_H
#define RINGWRIGHT_DECODE_H

#include <stdint.h>

#include "encode.h"  // GUARD_BITS
#include "result.h"
#include "tables.h"

// What decode takes of words modulo q, two of them in each of `words`: the representatives nearest to zero,
// with GUARD_BITS behind the point, real parts and then imaginary ones in bit-reversed order. Words lie in
// order, or in two runs that alternate.
void decode_load(int64_t coefficients[N], const volatile uint64_t *words, unsigned runs, uint32_t q);

// N / 2 real values times 2^30 of coefficients as decode_load leaves them, below 2^29 in size, at the scale of
// the tables: the canonical embedding of crates/schemes, slot j at psi^(5^j). Each of log2(N) - 1 steps rounds
// by less than two units of GUARD_BITS, which later steps double: a value is off by less than N / 2^GUARD_BITS
// over the scale, and half a unit. `coefficients` is overwritten. RESULT_RANGE where a value is not in [-2, 2).
result_t decode(int32_t values[N / 2], int64_t coefficients[N]) MUST_USE;

#endif  // RINGWRIGHT_DECODE_H
