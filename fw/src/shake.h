// SHAKE-256 (FIPS 202) in whole blocks of 136 bytes, which are what the samplers read.
#ifndef RINGWRIGHT_SHAKE_H
#define RINGWRIGHT_SHAKE_H

#include <stdint.h>

#define SHAKE_BLOCK_WORDS 17
#define SHAKE_BLOCK_BYTES (8 * SHAKE_BLOCK_WORDS)

typedef struct {
  uint64_t state[25];
} shake_t;

// A stream of the samplers: seed, length of the name, name, number of the tower (two bytes, low first).
void shake_start(shake_t *shake, const uint8_t seed[32], const char *name, uint16_t tower);

// The next block; it lies in the first words of the state until the next call.
const uint64_t *shake_block(shake_t *shake);

#endif  // RINGWRIGHT_SHAKE_H
