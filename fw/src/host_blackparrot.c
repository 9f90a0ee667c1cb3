// BlackParrot: its caches do not see what the accelerator writes, but there is an alias past them.
#include "platform.h"
#include "soc_map.h"

void platform_start(void) {}

void platform_attended(void) {}

// fence.i writes dirty lines back, all of them.
void platform_write_back(void) { __asm__ volatile("fence.i" ::: "memory"); }

volatile uint64_t *platform_shared(void *address) {
  return (volatile uint64_t *)((uintptr_t)address - MEMORY_BASE + ALIAS_BASE);
}

void platform_hand_over(const void *address, size_t bytes) { (void)address, (void)bytes; }
