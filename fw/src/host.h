// What of a platform differs between cores: host_*.c has these, and platform.h's interrupt and shared memory.
#ifndef RINGWRIGHT_HOST_H
#define RINGWRIGHT_HOST_H

#include <stdint.h>

#define HOST_EXTERNAL_INTERRUPT (1u << 11)

// The interrupts that ask for attention (mip).
static inline uint64_t host_pending(void) {
  uint64_t pending;
  __asm__ volatile("csrr %0, mip" : "=r"(pending));
  return pending;
}

// Once, before anything else.
void host_start(void);

#endif  // RINGWRIGHT_HOST_H
