// What a receiver is made for, besides tables.h of one prime; answers.c, which `ringwright soc` writes, has
// the values.
#ifndef RINGWRIGHT_ANSWERS_H
#define RINGWRIGHT_ANSWERS_H

#include <stdint.h>

#include "sizes.h"

// The seed that the ternary secret key was drawn from.
extern const uint8_t secret_seed[32];

// Inverses of the prime's roots, and of N, as the roots are.
extern const uint32_t inverse_roots[N][2];
extern const uint32_t inverse_degree[2];

// By frame: both parts of a ciphertext modulo the prime, evaluations.
extern const uint32_t answers[FRAMES][2][N];

#endif  // RINGWRIGHT_ANSWERS_H
