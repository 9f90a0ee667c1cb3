#include "client.h"

#include "encode.h"
#include "platform.h"
#include "ring.h"
#include "sample.h"
#include "tables.h"
#include "wipe.h"
#ifdef WITH_RISE
#include "rise.h"
#endif

#define STREAM_U "ckks.encrypt.u"
#define STREAM_E0 "ckks.encrypt.e0"
#define STREAM_E1 "ckks.encrypt.e1"
#define STREAM_A "ckks.public.a"

// Few polynomials are alive: the message, with u behind it, the key's uniform half, and two towers of a ciphertext.
static encoded_t work __attribute__((aligned(64)));
static uint32_t public_a[TOWERS][N] __attribute__((aligned(64)));
static uint32_t parts[2][N] __attribute__((aligned(64)));
// What the core draws where the accelerator does not.
static int8_t u[N] __attribute__((aligned(8))), e0[N] __attribute__((aligned(8)));
static int8_t e1[N] __attribute__((aligned(8)));

static void draw_public(void) {
  for (uint16_t tower = 0; tower < TOWERS; tower++)
    sample_uniform(public_a[tower], public_seed, STREAM_A, tower);
}

static void encode_frame(unsigned frame) {
  platform_mark(PHASE_ENCODE);
  encode(&work, messages[frame]);
}

static result_t draw(unsigned frame) {
  platform_mark(PHASE_SAMPLE);
  TRY(sample_ternary(u, seeds[frame], STREAM_U, parts));
  sample_binomial(e0, seeds[frame], STREAM_E0);
  sample_binomial(e1, seeds[frame], STREAM_E1);
  return RESULT_OK;
}

// The message and what the core drew; of a frame that failed, also what is not yet a ciphertext.
static result_t forget(int has_drawn, result_t result) {
  platform_mark(PHASE_WIPE);
  wipe(&work, sizeof work);
  if (result != RESULT_OK) wipe(parts, sizeof parts);
  if (has_drawn) {
    wipe(u, sizeof u);
    wipe(e0, sizeof e0);
    wipe(e1, sizeof e1);
  }
  return result;
}

static void transmit(void) {
  platform_mark(PHASE_TRANSMIT);
  platform_transmit(parts, sizeof parts);
}

#ifndef WITH_RISE

result_t client_set_up(void) {
  platform_mark(PHASE_SET_UP);
  draw_public();
  return platform_bus();
}

static void encrypt_tower(unsigned tower) {
  const prime_t *prime = prime_at(tower);
  platform_mark(PHASE_ENCRYPT);
  ring_residues(prime, work.behind, u);
  ring_sums(prime, parts[0], work.coefficients, e0);
  ring_residues(prime, parts[1], e1);
  ring_forward(prime, work.behind);
  ring_forward(prime, parts[0]);
  ring_forward(prime, parts[1]);
  ring_multiply_add(prime, parts[0], prime->public_b, work.behind, parts[0]);
  ring_multiply_add(prime, parts[1], public_a[tower], work.behind, parts[1]);
  platform_write_back();
  platform_hand_over(parts, sizeof parts);
  transmit();
}

static result_t encrypt_frame(unsigned frame) {
  encode_frame(frame);
  TRY(draw(frame));
  for (unsigned tower = 0; tower < TOWERS; tower++) encrypt_tower(tower);
  return platform_bus();
}

result_t client_encrypt(unsigned frame) { return forget(1, encrypt_frame(frame)); }

#else

static rise_machine_t machine;
static unsigned stream_u, stream_e0, stream_e1;

result_t client_set_up(void) {
  platform_mark(PHASE_SET_UP);
  draw_public();
  platform_write_back();
  platform_hand_over(public_a, sizeof public_a);
  TRY(rise_set_up(&machine, LOG_N, WORD_BITS));
  if (machine.has_samplers) {
    stream_u = rise_stream(STREAM_U);
    stream_e0 = rise_stream(STREAM_E0);
    stream_e1 = rise_stream(STREAM_E1);
  }
  return platform_bus();
}

// Calls one behind the other, as many at a time as the machine queues.
static result_t run(const rise_call_t *calls, unsigned count) {
  platform_mark(PHASE_ENCRYPT);
  for (unsigned first = 0; first < count; first += machine.queued_calls) {
    const unsigned rest = count - first, now = rest < machine.queued_calls ? rest : machine.queued_calls;
    for (unsigned i = 0; i < now; i++) rise_start(&calls[first + i]);
    TRY(rise_wait(now));
  }
  return RESULT_OK;
}

