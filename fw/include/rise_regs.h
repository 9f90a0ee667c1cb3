// The edge accelerator of RACE and RISE: registers.
// Made by scripts/registers.py from spec/rise/regs.toml.
#ifndef RINGWRIGHT_RISE_REGS_H
#define RINGWRIGHT_RISE_REGS_H

// Starts a call with what the other registers of a call hold now. Where the queue of calls is full
// or the machine lacks the request, the call is dropped and `refused` is set.
#define RISE_CONTROL_OFFSET 0x000u
#define RISE_CONTROL_REQUEST_SHIFT 0u
#define RISE_CONTROL_REQUEST_MASK 0x7u
#define RISE_CONTROL_REQUEST_HALF_ENCRYPTION 1u
#define RISE_CONTROL_REQUEST_DECRYPTION 2u
#define RISE_CONTROL_REQUEST_FORWARD 3u
#define RISE_CONTROL_REQUEST_INVERSE 4u

// What happened. Reading takes one interrupt and clears the errors.
#define RISE_STATUS_OFFSET 0x004u
#define RISE_STATUS_BUSY_SHIFT 0u
#define RISE_STATUS_BUSY_MASK 0x1u
#define RISE_STATUS_FULL_SHIFT 1u
#define RISE_STATUS_FULL_MASK 0x1u
#define RISE_STATUS_FINISHED_SHIFT 4u
#define RISE_STATUS_FINISHED_MASK 0x3u
#define RISE_STATUS_REFUSED_SHIFT 8u
#define RISE_STATUS_REFUSED_MASK 0x1u
#define RISE_STATUS_BUS_ERROR_SHIFT 9u
#define RISE_STATUS_BUS_ERROR_MASK 0x1u

// What was built.
#define RISE_MACHINE_OFFSET 0x008u
#define RISE_MACHINE_LOG_BFUS_SHIFT 0u
#define RISE_MACHINE_LOG_BFUS_MASK 0xfu
#define RISE_MACHINE_QUEUED_CALLS_SHIFT 4u
#define RISE_MACHINE_QUEUED_CALLS_MASK 0x3u
#define RISE_MACHINE_SAMPLERS_SHIFT 6u
#define RISE_MACHINE_SAMPLERS_MASK 0x1u
#define RISE_MACHINE_TRANSFORMS_ONLY_SHIFT 7u
#define RISE_MACHINE_TRANSFORMS_ONLY_MASK 0x1u
#define RISE_MACHINE_WORD_BITS_SHIFT 8u
#define RISE_MACHINE_WORD_BITS_MASK 0xffu
#define RISE_MACHINE_LOG_N_MAX_SHIFT 16u
#define RISE_MACHINE_LOG_N_MAX_MASK 0xffu

// The ring degree. It must rest while the machine is busy.
#define RISE_LOG_N_OFFSET 0x00cu
#define RISE_LOG_N_LOG_N_SHIFT 0u
#define RISE_LOG_N_LOG_N_MASK 0x1fu

// Where addresses of calls count from: low and high half of a byte address.
#define RISE_BASE_OFFSET 0x010u
#define RISE_BASE_WORDS 2u
#define RISE_BASE_ADDRESS_SHIFT 0u
#define RISE_BASE_ADDRESS_MASK 0xffffffffu

// Byte offset of the prime's constants: q, its reciprocal, 1/N, psi^-1/N, then psi^(2^k) and
// psi^-(2^k) in turn.
#define RISE_CONSTANTS_OFFSET 0x020u
#define RISE_CONSTANTS_OFFSET_SHIFT 0u
#define RISE_CONSTANTS_OFFSET_MASK 0xffffffffu

// Byte offset of the polynomial transformed or multiplied in BG0 (u, or c1).
#define RISE_SOURCE_0_OFFSET 0x024u
#define RISE_SOURCE_0_OFFSET_SHIFT 0u
#define RISE_SOURCE_0_OFFSET_MASK 0xffffffffu

// Byte offset of the polynomial multiplied in BG1 (a part of the public key, or s).
#define RISE_SOURCE_1_OFFSET 0x028u
#define RISE_SOURCE_1_OFFSET_SHIFT 0u
#define RISE_SOURCE_1_OFFSET_MASK 0xffffffffu

// Byte offset of the polynomial added (m, m with its error, or c0).
#define RISE_SOURCE_2_OFFSET 0x02cu
#define RISE_SOURCE_2_OFFSET_SHIFT 0u
#define RISE_SOURCE_2_OFFSET_MASK 0xffffffffu

// Byte offset of the result.
#define RISE_DESTINATION_OFFSET 0x030u
#define RISE_DESTINATION_OFFSET_SHIFT 0u
#define RISE_DESTINATION_OFFSET_MASK 0xffffffffu

// What is drawn into sources 0 and 2 instead of loading them, or to be added to them.
#define RISE_SAMPLE_OFFSET 0x034u
#define RISE_SAMPLE_DRAW_0_SHIFT 0u
#define RISE_SAMPLE_DRAW_0_MASK 0x3u
#define RISE_SAMPLE_DRAW_0_NONE 0u
#define RISE_SAMPLE_DRAW_0_TERNARY 1u
#define RISE_SAMPLE_DRAW_0_BINOMIAL 2u
#define RISE_SAMPLE_ADD_0_SHIFT 2u
#define RISE_SAMPLE_ADD_0_MASK 0x1u
#define RISE_SAMPLE_BLOCKS_0_SHIFT 4u
#define RISE_SAMPLE_BLOCKS_0_MASK 0x3u
#define RISE_SAMPLE_TAIL_0_SHIFT 8u
#define RISE_SAMPLE_TAIL_0_MASK 0x3fu
#define RISE_SAMPLE_DRAW_2_SHIFT 16u
#define RISE_SAMPLE_DRAW_2_MASK 0x3u
#define RISE_SAMPLE_ADD_2_SHIFT 18u
#define RISE_SAMPLE_ADD_2_MASK 0x1u
#define RISE_SAMPLE_BLOCKS_2_SHIFT 20u
#define RISE_SAMPLE_BLOCKS_2_MASK 0x3u
#define RISE_SAMPLE_TAIL_2_SHIFT 24u
#define RISE_SAMPLE_TAIL_2_MASK 0x3fu

// The 32 secret bytes that every message begins with, low word first. Fresh for every encryption.
#define RISE_SEED_OFFSET 0x040u
#define RISE_SEED_WORDS 8u
#define RISE_SEED_WORD_SHIFT 0u
#define RISE_SEED_WORD_MASK 0xffffffffu

// 64 lanes of 64 bits, low word first: what the samplers' messages hold behind the seed, padded as
// SHAKE-256 asks: length of the stream's name, name, two zero bytes, 0x1f, zeros, 0x80 in the last
// byte of the block.
#define RISE_MESSAGE_OFFSET 0x200u
#define RISE_MESSAGE_WORDS 128u

#endif  // RINGWRIGHT_RISE_REGS_H
