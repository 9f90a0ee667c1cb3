// The driver of the Ring Processing Unit: it runs lists of commands from its window of memory by itself.
#ifndef RINGWRIGHT_RPU_H
#define RINGWRIGHT_RPU_H

#include <stdint.h>

#include "result.h"

// A register and what is written to it.
typedef struct {
  uint32_t offset;
  uint32_t value;
} rpu_write_t;

// For a machine whose words have `word_bits`.
result_t rpu_set_up(unsigned word_bits) MUST_USE;

// Writes registers in order, the doorbell last.
void rpu_start(const rpu_write_t *writes, unsigned count);

// Waits until the list has ended, for so many cycles at most.
result_t rpu_wait(uint64_t most_cycles) MUST_USE;

#endif  // RINGWRIGHT_RPU_H
