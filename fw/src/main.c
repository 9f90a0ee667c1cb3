#include "client.h"
#include "platform.h"
#include "tables.h"

// Returns to the start code, which gives the result to the exit.
int main(void) {
  result_t result = client_set_up();
  for (unsigned frame = 0; result == RESULT_OK && frame < FRAMES; frame++) result = client_encrypt(frame);
  platform_mark(PHASE_END);
  return (int)result;
}
