// The Ring Processing Unit: registers.
// Made by scripts/registers.py from spec/rpu/regs.toml.
#ifndef RINGWRIGHT_RPU_REGS_H
#define RINGWRIGHT_RPU_REGS_H

// Starts the program that `first` and `count` describe, as soon as the data port has finished its
// burst. While a program runs, or where the program would leave the instruction memory, nothing
// starts and `refused` is set.
#define RPU_CONTROL_OFFSET 0x000u
#define RPU_CONTROL_START_SHIFT 0u
#define RPU_CONTROL_START_MASK 0x1u

// Where the program lies.
#define RPU_FIRST_OFFSET 0x004u
#define RPU_FIRST_INSTRUCTION_SHIFT 0u
#define RPU_FIRST_INSTRUCTION_MASK 0xffffu

// How long the program is.
#define RPU_COUNT_OFFSET 0x008u
#define RPU_COUNT_INSTRUCTIONS_SHIFT 0u
#define RPU_COUNT_INSTRUCTIONS_MASK 0x1ffffu

// What happened. Reading takes the interrupt and clears `refused`.
#define RPU_STATUS_OFFSET 0x00cu
#define RPU_STATUS_BUSY_SHIFT 0u
#define RPU_STATUS_BUSY_MASK 0x1u
#define RPU_STATUS_DONE_SHIFT 1u
#define RPU_STATUS_DONE_MASK 0x1u
#define RPU_STATUS_ILLEGAL_SHIFT 2u
#define RPU_STATUS_ILLEGAL_MASK 0x1u
#define RPU_STATUS_REFUSED_SHIFT 3u
#define RPU_STATUS_REFUSED_MASK 0x1u

// How long the last program took.
#define RPU_CYCLES_OFFSET 0x010u
#define RPU_CYCLES_CYCLES_SHIFT 0u
#define RPU_CYCLES_CYCLES_MASK 0xffffffffu

// What was built.
#define RPU_MACHINE_OFFSET 0x014u
#define RPU_MACHINE_LOG_HPLES_SHIFT 0u
#define RPU_MACHINE_LOG_HPLES_MASK 0xfu
#define RPU_MACHINE_LOG_BANKS_SHIFT 4u
#define RPU_MACHINE_LOG_BANKS_MASK 0xfu
#define RPU_MACHINE_LOG_VECTOR_LENGTH_SHIFT 8u
#define RPU_MACHINE_LOG_VECTOR_LENGTH_MASK 0xfu
#define RPU_MACHINE_WORD_BITS_SHIFT 16u
#define RPU_MACHINE_WORD_BITS_MASK 0xffu

#endif  // RINGWRIGHT_RPU_REGS_H
