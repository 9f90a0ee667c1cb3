// BlackParrot: its caches do not see what the accelerator writes, but there is an alias past them.
#include "platform.h"
#include "soc_map.h"

void platform_start(void) {}

void platform_attended(void) {}

volatile uint64_t *platform_shared(void *address) {
  return (volatile uint64_t *)((uintptr_t)address - MEMORY_BASE + ALIAS_BASE);
}

void platform_hand_over(void) {}

// fence.i writes dirty lines back.
void platform_write_back(void) { __asm__ volatile("fence.i" ::: "memory"); }
