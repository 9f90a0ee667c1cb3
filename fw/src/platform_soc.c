// A core of hw/soc, as far as all are alike; host_*.c has the rest.
#include "devices.h"
#include "platform.h"

#define EXTERNAL_INTERRUPT (1u << 11)

void platform_mark(phase_t phase) { DEVICE(DEVICE_MARK) = phase; }

uint64_t platform_cycles(void) { return DEVICE(DEVICE_MARK); }

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
  DEVICE(DEVICE_MODEM_FROM) = (uintptr_t)address;
  DEVICE(DEVICE_MODEM_BYTES) = bytes;
  while (DEVICE(DEVICE_MODEM_BYTES)) {
  }
}

result_t platform_bus(void) { return DEVICE(DEVICE_ERRORS) ? RESULT_BUS_ERROR : RESULT_OK; }
