#include "encode.h"

#include "fixed.h"

void encode_load(encoded_t *encoded, const int32_t values[N / 2]) {
  int64_t *real = encoded->wide, *imaginary = encoded->wide + N / 2;
  const unsigned shift = log_scale + GUARD_BITS;
#pragma GCC unroll 4
  for (unsigned i = 0; i < N / 2; i++) {
    real[i] = shift >= VALUE_BITS ? (int64_t)values[i] * ((int64_t)1 << (shift - VALUE_BITS))
                                  : (int64_t)values[i] >> (VALUE_BITS - shift);
    imaginary[i] = 0;
  }
}

void encode_transform(encoded_t *encoded) {
  const int64_t(*factor)[2] = factors;
  for (unsigned half = N / 4; half > 0; factor += half, half /= 2) fixed_stage(encoded->wide, half, factor, 0);
}

void encode_reorder(encoded_t *encoded) {
  int64_t *real = encoded->wide, *imaginary = encoded->wide + N / 2;
  FIXED_EACH_SLOT(i, 1) {
    const unsigned other = bit_reversed[i];
    if (other > i) {
      const int64_t re = real[i], im = imaginary[i];
      real[i] = real[other], real[other] = re;
      imaginary[i] = imaginary[other], imaginary[other] = im;
    }
  }
}

void encode_round(encoded_t *encoded) {
  const int64_t unit = (int64_t)1 << GUARD_BITS;
#pragma GCC unroll 4
  for (unsigned i = 0; i < N; i++) {
    const int64_t coefficient = (encoded->wide[i] + unit / 2) >> GUARD_BITS;
    encoded->coefficients[i] = (int32_t)coefficient;
  }
}

void encode(encoded_t *encoded, const int32_t values[N / 2]) {
  encode_load(encoded, values);
  encode_transform(encoded);
  encode_reorder(encoded);
  encode_round(encoded);
}
