// Counts what a core waits for a line of its cache of data, and the modem for one that the core has: cycles of a
// line each, with those of the loop that comes to it.
#include "measure.h"
#include "platform.h"

// Words of a line; so many lines that a cache finds none again, not even one that pushes out any; and some.
#define WORDS 8
#define LINES 1280
#define SOME 64
_Static_assert(8 * WORDS * LINES > 2 * CACHE_BYTES, "lines that a cache does not hold");

enum {
  OPERATION_NOTHING = 1,
  OPERATION_HIT = 2,
  OPERATION_MISS = 3,           // where nothing was written
  OPERATION_WRITTEN_MISS = 4,   // where all was
  OPERATION_TRANSMITTED = 5,    // by the modem, of what the core has not
  OPERATION_WRITTEN_HIT = 6,    // of what the modem has just read
  OPERATION_TRANSMITTED_WRITTEN = 7,
  OPERATION_HANDED_OVER = 8,  // where the core had nothing of it
  OPERATION_HANDED_OVER_WRITTEN = 9,
};

static volatile uint64_t words[LINES * WORDS] __attribute__((aligned(64)));

static __attribute__((noinline, aligned(64))) void read_lines(unsigned first, unsigned count) {
  for (unsigned i = first; i < first + count; i++) (void)words[i * WORDS];
}

static __attribute__((noinline, aligned(64))) void write_lines(unsigned first, unsigned count) {
  for (unsigned i = first; i < first + count; i++) words[i * WORDS] = i;
}

static void transmit(void) { platform_transmit((const void *)words, SOME * WORDS * sizeof words[0]); }

static void hand_over(void) { platform_hand_over((const void *)words, SOME * WORDS * sizeof words[0]); }

int main(void) {
  read_lines(0, LINES);
  MEASURE(OPERATION_NOTHING, 1, (void)0);
  MEASURE(OPERATION_MISS, LINES, read_lines(0, LINES));
  MEASURE(OPERATION_HIT, SOME, read_lines(LINES - SOME, SOME));
  MEASURE(OPERATION_TRANSMITTED, SOME, transmit());
  MEASURE(OPERATION_WRITTEN_MISS, LINES, write_lines(0, LINES));
  for (unsigned round = 0; round < 2; round++) {
    for (unsigned again = 0; again < 4; again++) read_lines(0, SOME);
    transmit();
    platform_mark(OPERATION_WRITTEN_HIT);
    write_lines(0, SOME);
    platform_mark(COUNT + SOME);
    for (unsigned again = 0; again < 4; again++) write_lines(0, SOME);
    platform_mark(OPERATION_TRANSMITTED_WRITTEN);
    transmit();
    platform_mark(COUNT + SOME);
  }
  MEASURE(OPERATION_HANDED_OVER, SOME, hand_over());
  for (unsigned round = 0; round < 2; round++) {
    for (unsigned again = 0; again < 4; again++) write_lines(0, SOME);
    platform_mark(OPERATION_HANDED_OVER_WRITTEN);
    hand_over();
    platform_mark(COUNT + SOME);
  }
  return (int)platform_bus();
}
