// What a client is made for; tables.c, which `ringwright soc` writes, has the values.
#ifndef RINGWRIGHT_TABLES_H
#define RINGWRIGHT_TABLES_H

#include <stdint.h>

#include "sizes.h"  // LOG_N, N, TOWERS, FRAMES, CONSTANT_WORDS: numbers, for array sizes

// A prime below 2^30 of the ciphertext's modulus.
typedef struct {
  uint32_t q;
  uint32_t mask;                     // as many ones as q has bits
  uint64_t reciprocal;               // floor(2^64 / q)
  const uint32_t (*roots)[2];        // N powers of psi, bit-reversed, each with floor(root 2^32 / q)
  const uint32_t *constants;         // as the accelerator reads them (CONSTANT_WORDS), or null
  const uint32_t *public_b;          // N words of the public key's half -a s + e, evaluations
} prime_t;

extern const prime_t primes[TOWERS];

// A prime of them. A compiler that saw the only prime would make shifts of products with it, which take longer.
static inline const prime_t *prime_at(unsigned tower) {
  const prime_t *prime = &primes[tower];
  __asm__("" : "+r"(prime));
  return prime;
}

// log2 of what a message's values are multiplied with, and factors of the transform that encodes.
extern const unsigned log_scale;
extern const int64_t factors[N / 2][2];   // real and imaginary, times 2^63 but for 1, as they are used
extern const uint16_t bit_reversed[N / 2];

// The seed that the public key's uniform half is drawn from.
extern const uint8_t public_seed[32];

// By frame: its secret seed, fresh for each; N / 2 values in [-1, 1], times 2^30.
extern const uint8_t seeds[FRAMES][32];
extern const int32_t messages[FRAMES][N / 2];

#endif  // RINGWRIGHT_TABLES_H
