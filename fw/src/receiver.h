// Decrypts answers of one tower with the secret key: c0 + c1 s, coefficients, values, to the modem.
#ifndef RINGWRIGHT_RECEIVER_H
#define RINGWRIGHT_RECEIVER_H

#include "result.h"

// Once: draws the secret key from its seed, and sets the accelerator up.
result_t receiver_set_up(void) MUST_USE;

// An answer of the tables, to its values.
result_t receiver_decrypt(unsigned frame) MUST_USE;

// Overwrites the key.
void receiver_end(void);

#endif  // RINGWRIGHT_RECEIVER_H
