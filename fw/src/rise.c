#include "rise.h"

#include <stddef.h>

#include "platform.h"

#define FIELD(register, field, value) ((uint32_t)(value) << RISE_##register##_##field##_SHIFT)
#define OF(word, register, field) ((word) >> RISE_##register##_##field##_SHIFT & RISE_##register##_##field##_MASK)

// What a block of SHAKE-256 holds behind the seed.
#define TAIL_LANES 13
#define SUFFIX 0x1fu
// For each word and stage of a transform; RACE takes a twentieth of it for a call.
#define MOST_CYCLES 64u

static unsigned streams;
static uint64_t most_cycles;

result_t rise_set_up(rise_machine_t *machine, unsigned log_n, unsigned word_bits) {
  const uint32_t built = platform_read(RISE_MACHINE_OFFSET);
  if (OF(built, MACHINE, LOG_N_MAX) < log_n || OF(built, MACHINE, WORD_BITS) != word_bits)
    return RESULT_WRONG_MACHINE;
  machine->has_samplers = OF(built, MACHINE, SAMPLERS);
  machine->transforms_only = OF(built, MACHINE, TRANSFORMS_ONLY);
  machine->queued_calls = OF(built, MACHINE, QUEUED_CALLS);
  streams = 0;
  most_cycles = (uint64_t)MOST_CYCLES * log_n << log_n;
  platform_write(RISE_LOG_N_OFFSET, FIELD(LOG_N, LOG_N, log_n));
  // Addresses of calls count from 0.
  platform_write(RISE_BASE_OFFSET, 0);
  platform_write(RISE_BASE_OFFSET + 4, 0);
  return platform_bus();
}

unsigned rise_stream(const char *name) {
  uint64_t lanes[TAIL_LANES] = {0};
  unsigned at = 1;
  for (; name[at - 1]; at++) lanes[at / 8] |= (uint64_t)(uint8_t)name[at - 1] << (8 * (at % 8));
  lanes[0] |= at - 1;
  // The tower, 0: two bytes; then the padding.
  at += 2;
  lanes[at / 8] |= (uint64_t)SUFFIX << (8 * (at % 8));
  lanes[TAIL_LANES - 1] |= (uint64_t)0x80 << 56;
  const uint32_t offset = RISE_MESSAGE_OFFSET + 8 * TAIL_LANES * streams;
  for (unsigned i = 0; i < TAIL_LANES; i++) {
    platform_write(offset + 8 * i, (uint32_t)lanes[i]);
    platform_write(offset + 8 * i + 4, (uint32_t)(lanes[i] >> 32));
  }
  return streams++;
}

void rise_seed(const uint8_t seed[32]) {
  for (unsigned i = 0; i < RISE_SEED_WORDS; i++) {
    uint32_t word = 0;
    for (unsigned byte = 0; byte < 4; byte++) word |= (uint32_t)seed[4 * i + byte] << (8 * byte);
    platform_write(RISE_SEED_OFFSET + 4 * i, word);
  }
}

static uint32_t address(const void *pointer) { return (uint32_t)(uintptr_t)pointer; }

void rise_start(const rise_call_t *call) {
  const rise_sample_t *first = &call->sample_0, *last = &call->sample_2;
  platform_write(RISE_CONSTANTS_OFFSET, address(call->constants));
  platform_write(RISE_SOURCE_0_OFFSET, address(call->source[0]));
  platform_write(RISE_SOURCE_1_OFFSET, address(call->source[1]));
  platform_write(RISE_SOURCE_2_OFFSET, address(call->source[2]));
  platform_write(RISE_DESTINATION_OFFSET, address(call->destination));
  platform_write(
      RISE_SAMPLE_OFFSET,
      FIELD(SAMPLE, DRAW_0, first->draw) | FIELD(SAMPLE, ADD_0, first->is_added) |
          FIELD(SAMPLE, BLOCKS_0, 1) | FIELD(SAMPLE, TAIL_0, TAIL_LANES * first->stream) |
          FIELD(SAMPLE, DRAW_2, last->draw) | FIELD(SAMPLE, ADD_2, last->is_added) |
          FIELD(SAMPLE, BLOCKS_2, 1) | FIELD(SAMPLE, TAIL_2, TAIL_LANES * last->stream));
  platform_write(RISE_CONTROL_OFFSET, FIELD(CONTROL, REQUEST, call->request));
}

result_t rise_wait(unsigned calls) {
  for (unsigned ended = 0; ended < calls;) {
    const uint64_t began = platform_cycles();
    while (!platform_interrupted())
      if (platform_cycles() - began > most_cycles) return RESULT_NO_INTERRUPT;
    const uint32_t status = platform_read(RISE_STATUS_OFFSET);
    platform_attended();
    if (OF(status, STATUS, BUS_ERROR)) return RESULT_BUS_ERROR;
    if (OF(status, STATUS, REFUSED)) return RESULT_REFUSED;
    // Reading takes one.
    ended += OF(status, STATUS, FINISHED) != 0;
  }
  return RESULT_OK;
}
