#include "decode.h"

#include "encode.h"
#include "fixed.h"

// The steps of encode_transform backwards, without its halving.
static void transform(int64_t *real, int64_t *imaginary) {
  fixed_reorder(real, imaginary);
  const int64_t(*factor)[2] = factors + N / 2 - 1;
  for (unsigned half = 1; half <= N / 4; half *= 2) {
    factor -= half;
    for (unsigned first = 0; first < N / 2; first += 2 * half) {
      for (unsigned i = 0; i < half; i++) {
        const unsigned low = first + i, top = low + half;
        const int64_t a = real[low], b = imaginary[low], c = real[top], d = imaginary[top];
        const int64_t re = fixed_times(c, factor[i][0]) + fixed_times(d, factor[i][1]);
        const int64_t im = fixed_times(d, factor[i][0]) - fixed_times(c, factor[i][1]);
        real[low] = a + re;
        imaginary[low] = b + im;
        real[top] = a - re;
        imaginary[top] = b - im;
      }
    }
  }
}

result_t decode(int32_t values[N / 2], int64_t coefficients[N]) {
  const int shift = (int)log_scale + GUARD_BITS - VALUE_BITS;
  uint64_t beyond = 0;
  for (unsigned i = 0; i < N; i++) coefficients[i] *= (int64_t)1 << GUARD_BITS;
  transform(coefficients, coefficients + N / 2);
  for (unsigned i = 0; i < N / 2; i++) {
    const int64_t slot = coefficients[i];
    const int64_t value = shift > 0 ? (slot + ((int64_t)1 << (shift - 1))) >> shift : slot * ((int64_t)1 << -shift);
    values[i] = (int32_t)value;
    beyond |= (uint64_t)(value - values[i]);
  }
  return beyond ? RESULT_RANGE : RESULT_OK;
}
