#include "sample.h"

#include "shake.h"
#include "wipe.h"

#define TERNARY_BYTES (SAMPLE_BLOCKS * SHAKE_BLOCK_BYTES)
// Of sixteen bits, in a word.
#define LANES 4
#define TERNARY_WORDS (TERNARY_BYTES / LANES)
#define EACH_LANE 0x0001000100010001u
#define BINOMIAL_SAMPLES 25
#define BINOMIAL_HALF 21

// A value in two bits, and above them how many skipped bytes it has before it: so far it moves down.
static uint16_t pack(uint8_t byte, uint32_t *skipped) {
  const uint32_t skip = (byte + 1u) >> 8;
  const uint32_t third = (byte * 171u) >> 9;
  // byte mod 3 - 1 in two's complement, and the distance; nothing for a skipped byte.
  const uint32_t value = (byte - 3 * third - 1) & 3u;
  const uint32_t word = (*skipped << 2 | value) & (skip - 1u);
  *skipped += skip;
  return (uint16_t)word;
}

// All ones in the lanes whose bit is set.
static inline uint64_t lanes_with(uint64_t lanes, unsigned bit) {
  const uint64_t set = lanes >> bit & EACH_LANE;
  return (set << 16) - set;
}

// Lanes from so many further up; past the end there are none.
static inline uint64_t lanes_above(const uint64_t *packed, unsigned i, unsigned lanes) {
  const unsigned words = lanes / LANES, bits = 16 * (lanes % LANES);
  const uint64_t low = i + words < TERNARY_WORDS ? packed[i + words] : 0;
  if (!bits) return low;
  const uint64_t high = i + words + 1 < TERNARY_WORDS ? packed[i + words + 1] : 0;
  return low >> bits | high << (64 - bits);
}

result_t sample_ternary(int8_t out[N], const uint8_t seed[32], const char *name, void *scratch) {
  uint64_t *packed = scratch;
  shake_t shake;
  uint32_t skipped = 0;
  shake_start(&shake, seed, name, 0);
  for (unsigned i = 0; i < TERNARY_WORDS;) {
    const uint64_t *words = shake_block(&shake);
    for (unsigned half = 0; half < 2 * SHAKE_BLOCK_WORDS; half++) {
      const uint32_t bytes = (uint32_t)(words[half / 2] >> (32 * (half % 2)));
      uint64_t lanes = 0;
      for (unsigned lane = 0; lane < LANES; lane++)
        lanes |= (uint64_t)pack((uint8_t)(bytes >> (8 * lane)), &skipped) << (16 * lane);
      packed[i++] = lanes;
    }
  }
  // A value moves down by its distance, one power of two a pass: who moves leaves nothing behind, and none
  // meets another, because distances grow by at most one from a value to the next.
  for (unsigned bit = 0; 1u << bit <= SAMPLE_SPARE; bit++) {
    for (unsigned i = 0; i < TERNARY_WORDS; i++) {
      const uint64_t from = lanes_above(packed, i, 1u << bit);
      const uint64_t comes = lanes_with(from, bit + 2), leaves = lanes_with(packed[i], bit + 2);
      packed[i] = (from & comes) | (packed[i] & ~leaves);
    }
  }
  for (unsigned i = 0; i < N; i++)
    out[i] = (int8_t)((int64_t)(packed[i / LANES] << (62 - 16 * (i % LANES))) >> 62);
  wipe(scratch, SAMPLE_SCRATCH_BYTES);
  wipe(&shake, sizeof shake);
  // How many were skipped says nothing of those that were not.
  return skipped <= TERNARY_BYTES - N ? RESULT_OK : RESULT_NO_SAMPLES;
}

static int8_t difference_of_weights(uint64_t bits) {
  const uint64_t mask = (1u << BINOMIAL_HALF) - 1;
  const uint64_t halves = (bits & mask) | ((bits << (32 - BINOMIAL_HALF)) & (mask << 32));
  const uint64_t pairs = halves - ((halves >> 1) & 0x5555555555555555);
  const uint64_t fours = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333);
  const uint64_t bytes = (fours + (fours >> 4)) & 0x0f0f0f0f0f0f0f0f;
  const uint64_t sums = (bytes + (bytes >> 8)) & 0x00ff00ff00ff00ff;
  const uint64_t all = sums + (sums >> 16);
  return (int8_t)((all & 0xff) - ((all >> 32) & 0xff));
}

void sample_binomial(int8_t out[N], const uint8_t seed[32], const char *name) {
  shake_t shake;
  shake_start(&shake, seed, name, 0);
  for (unsigned at = 0; at < N;) {
    const uint64_t *words = shake_block(&shake);
    for (unsigned i = 0; i < BINOMIAL_SAMPLES && at < N; i++, at++) {
      const unsigned bit = 2 * BINOMIAL_HALF * i, word = bit / 64, shift = bit % 64;
      // The second word is read where the sample ends in it.
      const uint64_t high = shift > 64 - 2 * BINOMIAL_HALF ? words[word + 1] << (64 - shift) : 0;
      out[at] = difference_of_weights(words[word] >> shift | high);
    }
  }
  wipe(&shake, sizeof shake);
}

void sample_uniform(uint32_t out[N], const uint8_t seed[32], const char *name, uint16_t tower) {
  const prime_t *prime = prime_at(tower);
  shake_t shake;
  shake_start(&shake, seed, name, tower);
  for (unsigned at = 0; at < N;) {
    const uint64_t *words = shake_block(&shake);
    for (unsigned i = 0; i < 2 * SHAKE_BLOCK_WORDS && at < N; i++) {
      const uint32_t word = (uint32_t)(words[i / 2] >> (32 * (i % 2))) & prime->mask;
      if (word < prime->q) out[at++] = word;
    }
  }
}
