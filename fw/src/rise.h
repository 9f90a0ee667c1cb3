// The driver of RISE, and of RACE and NTT_Accel as far as they have what is asked.
#ifndef RINGWRIGHT_RISE_H
#define RINGWRIGHT_RISE_H

#include <stdint.h>

#include "result.h"

// What a call draws instead of, or adds to, one of its sources.
typedef enum { RISE_DRAW_NOTHING, RISE_DRAW_TERNARY, RISE_DRAW_BINOMIAL } rise_draw_t;

typedef struct {
  rise_draw_t draw;
  int is_added;      // to the source that is loaded, else nothing is loaded
  unsigned stream;   // as rise_stream numbered it
} rise_sample_t;

// transform(source 0) times source 1 plus transform(source 2); addresses as the accelerator sees them,
// multiples of its port's width. A source that is drawn has none.
typedef struct {
  const void *constants;
  const void *source[3];
  void *destination;
  rise_sample_t sample_0;
  rise_sample_t sample_2;
} rise_encryption_t;

// For rings of degree 2^log_n; the machine must have them, words of `word_bits`, and samplers.
result_t rise_set_up(unsigned log_n, unsigned word_bits) MUST_USE;

// The streams that are drawn from are named once; their number.
unsigned rise_stream(const char *name);

// The secret seed of the next encryption.
void rise_seed(const uint8_t seed[32]);

// Starts one, behind at most one other.
void rise_start(const rise_encryption_t *encryption);

// Waits until so many calls have ended.
result_t rise_wait(unsigned calls) MUST_USE;

#endif  // RINGWRIGHT_RISE_H
