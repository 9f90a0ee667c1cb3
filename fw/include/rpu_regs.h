// The Ring Processing Unit: registers.
// Made by scripts/registers.py from spec/rpu/regs.toml.
#ifndef RINGWRIGHT_RPU_REGS_H
#define RINGWRIGHT_RPU_REGS_H

// Starts the program that `first` and `count` describe, as soon as the data port has finished its
// burst. While a program or a list runs, or where the program would leave the instruction memory,
// nothing starts and `refused` is set.
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
#define RPU_STATUS_FAILED_SHIFT 4u
#define RPU_STATUS_FAILED_MASK 0x1u
#define RPU_STATUS_SILENT_SHIFT 5u
#define RPU_STATUS_SILENT_MASK 0x1u

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
#define RPU_MACHINE_LOG_PORT_BYTES_SHIFT 24u
#define RPU_MACHINE_LOG_PORT_BYTES_MASK 0xfu

// Where the list of commands lies.
#define RPU_LIST_OFFSET 0x018u
#define RPU_LIST_ADDRESS_SHIFT 0u
#define RPU_LIST_ADDRESS_MASK 0xffffffffu

// Starts the list at `list`. While a program or a list runs, or after memory has fallen silent,
// nothing starts and `refused` is set.
#define RPU_DOORBELL_OFFSET 0x01cu
#define RPU_DOORBELL_COMMANDS_SHIFT 0u
#define RPU_DOORBELL_COMMANDS_MASK 0xffffffu

// Why the last list was given up.
#define RPU_ERROR_OFFSET 0x020u
#define RPU_ERROR_CODE_SHIFT 0u
#define RPU_ERROR_CODE_MASK 0xfu
#define RPU_ERROR_COMMAND_SHIFT 8u
#define RPU_ERROR_COMMAND_MASK 0xffffffu

// How long the last list took.
#define RPU_LIST_CYCLES_OFFSET 0x024u
#define RPU_LIST_CYCLES_CYCLES_SHIFT 0u
#define RPU_LIST_CYCLES_CYCLES_MASK 0xffffffffu

#endif  // RINGWRIGHT_RPU_REGS_H
