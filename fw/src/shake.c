#include "shake.h"

#include <stddef.h>

#define ROUNDS 24
#define SUFFIX 0x1fu
#define LAST 0x80u

static const uint64_t round_constants[ROUNDS] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

static inline uint64_t turned(uint64_t word, unsigned bits) {
  return word << bits | word >> (64 - bits);
}

// Theta's parities of columns, and rho, pi and chi row by row.
static void permute(uint64_t a[25]) {
  for (unsigned round = 0; round < ROUNDS; round++) {
    uint64_t c[5], d[5], b[25];
    for (unsigned x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (unsigned x = 0; x < 5; x++) d[x] = c[(x + 4) % 5] ^ turned(c[(x + 1) % 5], 1);
#define MOVE(to, from, bits) b[to] = turned(a[from] ^ d[(from) % 5], bits)
    b[0] = a[0] ^ d[0];
    MOVE(10, 1, 1);
    MOVE(20, 2, 62);
    MOVE(5, 3, 28);
    MOVE(15, 4, 27);
    MOVE(16, 5, 36);
    MOVE(1, 6, 44);
    MOVE(11, 7, 6);
    MOVE(21, 8, 55);
    MOVE(6, 9, 20);
    MOVE(7, 10, 3);
    MOVE(17, 11, 10);
    MOVE(2, 12, 43);
    MOVE(12, 13, 25);
    MOVE(22, 14, 39);
    MOVE(23, 15, 41);
    MOVE(8, 16, 45);
    MOVE(18, 17, 15);
    MOVE(3, 18, 21);
    MOVE(13, 19, 8);
    MOVE(14, 20, 18);
    MOVE(24, 21, 2);
    MOVE(9, 22, 61);
    MOVE(19, 23, 56);
    MOVE(4, 24, 14);
#undef MOVE
    for (unsigned y = 0; y < 25; y += 5)
      for (unsigned x = 0; x < 5; x++) a[y + x] = b[y + x] ^ (~b[y + (x + 1) % 5] & b[y + (x + 2) % 5]);
    a[0] ^= round_constants[round];
  }
}

static void absorb(shake_t *shake, unsigned *at, uint8_t byte) {
  shake->state[*at / 8] ^= (uint64_t)byte << (8 * (*at % 8));
  if (++*at == SHAKE_BLOCK_BYTES) {
    permute(shake->state);
    *at = 0;
  }
}

void shake_start(shake_t *shake, const uint8_t seed[32], const char *name, uint16_t tower) {
  for (unsigned i = 0; i < 25; i++) shake->state[i] = 0;
  unsigned at = 0;
  size_t length = 0;
  while (name[length]) length++;
  for (unsigned i = 0; i < 32; i++) absorb(shake, &at, seed[i]);
  absorb(shake, &at, (uint8_t)length);
  for (size_t i = 0; i < length; i++) absorb(shake, &at, (uint8_t)name[i]);
  absorb(shake, &at, (uint8_t)tower);
  absorb(shake, &at, (uint8_t)(tower >> 8));
  shake->state[at / 8] ^= (uint64_t)SUFFIX << (8 * (at % 8));
  shake->state[SHAKE_BLOCK_WORDS - 1] ^= (uint64_t)LAST << 56;
}

const uint64_t *shake_block(shake_t *shake) {
  permute(shake->state);
  return shake->state;
}
