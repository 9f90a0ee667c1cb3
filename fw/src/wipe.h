// Overwrites what was secret.
#ifndef RINGWRIGHT_WIPE_H
#define RINGWRIGHT_WIPE_H

#include <stddef.h>
#include <stdint.h>

// Memory that nobody reads again; no compiler leaves it out. Aligned to eight bytes, a multiple of eight.
void wipe(volatile void *memory, size_t bytes);

#endif  // RINGWRIGHT_WIPE_H
