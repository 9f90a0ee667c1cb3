`include "registers.svh"
`include "assertions.svh"

/// Which register memories are taken in which coming cycle: a shift register of slots per memory.
///
/// Compute and shuffle instructions never stop once they have started, so all their reads and
/// writes are known at the start, relative to it: a pattern over cycles, the same for every
/// instruction of a pipe, laid over the memories of its sources and of its destinations. An
/// instruction may start in a cycle in which every slot that it needs is free; compute chooses
/// before shuffle. Loads and stores reserve nothing: they look at what is taken now, and wait.
///
/// Timing: `compute_free_o` depends on the masks, `shuffle_free_o` also on `compute_start_i`, and
/// `taken_o` on both starts, in the same cycle. Area: `Memories` times the longest instruction.
module rpu_reservations #(
    parameter int unsigned Memories       = 16,
    parameter int unsigned Beats          = 8,
    parameter int unsigned ComputeLatency = 10,
    parameter int unsigned Ii             = 1,
    parameter int unsigned ShuffleLatency = 5
) (
    input  logic                clk_i,
    input  logic                rst_ni,

    input  logic [Memories-1:0] compute_reads_i,
    input  logic [Memories-1:0] compute_writes_i,
    output logic                compute_free_o,
    input  logic                compute_start_i,

    input  logic [Memories-1:0] shuffle_reads_i,
    input  logic [Memories-1:0] shuffle_writes_i,
    output logic                shuffle_free_o,
    input  logic                shuffle_start_i,

    /// Taken in this cycle, by those who started before or start now.
    output logic [Memories-1:0] taken_o
);
  localparam int unsigned ComputeSlots = (Beats - 1) * Ii + ComputeLatency + 1;
  localparam int unsigned ShuffleSlots = Beats + ShuffleLatency;
  localparam int unsigned Slots = (ComputeSlots > ShuffleSlots) ? ComputeSlots : ShuffleSlots;
  // Slot i is the cycle that lies i ahead.
  typedef logic [Slots-1:0] slots_t;

  function automatic slots_t pattern(int unsigned distance, int unsigned first);
    pattern = '0;
    for (int unsigned beat = 0; beat < Beats; beat++) pattern[beat*distance+first] = 1'b1;
  endfunction

  localparam slots_t ComputeRead  = pattern(Ii, 0);
  localparam slots_t ComputeWrite = pattern(Ii, ComputeLatency);
  localparam slots_t ShuffleRead  = pattern(1, 0);
  localparam slots_t ShuffleWrite = pattern(1, ShuffleLatency);

  logic [Memories-1:0] compute_clash, shuffle_clash;

  for (genvar m = 0; m < Memories; m++) begin : gen_memory
    slots_t compute, shuffle, taken_q, with_compute, with_both;
    assign compute = (compute_reads_i[m] ? ComputeRead : '0) |
                     (compute_writes_i[m] ? ComputeWrite : '0);
    assign shuffle = (shuffle_reads_i[m] ? ShuffleRead : '0) |
                     (shuffle_writes_i[m] ? ShuffleWrite : '0);

    assign compute_clash[m] = |(taken_q & compute);
    assign with_compute  = taken_q | (compute_start_i ? compute : '0);
    assign shuffle_clash[m] = |(with_compute & shuffle);
    assign with_both     = with_compute | (shuffle_start_i ? shuffle : '0);

    assign taken_o[m] = with_both[0];
    `RW_FF(taken_q, with_both >> 1, '0)
  end

  assign compute_free_o = compute_clash == '0;
  assign shuffle_free_o = shuffle_clash == '0;

  `RW_REQUIRE(rpu_reservations_beats, Beats >= 1 && Ii >= 1)
  `RW_ASSERT(rpu_reservations_compute, !compute_start_i || compute_free_o)
  `RW_ASSERT(rpu_reservations_shuffle, !shuffle_start_i || shuffle_free_o)
endmodule
