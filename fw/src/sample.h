// The samplers of docs/security.md, bit by bit as crates/ring has them.
#ifndef RINGWRIGHT_SAMPLE_H
#define RINGWRIGHT_SAMPLE_H

#include <stdint.h>

#include "result.h"
#include "tables.h"

// Uniform over {-1, 0, 1}. No branch and no address depends on what is drawn; that the stream has too few
// values is reported, and does not happen (probability below 2^-115).
// `scratch` is 8-byte aligned room of SAMPLE_SCRATCH_BYTES, zeroed behind it.
#define SAMPLE_SPARE (N / 128 + 64)
#define SAMPLE_BLOCKS ((N + SAMPLE_SPARE + 135) / 136)
#define SAMPLE_SCRATCH_BYTES (2 * 136 * SAMPLE_BLOCKS)
result_t sample_ternary(
    int8_t out[N], const uint8_t seed[32], const char *name, void *scratch) MUST_USE;

// Weight of 21 bits minus that of 21 others; constant time.
void sample_binomial(int8_t out[N], const uint8_t seed[32], const char *name);

// Uniform modulo a prime, by rejection: for what is public.
void sample_uniform(uint32_t out[N], const uint8_t seed[32], const char *name, uint16_t tower);

#endif  // RINGWRIGHT_SAMPLE_H
