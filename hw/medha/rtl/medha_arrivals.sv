`include "registers.svh"

/// What the ring brings to an RPAU: rows of one tower after the other, in order. A `receive` says of each
/// tower whether it is put into a slot behind the ring, whether it goes on, or both.
///
/// The `receive` begins (`begin_i`) with the first row, `wants_o`; if none is at hand, the row is lost and
/// `lost_o` tells. Timing: a row is written, and goes on, in the cycle in which it comes; `done_o` is 1
/// with the last.
module medha_arrivals
  import medha_pkg::*;
#(
    parameter int unsigned RowWidth = 6
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [RowWidth-1:0] last_row_i,

    input  logic                row_i,
    output logic                wants_o,
    input  logic                at_hand_i,
    input  logic                begin_i,
    input  held_t               slot_i,
    input  logic                takes_i,
    input  logic                passes_i,

    output logic                write_o,
    output held_t               slot_o,
    output logic [RowWidth-1:0] write_row_o,
    output logic                pass_o,
    output logic                done_o,
    /// The tower that is done was taken.
    output logic                taken_o,
    output logic                lost_o
);
  logic active_d, active_q, takes_q, passes_q;
  logic [RowWidth-1:0] row_d, row_q;
  held_t slot_q;
  assign wants_o     = row_i && !active_q;
  assign lost_o      = wants_o && !at_hand_i;
  assign write_o     = begin_i ? takes_i : row_i && active_q && takes_q;
  assign pass_o      = begin_i ? passes_i : row_i && active_q && passes_q;
  assign slot_o      = begin_i ? slot_i : slot_q;
  assign write_row_o = begin_i ? '0 : row_q;
  assign done_o      = active_q && row_i && row_q == last_row_i;
  assign taken_o     = takes_q;
  `RW_FFLNR(takes_q, takes_i, begin_i)
  `RW_FFLNR(passes_q, passes_i, begin_i)
  `RW_FFLNR(slot_q, slot_i, begin_i)
  always_comb begin
    active_d = active_q;
    row_d    = row_q;
    if (begin_i) begin
      active_d = 1'b1;
      row_d    = RowWidth'(1);
    end else if (active_q && row_i) begin
      active_d = !done_o;
      row_d    = row_q + 1'b1;
    end
  end
  `RW_FF(active_q, active_d, 1'b0)
  `RW_FF(row_q, row_d, '0)
endmodule
