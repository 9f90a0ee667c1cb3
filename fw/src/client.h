// Encrypts messages with the public key (crates/schemes/src/rlwe/programs.rs): by tower, b u + e0 + m and
// a u + e1, evaluations, to the modem.
#ifndef RINGWRIGHT_CLIENT_H
#define RINGWRIGHT_CLIENT_H

#include "result.h"

// Once: draws the public key's uniform half, and sets the accelerator up.
result_t client_set_up(void) MUST_USE;

// A frame of the tables, from its message to the modem.
result_t client_encrypt(unsigned frame) MUST_USE;

#endif  // RINGWRIGHT_CLIENT_H
