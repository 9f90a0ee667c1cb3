// What a compiler calls for what it finds in loops.
#include <stddef.h>
#include <stdint.h>

void *memset(void *to, int value, size_t bytes) {
  volatile uint8_t *out = to;
  for (size_t i = 0; i < bytes; i++) out[i] = (uint8_t)value;
  return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  volatile uint8_t *out = to;
  const uint8_t *in = from;
  for (size_t i = 0; i < bytes; i++) out[i] = in[i];
  return to;
}
