// Medha: registers.
// Made by scripts/registers.py from spec/medha/regs.toml.
#ifndef RINGWRIGHT_MEDHA_REGS_H
#define RINGWRIGHT_MEDHA_REGS_H

// Where the list of commands lies.
#define MEDHA_LIST_OFFSET 0x000u
#define MEDHA_LIST_ADDRESS_SHIFT 0u
#define MEDHA_LIST_ADDRESS_MASK 0xffffffffu

// Starts the list at `list`. While a list runs, nothing starts and `refused` is set.
#define MEDHA_DOORBELL_OFFSET 0x004u
#define MEDHA_DOORBELL_BEATS_SHIFT 0u
#define MEDHA_DOORBELL_BEATS_MASK 0xffffffffu

// What happened. Reading takes the interrupt and clears `refused`.
#define MEDHA_STATUS_OFFSET 0x008u
#define MEDHA_STATUS_BUSY_SHIFT 0u
#define MEDHA_STATUS_BUSY_MASK 0x1u
#define MEDHA_STATUS_DONE_SHIFT 1u
#define MEDHA_STATUS_DONE_MASK 0x1u
#define MEDHA_STATUS_REFUSED_SHIFT 2u
#define MEDHA_STATUS_REFUSED_MASK 0x1u
#define MEDHA_STATUS_FAILED_SHIFT 3u
#define MEDHA_STATUS_FAILED_MASK 0x1u

// Why the last list was given up.
#define MEDHA_ERROR_OFFSET 0x00cu
#define MEDHA_ERROR_CODE_SHIFT 0u
#define MEDHA_ERROR_CODE_MASK 0xfu
#define MEDHA_ERROR_CODE_NOT_WRITTEN 1u
#define MEDHA_ERROR_CODE_IN_USE 2u
#define MEDHA_ERROR_CODE_PORT 3u
#define MEDHA_ERROR_CODE_ARRIVAL 4u
#define MEDHA_ERROR_CODE_READ 5u
#define MEDHA_ERROR_CODE_WRITE 6u
#define MEDHA_ERROR_CODE_COMMAND 7u
#define MEDHA_ERROR_RPAU_SHIFT 4u
#define MEDHA_ERROR_RPAU_MASK 0xfu
#define MEDHA_ERROR_RUN_SHIFT 8u
#define MEDHA_ERROR_RUN_MASK 0xffffffu

// How long kernels ran.
#define MEDHA_CYCLES_OFFSET 0x010u
#define MEDHA_CYCLES_CYCLES_SHIFT 0u
#define MEDHA_CYCLES_CYCLES_MASK 0xffffffffu

// What was built.
#define MEDHA_MACHINE_OFFSET 0x014u
#define MEDHA_MACHINE_RPAUS_SHIFT 0u
#define MEDHA_MACHINE_RPAUS_MASK 0x1fu
#define MEDHA_MACHINE_LOG_BUTTERFLIES_SHIFT 8u
#define MEDHA_MACHINE_LOG_BUTTERFLIES_MASK 0x7u
#define MEDHA_MACHINE_LOG_MAX_DEGREE_SHIFT 16u
#define MEDHA_MACHINE_LOG_MAX_DEGREE_MASK 0x1fu
#define MEDHA_MACHINE_LANES_SHIFT 24u
#define MEDHA_MACHINE_LANES_MASK 0x7u

#endif  // RINGWRIGHT_MEDHA_REGS_H
