// A list of commands for an accelerator with what it works on; list_tables.c, which `ringwright soc list`
// writes, has the values. Addresses are the accelerator's.
#ifndef RINGWRIGHT_LIST_H
#define RINGWRIGHT_LIST_H

#include <stdint.h>

#include "rpu.h"

#include "list_sizes.h"  // WORD_BITS, PARTS, WRITES, RESULTS, MOST_CYCLES

typedef struct {
  uint32_t address;
  uint32_t count;
  const uint64_t *words;
} part_t;

typedef struct {
  uint32_t address;
  uint32_t bytes;
} place_t;

extern const part_t list_parts[PARTS];
extern const rpu_write_t list_writes[WRITES];
extern const place_t list_results[RESULTS];

#endif  // RINGWRIGHT_LIST_H
