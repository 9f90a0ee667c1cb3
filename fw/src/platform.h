// What the client needs of what it runs on; platform_soc.c and host_*.c for a core in a SoC, platform_pc.c for
// a PC.
#ifndef RINGWRIGHT_PLATFORM_H
#define RINGWRIGHT_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#include "result.h"

// Phases of the work, as marks say where each begins.
typedef enum {
  PHASE_END = 0,
  PHASE_SET_UP = 1,
  PHASE_ENCODE = 2,
  PHASE_SAMPLE = 3,
  PHASE_WRITE = 4,
  PHASE_ENCRYPT = 5,
  PHASE_TRANSMIT = 6,
  PHASE_MULTIPLY = 7,
  PHASE_WIPE = 8,
  PHASE_RUN = 9,
  PHASE_DECRYPT = 10,
  PHASE_DECODE = 11,
} phase_t;

// Once, before anything else, by the start code of a core.
void platform_start(void);

// A phase begins.
void platform_mark(phase_t phase);

// Cycles so far; 0 where nobody counts.
uint64_t platform_cycles(void);

// A register of the accelerator.
uint32_t platform_read(uint32_t offset);
void platform_write(uint32_t offset, uint32_t value);

// Whether the accelerator asks for attention.
int platform_interrupted(void);

// It got it: its interrupt may come again.
void platform_attended(void);

// Comes between what the core writes otherwise than through platform_shared and platform_hand_over of it.
void platform_write_back(void);

// The same memory, where the core shares it with the accelerator and reads what that wrote. `address` is in
// writable memory.
volatile uint64_t *platform_shared(void *address);

// Accelerator and modem see these bytes, and may write them: nothing that the core wrote there comes out of its
// cache later.
void platform_hand_over(const void *address, size_t bytes);

// Gives bytes to the modem, as the accelerator sees them; returns when it has them all. A multiple of eight.
void platform_transmit(const void *address, size_t bytes);

// Whether an access of memory or register was answered with an error since the last question.
result_t platform_bus(void) MUST_USE;

#endif  // RINGWRIGHT_PLATFORM_H
