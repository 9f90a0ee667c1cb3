#include "decode.h"

#include "fixed.h"
#include "mask.h"

// The representative nearest to zero, behind the point.
static int64_t centred(uint32_t q, uint64_t word) {
  const uint64_t above = mask_of_negative((int64_t)(q / 2) - (int64_t)word);
  return (int64_t)(word - (q & above)) * ((int64_t)1 << GUARD_BITS);
}

// Two words of `words` are of one slot where they lie in two runs, else of two neighbours.
void decode_load(int64_t coefficients[N], const volatile uint64_t *words, unsigned runs, uint32_t q) {
  int64_t *real = coefficients, *imaginary = coefficients + N / 2;
  if (runs == 2) {
    FIXED_EACH_SLOT(slot, 1) {
      const uint64_t both = words[slot];
      const unsigned other = bit_reversed[slot];
      real[other] = centred(q, (uint32_t)both);
      imaginary[other] = centred(q, both >> 32);
    }
    return;
  }
  FIXED_EACH_SLOT(slot, 2) {
    const uint64_t first = words[slot / 2], second = words[N / 4 + slot / 2];
    unsigned other = bit_reversed[slot];
    real[other] = centred(q, (uint32_t)first);
    imaginary[other] = centred(q, (uint32_t)second);
    other = bit_reversed[slot + 1];
    real[other] = centred(q, first >> 32);
    imaginary[other] = centred(q, second >> 32);
  }
}

// The steps of encode_transform backwards, without its halving.
static void transform(int64_t coefficients[N]) {
  const int64_t(*factor)[2] = factors + N / 2 - 1;
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
