#include "wipe.h"

void wipe(volatile void *memory, size_t bytes) {
  volatile uint64_t *words = memory;
#pragma GCC unroll 8
  for (size_t i = 0; i < bytes / 8; i++) words[i] = 0;
}
