// A PC: no accelerator; what the modem takes is kept for whoever loaded the client as a library.
#include <stdlib.h>
#include <string.h>

#include "platform.h"

static uint8_t *taken;
static size_t taken_bytes;

void platform_mark(phase_t phase) { (void)phase; }

uint64_t platform_cycles(void) { return 0; }

uint32_t platform_read(uint32_t offset) { return (void)offset, 0; }

void platform_write(uint32_t offset, uint32_t value) { (void)offset, (void)value; }

int platform_interrupted(void) { return 0; }

void platform_attended(void) {}

void platform_write_back(void) {}

volatile uint64_t *platform_shared(void *address) { return address; }

void platform_hand_over(const void *address, size_t bytes) { (void)address, (void)bytes; }

void platform_transmit(const void *address, size_t bytes) {
  taken = realloc(taken, taken_bytes + bytes);
  if (!taken) abort();
  memcpy(taken + taken_bytes, address, bytes);
  taken_bytes += bytes;
}

result_t platform_bus(void) { return RESULT_OK; }

int firmware_main(void);

// For whoever loads it: the main program, which was compiled under another name; what was transmitted.
int pc_run(void) {
  free(taken);
  taken = NULL;
  taken_bytes = 0;
  return firmware_main();
}

const uint8_t *pc_transmitted(size_t *bytes) {
  *bytes = taken_bytes;
  return taken;
}
