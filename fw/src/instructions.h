// The core's instructions for arithmetic modulo a prime below 2^30 (spec/host/instructions.toml); on a PC,
// the same in C.
#ifndef RINGWRIGHT_INSTRUCTIONS_H
#define RINGWRIGHT_INSTRUCTIONS_H

#include <stdint.h>

// Two words in a register, the first in its low half.
typedef uint64_t pair_t;

#ifdef __riscv

#include "host_instructions.h"

#define INSTRUCTION_TEXT(number) #number
#define INSTRUCTION_NUMBER(number) INSTRUCTION_TEXT(number)
// Volatile: none comes before the modulus is there.
#define INSTRUCTION(name, result, a, b)                                                \
  __asm__ volatile(".insn r " INSTRUCTION_NUMBER(INSTRUCTION_OPCODE) ", "              \
                   INSTRUCTION_NUMBER(name##_FUNCT3) ", 0, %0, %1, %2"                 \
                   : "=r"(result) : "r"(a), "r"(b))
#define REGISTER_WRITE(name, value) \
  __asm__ volatile("csrw " INSTRUCTION_NUMBER(name##_ADDRESS) ", %0" : : "r"(value))
#define REGISTER_READ(name, value) \
  __asm__ volatile("csrr %0, " INSTRUCTION_NUMBER(name##_ADDRESS) : "=r"(value))

// What follows is modulo q.
static inline void instructions_use(uint32_t q, uint64_t reciprocal) {
  REGISTER_WRITE(MODULUS, (uint64_t)q);
  REGISTER_WRITE(RECIPROCAL, reciprocal);
}

// a b modulo q, of a product below 2^64.
static inline uint32_t modmul(uint64_t a, uint64_t b) {
  uint64_t result;
  INSTRUCTION(MODMUL, result, a, b);
  return (uint32_t)result;
}

// a + b w and a - b w modulo q for words (a, b) and a root (w, floor(2^32 w / q)).
static inline uint32_t butterfly_sum(pair_t words, pair_t root) {
  uint64_t result;
  INSTRUCTION(BUTTERFLY_SUM, result, words, root);
  return (uint32_t)result;
}

static inline uint32_t butterfly_difference(pair_t words, pair_t root) {
  uint64_t result;
  INSTRUCTION(BUTTERFLY_DIFFERENCE, result, words, root);
  return (uint32_t)result;
}

#else

static uint32_t instructions_modulus;

static inline void instructions_use(uint32_t q, uint64_t reciprocal) {
  (void)reciprocal;
  instructions_modulus = q;
}

static inline uint32_t modmul(uint64_t a, uint64_t b) { return (uint32_t)(a * b % instructions_modulus); }

static inline uint32_t butterfly_sum(pair_t words, pair_t root) {
  const uint64_t term = (words >> 32) * (uint32_t)root;
  return (uint32_t)(((uint32_t)words + term) % instructions_modulus);
}

static inline uint32_t butterfly_difference(pair_t words, pair_t root) {
  const uint64_t term = (words >> 32) * (uint32_t)root % instructions_modulus;
  return (uint32_t)(((uint32_t)words + instructions_modulus - term) % instructions_modulus);
}

#endif

#endif  // RINGWRIGHT_INSTRUCTIONS_H
