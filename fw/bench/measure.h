// How measurements are marked, for `ringwright soc profile`: two marks each, the operation's number and then COUNT
// plus how many were done; twice, and the second round counts, with caches as the first left them.
#ifndef RINGWRIGHT_MEASURE_H
#define RINGWRIGHT_MEASURE_H

#include "platform.h"

#define COUNT 1000
#define MEASURE(operation, count, ...)    \
  for (int round = 0; round < 2; round++) { \
    platform_mark(operation);             \
    __VA_ARGS__;                          \
    platform_mark(COUNT + (count));       \
  }

#endif  // RINGWRIGHT_MEASURE_H
