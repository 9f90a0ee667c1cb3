// The driver of RISE, and of RACE and NTT_Accel as far as they have what is asked.
#ifndef RINGWRIGHT_RISE_H
#define RINGWRIGHT_RISE_H

#include <stdint.h>

#include "result.h"
#include "rise_regs.h"

// What a call draws instead of, or adds to, one of its sources.
typedef enum { RISE_DRAW_NOTHING, RISE_DRAW_TERNARY, RISE_DRAW_BINOMIAL } rise_draw_t;

typedef struct {
  rise_draw_t draw;
  int is_added;      // to the source that is loaded, else nothing is loaded
  unsigned stream;   // as rise_stream numbered it
} rise_sample_t;

// RISE_HALF_ENCRYPTION: transform(source 0) times source 1 plus transform(source 2). RISE_DECRYPTION: the inverse
// transform of source 0 times source 1 plus source 2. RISE_FORWARD, RISE_INVERSE: the transform of source 0.
typedef enum {
  RISE_HALF_ENCRYPTION = RISE_CONTROL_REQUEST_HALF_ENCRYPTION,
  RISE_DECRYPTION = RISE_CONTROL_REQUEST_DECRYPTION,
  RISE_FORWARD = RISE_CONTROL_REQUEST_FORWARD,
  RISE_INVERSE = RISE_CONTROL_REQUEST_INVERSE,
} rise_request_t;

// Addresses are as the accelerator sees them, multiples of its port's width; a source
// that is drawn has none.
typedef struct {
  rise_request_t request;
  const void *constants;
  const void *source[3];
  void *destination;
  rise_sample_t sample_0;
  rise_sample_t sample_2;
} rise_call_t;

// What the accelerator can do.
typedef struct {
  int has_samplers;
  int transforms_only;
  unsigned queued_calls;
} rise_machine_t;

// For rings of degree 2^log_n and words of `word_bits`, which the machine must have.
result_t rise_set_up(rise_machine_t *machine, unsigned log_n, unsigned word_bits) MUST_USE;

// The streams that are drawn from are named once; their number.
unsigned rise_stream(const char *name);

// The secret seed of the next encryption.
void rise_seed(const uint8_t seed[32]);

// Starts a call; behind another one where the machine queues two.
void rise_start(const rise_call_t *call);

// Waits until so many calls have ended.
result_t rise_wait(unsigned calls) MUST_USE;

#endif  // RINGWRIGHT_RISE_H
