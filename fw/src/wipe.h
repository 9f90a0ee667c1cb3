// Overwrites what was secret.
#ifndef RINGWRIGHT_WIPE_H
#define RINGWRIGHT_WIPE_H

#include <stddef.h>
#include <stdint.h>

// Memory that nobody reads again; no compiler leaves it out. Aligned to eight bytes, a multiple of eight.
static inline void wipe(void *memory, size_t bytes) {
  volatile uint64_t *words = memory;
#pragma GCC unroll 8
  for (size_t i = 0; i < bytes / 8; i++) words[i] = 0;
}

#endif  // RINGWRIGHT_WIPE_H
