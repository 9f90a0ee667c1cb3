// A core of hw/soc, as far as all are alike; host_*.c has the rest.
#include "platform.h"
#include "soc_map.h"  // made of soc_pkg.sv

#define DEVICE(offset) (*(volatile uint64_t *)(uintptr_t)(DEVICES_BASE + (offset)))
#define MARK DEVICE(0x10)
#define CYCLES DEVICE(0x10)
#define MODEM_FROM DEVICE(0x18)
#define MODEM_BYTES DEVICE(0x20)
#define ERRORS DEVICE(0x28)

#define EXTERNAL_INTERRUPT (1u << 11)

void platform_mark(phase_t phase) { MARK = phase; }

uint64_t platform_cycles(void) { return CYCLES; }

uint32_t platform_read(uint32_t offset) { return *(volatile uint32_t *)(uintptr_t)(ACCELERATOR_BASE + offset); }

void platform_write(uint32_t offset, uint32_t value) {
  *(volatile uint32_t *)(uintptr_t)(ACCELERATOR_BASE + offset) = value;
}

int platform_interrupted(void) {
  uint64_t pending;
  __asm__ volatile("csrr %0, mip" : "=r"(pending));
  return (pending & EXTERNAL_INTERRUPT) != 0;
}

void platform_transmit(const void *address, size_t bytes) {
  MODEM_FROM = (uintptr_t)address;
  MODEM_BYTES = bytes;
  while (MODEM_BYTES) {
  }
}

result_t platform_bus(void) { return ERRORS ? RESULT_BUS_ERROR : RESULT_OK; }
