// Runs a list of commands on the RPU: brings list and operands to its window of memory, starts it, and gives
// the results to the modem. Nothing of it is secret.
#include "list.h"

#include "platform.h"
#include "soc_map.h"

static void *window(uint32_t address) { return (void *)((uintptr_t)WINDOW_BASE + address); }

static result_t run(void) {
  platform_mark(PHASE_SET_UP);
  TRY(rpu_set_up(WORD_BITS));
  platform_mark(PHASE_WRITE);
  for (unsigned part = 0; part < PARTS; part++) {
    const part_t *from = &list_parts[part];
    volatile uint64_t *to = platform_shared(window(from->address));
    for (uint32_t i = 0; i < from->count; i++) to[i] = from->words[i];
    platform_hand_over(window(from->address), from->count * sizeof *to);
  }
  platform_mark(PHASE_RUN);
  rpu_start(list_writes, WRITES);
  TRY(rpu_wait(MOST_CYCLES));
  platform_mark(PHASE_TRANSMIT);
  for (unsigned i = 0; i < RESULTS; i++)
    platform_transmit(window(list_results[i].address), list_results[i].bytes);
  return platform_bus();
}

int main(void) {
  const result_t result = run();
  platform_mark(PHASE_END);
  return (int)result;
}
