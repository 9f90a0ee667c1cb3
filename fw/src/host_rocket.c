// Rocket: accelerator and modem reach memory through its caches, so what is stored is theirs; or they have
// ports of their own, and the core gives lines up where the flusher asks for them.
#include "devices.h"
#include "platform.h"

#define PLIC(offset) (*(volatile uint32_t *)(uintptr_t)(PLIC_BASE + (offset)))
#define PLIC_PRIORITY PLIC(4 * SOURCE)
#define PLIC_ENABLE PLIC(0x2000)
#define PLIC_THRESHOLD PLIC(0x200000)
#define PLIC_CLAIM PLIC(0x200004)
#define SOURCE 1

extern const uint8_t stack_top[];

void platform_start(void) {
  // What the start code wrote.
  platform_hand_over((const void *)MEMORY_BASE, (uintptr_t)stack_top - MEMORY_BASE);
  PLIC_PRIORITY = 1;
  PLIC_ENABLE = 1u << SOURCE;
  PLIC_THRESHOLD = 0;
}

void platform_attended(void) {
  const uint32_t source = PLIC_CLAIM;
  if (source) PLIC_CLAIM = source;
}

void platform_write_back(void) { __asm__ volatile("fence" ::: "memory"); }

volatile uint64_t *platform_shared(void *address) { return address; }

// Past the cache, the core gives these lines up and has none of them when it ends.
void platform_hand_over(const void *address, size_t bytes) {
  __asm__ volatile("fence" ::: "memory");
#ifdef STREAMING
  DEVICE(DEVICE_FLUSHER_FROM) = (uintptr_t)address;
  DEVICE(DEVICE_FLUSHER_BYTES) = bytes;
  while (DEVICE(DEVICE_FLUSHER_BYTES)) {
  }
#else
  (void)address, (void)bytes;
#endif
}
