// The core's instructions modulo a prime among others: behind each other, behind loads that miss and branches
// that were foreseen wrongly, with operands that are just made. The exit code is 0, or the number of the first
// operation that came out otherwise than in C.
#include "platform.h"
#include "ring.h"
#include "tables.h"

#define ROUNDS 2000
// Lines of a cache that none has room for.
#define SPREAD (1 << 13)

static uint64_t spread[SPREAD];
static volatile uint64_t sink;

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

// In C, by the reciprocal.
static uint64_t reduced(const prime_t *prime, uint64_t number) {
  const uint64_t quotient = (uint64_t)((unsigned __int128)number * prime->reciprocal >> 64);
  const uint64_t rest = number - quotient * prime->q;
  return rest >= prime->q ? rest - prime->q : rest;
}

int main(void) {
  const prime_t *prime = prime_at(0);
  uint64_t state = 0x9e3779b97f4a7c15, q, kept;
  ring_use(prime);
  // Both registers can be read back.
  REGISTER_READ(MODULUS, q);
  REGISTER_READ(RECIPROCAL, kept);
  if (q != prime->q || kept != prime->reciprocal) return 1;
  for (unsigned round = 0; round < ROUNDS; round++) {
    const uint64_t a = reduced(prime, next(&state)), b = reduced(prime, next(&state));
    const uint64_t wide = next(&state);
    const uint64_t *roots = (const uint64_t *)prime->roots;
    const pair_t root = roots[next(&state) & (N - 1)];
    const uint64_t w = (uint32_t)root;
    // Behind a load that misses, and a branch on what it brings.
    const uint64_t loaded = spread[next(&state) & (SPREAD - 1)];
    if ((loaded ^ wide) & 1) sink = loaded;
    const uint32_t product = modmul(a, b);
    const uint64_t plain = a * wide;
    const uint32_t again = modmul(product, b);
    const pair_t words = again | (uint64_t)product << 32;
    const uint32_t sum = butterfly_sum(words, root), difference = butterfly_difference(words, root);
    const uint32_t under = modmul(wide, 1);
    const uint64_t high = (uint64_t)((unsigned __int128)wide * a >> 64);
    const uint32_t chained = modmul(modmul(modmul(sum, difference), under), 1);
    spread[wide & (SPREAD - 1)] = chained;
    const uint64_t expected = reduced(prime, a * b), twice = reduced(prime, expected * b);
    const uint64_t term = reduced(prime, expected * w);
    if (product != expected) return 2;
    if (again != twice) return 3;
    if (sum != reduced(prime, twice + term)) return 4;
    if (difference != reduced(prime, twice + prime->q - term)) return 5;
    if (under != reduced(prime, wide)) return 6;
    if (plain != (a * (wide >> 32) << 32) + a * (wide & 0xffffffff)) return 7;
    if (high != ((wide >> 32) * a + ((wide & 0xffffffff) * a >> 32)) >> 32) return 8;
    const uint64_t both = reduced(prime, (uint64_t)sum * difference);
    if (chained != reduced(prime, both * under)) return 9;
  }
  // A funct7 that there is not is illegal: the start code's trap says so.
  __asm__ volatile(".insn r " INSTRUCTION_NUMBER(INSTRUCTION_OPCODE) ", 0, 1, x0, x0, x0");
  return 10;
}
