// Counts the operations of spec/host/operations.toml on a core, each alone: how many cycles so many of them
// take. The registers are those of RISE with nothing behind them.
#include "encode.h"
#include "measure.h"
#include "platform.h"
#include "ring.h"
#include "rise.h"
#include "rise_regs.h"
#include "sample.h"
#include "shake.h"
#include "tables.h"
#include "wipe.h"

#define PERMUTATIONS 32
#define WRITES 64
#define PARTS 3

enum {
  OPERATION_NOTHING = 1,
  OPERATION_BUTTERFLY = 2,
  OPERATION_MODULAR_MUL = 3,
  OPERATION_MODULAR_ADD = 4,
  OPERATION_MODULAR_REDUCTION = 5,
  OPERATION_WORD_MOVE = 6,
  OPERATION_KECCAK_PERMUTATION = 7,
  OPERATION_TERNARY_SAMPLE = 8,   // with its permutations
  OPERATION_BINOMIAL_SAMPLE = 9,  // the same
  OPERATION_UNIFORM_SAMPLE = 10,  // the same
  OPERATION_SIGNED_RESIDUE = 11,
  OPERATION_REGISTER_WRITE = 12,
  OPERATION_INTERRUPT = 13,
  OPERATION_KEY_WORD = 14,
  OPERATION_COMPLEX_BUTTERFLY = 15,
  OPERATION_COEFFICIENT_ROUND = 16,
  OPERATION_RESIDUE_COMPOSE = 17,
  OPERATION_CONVERSION_SETUP = 18,
  OPERATION_INVERSE_BUTTERFLY = 19,
  OPERATION_SUMMED_RESIDUE = 20,
  OPERATION_WORD_WIPE = 21,
  OPERATION_SHARED_RESIDUE = 22,
  OPERATION_SHARED_SUM = 23,
  OPERATION_SLOT_REORDER = 24,
};

static uint32_t a[N] __attribute__((aligned(64))), b[N] __attribute__((aligned(64)));
static uint32_t c[N] __attribute__((aligned(64)));
static int8_t small[N];
static encoded_t encoded __attribute__((aligned(64)));
static int64_t *const wide = encoded.wide;
static volatile uint64_t composed[N / PARTS][2];
static uint64_t scratch[SAMPLE_SCRATCH_BYTES / 8];
static result_t result = RESULT_OK;

static void note(result_t one) {
  if (one != RESULT_OK) result = one;
}

static void add(void) {
  const uint32_t q = prime_at(0)->q;
  for (unsigned i = 0; i < N; i++) {
    const uint32_t less = a[i] + b[i] - q;
    c[i] = less + (q & -(less >> 31));
  }
}

static void reduce(void) {
  ring_use(prime_at(0));
  for (unsigned i = 0; i < N; i++) c[i] = ring_modulo(prime_at(0), a[i]);
}

static void move(uint32_t *to, const uint32_t *from) {
  for (unsigned i = 0; i < N; i++) ((volatile uint32_t *)to)[i] = from[i];
}

// A residue's part of an integer modulo a product: times a constant modulo its prime, times a wide one.
static void compose(void) {
  ring_use(prime_at(0));
  for (unsigned i = 0; i + PARTS <= N; i += PARTS) {
    unsigned __int128 sum = 0;
    for (unsigned part = 0; part < PARTS; part++)
      sum += (unsigned __int128)ring_times_plus(prime_at(0), a[i + part], b[part], 0) * (uint64_t)wide[part];
    composed[i / PARTS][0] = (uint64_t)sum;
    composed[i / PARTS][1] = (uint64_t)(sum >> 64);
  }
}

static void permutations(shake_t *shake) {
  for (unsigned i = 0; i < PERMUTATIONS; i++) (void)shake_block(shake);
}

static void writes(void) {
#pragma GCC unroll 8
  for (unsigned i = 0; i < WRITES; i++) platform_write(RISE_SOURCE_0_OFFSET, i);
}

static const rise_call_t call = {.request = RISE_FORWARD};

int main(void) {
  const prime_t *prime = prime_at(0);
  rise_machine_t machine;
  shake_t shake;
  note(rise_set_up(&machine, LOG_N, WORD_BITS));
  shake_start(&shake, public_seed, "operations", 0);
  sample_uniform(a, public_seed, "operations", 0);
  MEASURE(OPERATION_NOTHING, 1, (void)0);
  MEASURE(OPERATION_KEY_WORD, N, move(b, prime->public_b));
  MEASURE(OPERATION_BUTTERFLY, N / 2 * LOG_N, ring_forward(prime, a));
  // As long with any roots.
  MEASURE(OPERATION_INVERSE_BUTTERFLY, N / 2 * LOG_N, ring_inverse(prime, prime->roots, prime->roots[1], a));
  MEASURE(OPERATION_MODULAR_MUL, N, ring_multiply_add(prime, c, a, b, c));
  MEASURE(OPERATION_MODULAR_ADD, N, add());
  MEASURE(OPERATION_MODULAR_REDUCTION, N, reduce());
  MEASURE(OPERATION_WORD_MOVE, N, move(c, a));
  MEASURE(OPERATION_KECCAK_PERMUTATION, PERMUTATIONS, permutations(&shake));
  MEASURE(OPERATION_TERNARY_SAMPLE, N, note(sample_ternary(small, seeds[0], "operations", scratch)));
  MEASURE(OPERATION_BINOMIAL_SAMPLE, N, sample_binomial(small, seeds[0], "operations"));
  MEASURE(OPERATION_UNIFORM_SAMPLE, N, sample_uniform(c, public_seed, "operations", 0));
  MEASURE(OPERATION_SIGNED_RESIDUE, N, ring_residues(prime, c, small));
  MEASURE(OPERATION_SUMMED_RESIDUE, N, ring_sums(prime, c, (const int32_t *)b, small));
  MEASURE(OPERATION_SHARED_RESIDUE, N, ring_share(prime, platform_shared(c), (const int32_t *)b, 0));
  MEASURE(OPERATION_SHARED_SUM, N, ring_share(prime, platform_shared(c), (const int32_t *)b, small));
  MEASURE(OPERATION_WORD_WIPE, N / 2, wipe(c, sizeof c));
  MEASURE(OPERATION_REGISTER_WRITE, WRITES, writes());
  for (int round = 0; round < 2; round++) {
    rise_start(&call);
    platform_mark(OPERATION_INTERRUPT);
    note(rise_wait(1));
    platform_mark(COUNT + 1);
  }
  MEASURE(OPERATION_COMPLEX_BUTTERFLY, N / 4 * (LOG_N - 1), encode_transform(&encoded));
  MEASURE(OPERATION_SLOT_REORDER, N / 2, encode_reorder(&encoded));
  MEASURE(OPERATION_COEFFICIENT_ROUND, N, encode_load(&encoded, messages[0]); encode_round(&encoded));
  MEASURE(OPERATION_RESIDUE_COMPOSE, N / PARTS * PARTS, compose());
  // A conversion begins with its first coefficient.
  MEASURE(OPERATION_CONVERSION_SETUP, 1, (void)0);
  note(platform_bus());
  return (int)result;
}
