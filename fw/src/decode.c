#include "decode.h"

#include "fixed.h"

// The steps of encode_transform backwards, without its halving.
static void transform(int64_t coefficients[N]) {
  const int64_t(*factor)[2] = factors + N / 2 - 1;
  fixed_reorder(coefficients, coefficients + N / 2);
  for (unsigned half = 1; half <= N / 4; half *= 2) fixed_stage(coefficients, half, factor -= half, 1);
}

result_t decode(int32_t values[N / 2], int64_t coefficients[N]) {
  const int shift = (int)log_scale + GUARD_BITS - VALUE_BITS;
  uint64_t beyond = 0;
  transform(coefficients);
#pragma GCC unroll 4
  for (unsigned i = 0; i < N / 2; i++) {
    const int64_t slot = coefficients[i];
    const int64_t value = shift > 0 ? (slot + ((int64_t)1 << (shift - 1))) >> shift : slot * ((int64_t)1 << -shift);
    values[i] = (int32_t)value;
    beyond |= (uint64_t)(value - values[i]);
  }
  return beyond ? RESULT_RANGE : RESULT_OK;
}
