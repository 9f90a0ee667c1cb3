// Rocket: accelerator and modem reach memory through its caches, so what is stored is theirs.
#include "platform.h"
#include "soc_map.h"

#define PLIC(offset) (*(volatile uint32_t *)(uintptr_t)(PLIC_BASE + (offset)))
#define PLIC_PRIORITY PLIC(4 * SOURCE)
#define PLIC_ENABLE PLIC(0x2000)
#define PLIC_THRESHOLD PLIC(0x200000)
#define PLIC_CLAIM PLIC(0x200004)
#define SOURCE 1

void platform_start(void) {
  PLIC_PRIORITY = 1;
  PLIC_ENABLE = 1u << SOURCE;
  PLIC_THRESHOLD = 0;
}

void platform_attended(void) {
  const uint32_t source = PLIC_CLAIM;
  if (source) PLIC_CLAIM = source;
}

volatile uint64_t *platform_shared(void *address) { return address; }

void platform_hand_over(void) { __asm__ volatile("fence" ::: "memory"); }

void platform_write_back(void) { platform_hand_over(); }
