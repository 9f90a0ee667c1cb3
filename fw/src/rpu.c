#include "rpu.h"

#include "platform.h"
#include "rpu_regs.h"

#define OF(word, register, field) ((word) >> RPU_##register##_##field##_SHIFT & RPU_##register##_##field##_MASK)

result_t rpu_set_up(unsigned word_bits) {
  const uint32_t built = platform_read(RPU_MACHINE_OFFSET);
  if (OF(built, MACHINE, WORD_BITS) != word_bits) return RESULT_WRONG_MACHINE;
  return platform_bus();
}

void rpu_start(const rpu_write_t *writes, unsigned count) {
  for (unsigned i = 0; i < count; i++) platform_write(writes[i].offset, writes[i].value);
}

result_t rpu_wait(uint64_t most_cycles) {
  const uint64_t began = platform_cycles();
  while (!platform_interrupted())
    if (platform_cycles() - began > most_cycles) return RESULT_NO_INTERRUPT;
  const uint32_t status = platform_read(RPU_STATUS_OFFSET);
  platform_attended();
  if (OF(status, STATUS, REFUSED)) return RESULT_REFUSED;
  if (OF(status, STATUS, ILLEGAL) || OF(status, STATUS, FAILED)) return RESULT_PROGRAM;
  if (OF(status, STATUS, SILENT) || !OF(status, STATUS, DONE)) return RESULT_BUS_ERROR;
  return platform_bus();
}