// RISE: it draws u and the errors, and takes the message where its result goes.
static result_t encrypt_drawing(const prime_t *prime, const uint32_t *a) {
  const rise_sample_t draw_u = {RISE_DRAW_TERNARY, 0, stream_u};
  platform_mark(PHASE_WRITE);
  ring_share(prime, platform_shared(parts[0]), work.coefficients, 0);
  platform_hand_over(parts[0], sizeof parts[0]);
  const rise_call_t calls[] = {
      {RISE_HALF_ENCRYPTION, prime->constants, {0, prime->public_b, parts[0]}, parts[0], draw_u,
       {RISE_DRAW_BINOMIAL, 1, stream_e0}},
      {RISE_HALF_ENCRYPTION, prime->constants, {0, a, 0}, parts[1], draw_u,
       {RISE_DRAW_BINOMIAL, 0, stream_e1}},
  };
  return run(calls, 2);
}

// What the core drew, where the accelerator finds it.
static void share_drawn(const prime_t *prime) {
  ring_share(prime, platform_shared(work.behind), 0, u);
  ring_share(prime, platform_shared(parts[0]), work.coefficients, e0);
  ring_share(prime, platform_shared(parts[1]), 0, e1);
  platform_hand_over(work.behind, sizeof work.behind);
  platform_hand_over(parts, sizeof parts);
}

// RACE: the core draws.
static result_t encrypt_halves(const prime_t *prime, const uint32_t *a) {
  const rise_sample_t nothing = {RISE_DRAW_NOTHING, 0, 0};
  platform_mark(PHASE_WRITE);
  share_drawn(prime);
  const rise_call_t calls[] = {
      {RISE_HALF_ENCRYPTION, prime->constants, {work.behind, prime->public_b, parts[0]}, parts[0],
       nothing, nothing},
      {RISE_HALF_ENCRYPTION, prime->constants, {work.behind, a, parts[1]}, parts[1], nothing, nothing},
  };
  return run(calls, 2);
}

// NTT_Accel: the core multiplies too.
static result_t encrypt_transforming(const prime_t *prime, const uint32_t *a) {
  const rise_sample_t nothing = {RISE_DRAW_NOTHING, 0, 0};
  platform_mark(PHASE_WRITE);
  share_drawn(prime);
  const rise_call_t calls[] = {
      {RISE_FORWARD, prime->constants, {work.behind}, work.behind, nothing, nothing},
      {RISE_FORWARD, prime->constants, {parts[0]}, parts[0], nothing, nothing},
      {RISE_FORWARD, prime->constants, {parts[1]}, parts[1], nothing, nothing},
  };
  TRY(run(calls, 3));
  platform_mark(PHASE_MULTIPLY);
  ring_use(prime);
  volatile uint64_t *shared_u = platform_shared(work.behind);
  volatile uint64_t *shared[2] = {platform_shared(parts[0]), platform_shared(parts[1])};
  for (unsigned i = 0; i < N / 2; i++) {
    const uint64_t both = shared_u[i];
    for (unsigned part = 0; part < 2; part++) {
      const uint32_t *key = (part ? a : prime->public_b) + 2 * i;
      const uint64_t added = shared[part][i];
      const uint64_t low = ring_times_plus(prime, key[0], (uint32_t)both, (uint32_t)added);
      const uint64_t high = ring_times_plus(prime, key[1], (uint32_t)(both >> 32), (uint32_t)(added >> 32));
      shared[part][i] = low | high << 32;
    }
  }
  platform_hand_over(parts, sizeof parts);
  return RESULT_OK;
}

static result_t encrypt_frame(unsigned frame) {
  encode_frame(frame);
  if (machine.has_samplers) {
    platform_mark(PHASE_WRITE);
    rise_seed(seeds[frame]);
  } else {
    TRY(draw(frame));
    // What of it lies in the cache shall not come out over what the accelerator writes.
    platform_write_back();
  }
  for (unsigned tower = 0; tower < TOWERS; tower++) {
    const prime_t *prime = prime_at(tower);
    if (machine.has_samplers) {
      TRY(encrypt_drawing(prime, public_a[tower]));
    } else if (machine.transforms_only) {
      TRY(encrypt_transforming(prime, public_a[tower]));
    } else {
      TRY(encrypt_halves(prime, public_a[tower]));
    }
    transmit();
  }
  return platform_bus();
}

result_t client_encrypt(unsigned frame) {
  return forget(!machine.has_samplers, encrypt_frame(frame));
}

#endif
