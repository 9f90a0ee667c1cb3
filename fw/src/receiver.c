#include "receiver.h"

#include "answers.h"
#include "decode.h"
#include "platform.h"
#include "ring.h"
#include "sample.h"
#include "tables.h"
#include "wipe.h"
#ifdef WITH_RISE
#include "rise.h"
#endif

#define STREAM_SECRET "ckks.secret"

// Evaluations of the key, once; of a frame its polynomial and its values.
static uint32_t secret[N] __attribute__((aligned(64)));
static uint32_t polynomial[N] __attribute__((aligned(64)));
static int64_t wide[N] __attribute__((aligned(64)));
static int32_t values[N / 2] __attribute__((aligned(64)));

static result_t draw_secret(void) {
  int8_t *ternary = (int8_t *)polynomial;
  result_t result = sample_ternary(ternary, secret_seed, STREAM_SECRET, wide);
  ring_residues(prime_at(0), secret, ternary);
  ring_forward(prime_at(0), secret);
  // An accelerator takes words below the prime only.
  ring_use(prime_at(0));
  for (unsigned i = 0; i < N; i++) secret[i] = ring_modulo(prime_at(0), secret[i]);
  wipe(polynomial, sizeof polynomial);
  return result;
}

void receiver_end(void) { wipe(secret, sizeof secret); }

#ifndef WITH_RISE

// Words that the core wrote itself, and in how many runs they are.
static volatile uint64_t *polynomial_words(void) { return (volatile uint64_t *)polynomial; }
static const unsigned runs = RING_RUNS;

result_t receiver_set_up(void) {
  platform_mark(PHASE_SET_UP);
  TRY(draw_secret());
  return platform_bus();
}

static result_t decrypt(const uint32_t (*parts)[N]) {
  const prime_t *prime = prime_at(0);
  platform_mark(PHASE_DECRYPT);
  ring_multiply_add(prime, polynomial, parts[1], secret, parts[0]);
  ring_inverse(prime, inverse_roots, inverse_degree, polynomial);
  return RESULT_OK;
}

#else

static rise_machine_t machine;

static volatile uint64_t *polynomial_words(void) { return platform_shared(polynomial); }
static const unsigned runs = 1;

result_t receiver_set_up(void) {
  platform_mark(PHASE_SET_UP);
  TRY(draw_secret());
  // Nothing of the polynomial stays in the cache, whose lines could come out over what the accelerator writes.
  platform_write_back();
  platform_hand_over(secret, sizeof secret);
  return rise_set_up(&machine, LOG_N, WORD_BITS);
}

static result_t decrypt(const uint32_t (*parts)[N]) {
  const rise_sample_t nothing = {RISE_DRAW_NOTHING, 0, 0};
  const prime_t *prime = prime_at(0);
  const rise_call_t whole = {
      RISE_DECRYPTION, prime->constants, {parts[1], secret, parts[0]}, polynomial, nothing, nothing};
  const rise_call_t inverse = {RISE_INVERSE, prime->constants, {polynomial}, polynomial, nothing, nothing};
  platform_mark(PHASE_DECRYPT);
  if (machine.transforms_only) ring_multiply_share(prime, polynomial_words(), parts[1], secret, parts[0]);
  // Else what is handed over was wiped.
  platform_hand_over(polynomial, sizeof polynomial);
  rise_start(machine.transforms_only ? &inverse : &whole);
  return rise_wait(1);
}

#endif

static result_t decode_frame(void) {
  platform_mark(PHASE_DECODE);
  decode_load(wide, polynomial_words(), runs, prime_at(0)->q);
  return decode(values, wide);
}

static result_t receive(unsigned frame) {
  TRY(decrypt(answers[frame]));
  TRY(decode_frame());
  platform_write_back();
  platform_hand_over(values, sizeof values);
  platform_mark(PHASE_TRANSMIT);
  platform_transmit(values, sizeof values);
  return platform_bus();
}

// What was decrypted is the user's alone.
result_t receiver_decrypt(unsigned frame) {
  const result_t result = receive(frame);
  platform_mark(PHASE_WIPE);
  wipe(values, sizeof values);
  wipe(wide, sizeof wide);
  wipe(polynomial_words(), sizeof polynomial);
  return result;
}
