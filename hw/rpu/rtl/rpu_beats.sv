`include "registers.svh"
`include "assertions.svh"

/// When the beats of a pipe's instructions read and write: the sequencer of the compute and of the
/// shuffle pipe.
///
/// An instruction that starts in cycle s reads row group b in s + b `Ii`, for all `Beats`, and
/// writes what became of it `Latency` later; the next may start in s + `Beats` `Ii` + `Gap`. Once
/// started it never stops.
///
/// Timing: `read_o` and `read_beat_o` in the start cycle itself, for whatever stands at the head of
/// the queue; the instruction must be held by the owner from the next cycle on (`start_i` says when
/// to take it). `write_o` and `write_beat_o` `Latency` cycles after the read. `last_read_o` in the
/// last cycle in which the sources are in use, `last_write_o` in that of the last write.
/// Area: two counters and `Latency` stages of the beat number.
module rpu_beats #(
    parameter int unsigned Beats   = 8,
    parameter int unsigned Ii      = 1,
    parameter int unsigned Gap     = 0,
    parameter int unsigned Latency = 10,
    localparam int unsigned BeatWidth = (Beats > 1) ? $clog2(Beats) : 1
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,

    /// An instruction may start in this cycle.
    output logic                 ready_o,
    /// One does; only with `ready_o`.
    input  logic                 start_i,

    output logic                 read_o,
    output logic [BeatWidth-1:0] read_beat_o,
    output logic                 last_read_o,
    output logic                 write_o,
    output logic [BeatWidth-1:0] write_beat_o,
    output logic                 last_write_o,
    /// Something is between its start and its last write.
    output logic                 busy_o
);
  localparam int unsigned Occupancy  = Beats * Ii + Gap;
  localparam int unsigned PhaseWidth = $clog2(Occupancy + 1);
  typedef logic [PhaseWidth-1:0] phase_t;

  // Cycles since the start; 0 when a new instruction may start.
  phase_t phase_d, phase_q;
  logic active, empty;

  assign ready_o = phase_q == '0;
  assign active  = start_i | (phase_q != '0);
  assign phase_d = (phase_q == phase_t'(Occupancy - 1)) ? '0 : phase_q + phase_t'(active);
  `RW_FF(phase_q, phase_d, '0)

  logic on_beat;
  if (Ii == 1) begin : gen_every_cycle
    assign on_beat     = 1'b1;
    assign read_beat_o = BeatWidth'(phase_q);
  end else begin : gen_every_other_cycle
    assign on_beat     = ~phase_q[0];
    assign read_beat_o = BeatWidth'(phase_q >> 1);
  end
  assign read_o      = active & on_beat & (phase_q < phase_t'(Beats * Ii));
  assign last_read_o = phase_q == phase_t'(Beats * Ii - 1);

  valid_line #(
      .Stages(Latency)
  ) i_write (
      .clk_i,
      .rst_ni,
      .valid_i(read_o),
      .valid_o(write_o),
      .empty_o(empty)
  );
  delay_line #(
      .Width(BeatWidth),
      .Stages(Latency)
  ) i_write_beat (
      .clk_i,
      .data_i(read_beat_o),
      .data_o(write_beat_o)
  );
  assign last_write_o = write_o & (write_beat_o == BeatWidth'(Beats - 1));
  assign busy_o       = (phase_q != '0 && phase_q < phase_t'(Beats * Ii)) | ~empty;

  `RW_REQUIRE(rpu_beats_sizes, Beats >= 2 && (Ii == 1 || Ii == 2) && Latency >= 1)
  `RW_ASSERT(rpu_beats_start, !start_i || ready_o)
endmodule
