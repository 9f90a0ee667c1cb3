#include "platform.h"
#include "receiver.h"
#include "tables.h"

// Returns to the start code, which gives the result to the exit.
int main(void) {
  result_t result = receiver_set_up();
  for (unsigned frame = 0; result == RESULT_OK && frame < FRAMES; frame++) result = receiver_decrypt(frame);
  receiver_end();
  platform_mark(PHASE_END);
  return (int)result;
}
