#include "client.h"

#include "encode.h"
#include "platform.h"
#include "ring.h"
#include "sample.h"
#include "tables.h"
#ifdef WITH_RISE
#include "rise.h"
#endif

#define STREAM_U "ckks.encrypt.u"
#define STREAM_E0 "ckks.encrypt.e0"
#define STREAM_E1 "ckks.encrypt.e1"
#define STREAM_A "ckks.public.a"

// Few polynomials are alive: the message, the key's uniform half, and two towers of a ciphertext. A message
// is twice as wide while it is encoded; then there is room for another polynomial behind it.
static union {
  int64_t wide[N];
  struct {
    int32_t coefficients[N];
    uint32_t u_evaluations[N];
  };
} work __attribute__((aligned(64)));
static uint32_t public_a[TOWERS][N] __attribute__((aligned(64)));
static uint32_t parts[2][N] __attribute__((aligned(64)));

static void encode_frame(unsigned frame) {
  platform_mark(PHASE_ENCODE);
  encode(work.wide, messages[frame]);
  for (unsigned i = 0; i < N; i++) {
    const int64_t coefficient = work.wide[i];
    work.coefficients[i] = (int32_t)coefficient;
  }
}

static void transmit(void) {
  platform_mark(PHASE_TRANSMIT);
  platform_transmit(parts, sizeof parts);
}

#ifdef WITH_RISE

static unsigned stream_u, stream_e0, stream_e1;

result_t client_set_up(void) {
  platform_mark(PHASE_SET_UP);
  for (uint16_t tower = 0; tower < TOWERS; tower++)
    sample_uniform(public_a[tower], public_seed, STREAM_A, tower);
  platform_write_back();
  TRY(rise_set_up(LOG_N, WORD_BITS));
  stream_u = rise_stream(STREAM_U);
  stream_e0 = rise_stream(STREAM_E0);
  stream_e1 = rise_stream(STREAM_E1);
  return platform_bus();
}

// The first part takes the message where its result goes.
static result_t encrypt_tower(unsigned tower) {
  const prime_t *prime = &primes[tower];
  platform_mark(PHASE_WRITE);
  volatile uint64_t *message = platform_shared(parts[0]);
  for (unsigned i = 0; i < N; i += 2) {
    const uint64_t low = ring_residue(prime, work.coefficients[i]);
    message[i / 2] = low | (uint64_t)ring_residue(prime, work.coefficients[i + 1]) << 32;
  }
  platform_mark(PHASE_ENCRYPT);
  const rise_encryption_t first = {
      .constants = prime->constants,
      .source = {0, prime->public_b, parts[0]},
      .destination = parts[0],
      .sample_0 = {RISE_DRAW_TERNARY, 0, stream_u},
      .sample_2 = {RISE_DRAW_BINOMIAL, 1, stream_e0},
  };
  const rise_encryption_t second = {
      .constants = prime->constants,
      .source = {0, public_a[tower], 0},
      .destination = parts[1],
      .sample_0 = {RISE_DRAW_TERNARY, 0, stream_u},
      .sample_2 = {RISE_DRAW_BINOMIAL, 0, stream_e1},
  };
  rise_start(&first);
  rise_start(&second);
  TRY(rise_wait(2));
  transmit();
  return RESULT_OK;
}

result_t client_encrypt(unsigned frame) {
  encode_frame(frame);
  platform_mark(PHASE_WRITE);
  rise_seed(seeds[frame]);
  for (unsigned tower = 0; tower < TOWERS; tower++) TRY(encrypt_tower(tower));
  return platform_bus();
}

#else

static int8_t u[N], e0[N], e1[N];

result_t client_set_up(void) {
  platform_mark(PHASE_SET_UP);
  for (uint16_t tower = 0; tower < TOWERS; tower++)
    sample_uniform(public_a[tower], public_seed, STREAM_A, tower);
  return platform_bus();
}

static void encrypt_tower(unsigned tower) {
  const prime_t *prime = &primes[tower];
  platform_mark(PHASE_ENCRYPT);
  for (unsigned i = 0; i < N; i++) {
    work.u_evaluations[i] = ring_residue(prime, u[i]);
    parts[0][i] = ring_residue(prime, work.coefficients[i] + e0[i]);
    parts[1][i] = ring_residue(prime, e1[i]);
  }
  ring_forward(prime, work.u_evaluations);
  ring_forward(prime, parts[0]);
  ring_forward(prime, parts[1]);
  ring_multiply_add(prime, parts[0], prime->public_b, work.u_evaluations, parts[0]);
  ring_multiply_add(prime, parts[1], public_a[tower], work.u_evaluations, parts[1]);
  platform_write_back();
  transmit();
}

result_t client_encrypt(unsigned frame) {
  encode_frame(frame);
  platform_mark(PHASE_SAMPLE);
  TRY(sample_ternary(u, seeds[frame], STREAM_U, parts));
  sample_binomial(e0, seeds[frame], STREAM_E0);
  sample_binomial(e1, seeds[frame], STREAM_E1);
  for (unsigned tower = 0; tower < TOWERS; tower++) encrypt_tower(tower);
  return platform_bus();
}

#endif
