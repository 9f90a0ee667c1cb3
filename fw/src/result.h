// What an operation came to. Nobody may ignore it.
#ifndef RINGWRIGHT_RESULT_H
#define RINGWRIGHT_RESULT_H

#define MUST_USE __attribute__((warn_unused_result))

typedef enum {
  RESULT_OK = 0,
  RESULT_WRONG_MACHINE = 1,  // the accelerator is not the one that the firmware was made for
  RESULT_REFUSED = 2,        // the accelerator started nothing
  RESULT_BUS_ERROR = 3,      // a transfer was answered with an error
  RESULT_NO_INTERRUPT = 4,   // the accelerator did not end in the time that it was given
  RESULT_NO_SAMPLES = 5,     // the stream of the ternary secret had too few values
  RESULT_PROGRAM = 6,        // the accelerator gave a program up
  RESULT_RANGE = 7,          // a decrypted value is too large: another key, or another ciphertext
} result_t;

// Returns what went wrong, if anything did.
#define TRY(operation)                         \
  do {                                         \
    const result_t tried = (operation);        \
    if (tried != RESULT_OK) return tried;      \
  } while (0)

#endif  // RINGWRIGHT_RESULT_H
