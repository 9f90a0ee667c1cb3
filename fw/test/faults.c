// What the driver and the platform say when something goes wrong, on a core with RISE. The exit code is 0, or
// the number of the first case that came out otherwise.
#include "platform.h"
#include "rise.h"
#include "rise_regs.h"
#include "tables.h"

#define NOWHERE ((void *)0x40000000)

static uint32_t polynomial[N] __attribute__((aligned(64)));

static rise_call_t of(void *source) {
  const rise_call_t call = {
      .request = RISE_HALF_ENCRYPTION,
      .constants = primes[0].constants,
      .source = {polynomial, primes[0].public_b, source},
      .destination = polynomial,
  };
  return call;
}

int main(void) {
  rise_machine_t machine;
  // A degree that the machine has no room for, a word that it does not have.
  if (rise_set_up(&machine, 20, WORD_BITS) != RESULT_WRONG_MACHINE) return 1;
  if (rise_set_up(&machine, LOG_N, WORD_BITS + 1) != RESULT_WRONG_MACHINE) return 2;
  if (rise_set_up(&machine, LOG_N, WORD_BITS) != RESULT_OK) return 3;
  // Nothing was started, so nothing ends.
  if (rise_wait(1) != RESULT_NO_INTERRUPT) return 4;
  // Calls of what is there end.
  const rise_call_t right = of(polynomial), wrong = of(NOWHERE);
  rise_start(&right);
  rise_start(&right);
  if (rise_wait(2) != RESULT_OK) return 5;
  // More calls than the machine queues.
  for (unsigned call = 0; call < 4; call++) rise_start(&right);
  if (rise_wait(1) != RESULT_REFUSED) return 6;
  while (platform_read(RISE_STATUS_OFFSET) & (RISE_STATUS_BUSY_MASK << RISE_STATUS_BUSY_SHIFT)) {
  }
  while (platform_interrupted()) {
    (void)platform_read(RISE_STATUS_OFFSET);
    platform_attended();
  }
  // A transfer from where there is no memory.
  rise_start(&wrong);
  if (rise_wait(1) != RESULT_BUS_ERROR) return 7;
  // The core's own access of such an address.
  if (platform_bus() != RESULT_OK) return 8;
  (void)*(volatile uint64_t *)((uintptr_t)platform_shared(polynomial) + 0x08000000);
  if (platform_bus() != RESULT_BUS_ERROR) return 9;
  if (platform_bus() != RESULT_OK) return 10;
  return 0;
}
