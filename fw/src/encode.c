#include "encode.h"

#include "fixed.h"

static inline int64_t halved(int64_t a) { return a >> 1; }

void encode_load(int64_t coefficients[N], const int32_t values[N / 2]) {
  int64_t *real = coefficients, *imaginary = coefficients + N / 2;
  const unsigned shift = log_scale + GUARD_BITS;
  for (unsigned i = 0; i < N / 2; i++) {
    real[i] = shift >= VALUE_BITS ? (int64_t)values[i] * ((int64_t)1 << (shift - VALUE_BITS))
                                  : (int64_t)values[i] >> (VALUE_BITS - shift);
    imaginary[i] = 0;
  }
}

void encode_transform(int64_t coefficients[N]) {
  int64_t *real = coefficients, *imaginary = coefficients + N / 2;
  const int64_t(*factor)[2] = factors;
  for (unsigned half = N / 4; half > 0; half /= 2) {
    for (unsigned first = 0; first < N / 2; first += 2 * half) {
      for (unsigned i = 0; i < half; i++) {
        const unsigned low = first + i, top = low + half;
        const int64_t a = real[low], b = imaginary[low], c = real[top], d = imaginary[top];
        const int64_t re = halved(a - c), im = halved(b - d);
        real[low] = halved(a + c);
        imaginary[low] = halved(b + d);
        real[top] = fixed_times(re, factor[i][0]) - fixed_times(im, factor[i][1]);
        imaginary[top] = fixed_times(re, factor[i][1]) + fixed_times(im, factor[i][0]);
      }
    }
    factor += half;
  }
  fixed_reorder(real, imaginary);
}

void encode_round(int64_t coefficients[N]) {
  const int64_t unit = (int64_t)1 << GUARD_BITS;
  for (unsigned i = 0; i < N; i++) coefficients[i] = (coefficients[i] + unit / 2) >> GUARD_BITS;
}

void encode(int64_t coefficients[N], const int32_t values[N / 2]) {
  encode_load(coefficients, values);
  encode_transform(coefficients);
  encode_round(coefficients);
}
