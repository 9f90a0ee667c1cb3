`include "assertions.svh"
`include "registers.svh"

/// Cuts bursts into lines, which have two identifiers in turn, and brings what is answered into the order of
/// the bursts: a port that does one transfer of each identifier at a time does two.
///
/// A line is asked for when there is room for all its answers, so none of them waits. Timing: a line a cycle, the
/// first one cycle after its burst; an answer can leave one cycle after it came.
module soc_lines
  import soc_pkg::*;
#(
    /// Of an answer.
    parameter int unsigned Width      = 66,
    /// The most that a line has.
    parameter int unsigned Answers    = 8,
    /// Beats of a line, each of eight bytes.
    localparam int unsigned LineBeats = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             burst_valid_i,
    output logic             burst_ready_o,
    input  logic [63:0]      burst_addr_i,
    input  narrow_length_t   burst_len_i,

    output logic             line_valid_o,
    input  logic             line_ready_i,
    output logic             line_id_o,
    output logic [63:0]      line_addr_o,
    output narrow_length_t   line_len_o,

    input  logic             valid_i,
    input  logic             id_i,
    /// Of those of a line.
    input  logic             last_i,
    input  logic [Width-1:0] data_i,

    output logic             valid_o,
    input  logic             ready_i,
    /// Of those of a burst's last line.
    output logic             end_o,
    output logic             last_o,
    output logic [Width-1:0] data_o
);
  // Of each identifier, on their way or waiting here.
  localparam int unsigned Lines = 2;

  // ---- A burst, and its lines: what of it has not been asked for.
  localparam int unsigned CountWidth = $bits(narrow_length_t) + 1;
  typedef logic [CountWidth-1:0] count_t;
  logic [63:0] addr_q;
  count_t left_q, to_end, beats;
  logic taken, is_end, asked, id_q, room, has_place;
  assign burst_ready_o = left_q == '0;
  assign taken         = burst_valid_i & burst_ready_o;
  `RW_FFL(left_q, taken ? count_t'(burst_len_i) + count_t'(1) : left_q - beats, taken | asked, '0)
  `RW_FFLNR(addr_q, taken ? burst_addr_i : addr_q + (64'(beats) << 3), taken | asked)
  assign to_end       = count_t'(LineBeats) - count_t'(addr_q[3+:$clog2(LineBeats)]);
  assign is_end       = left_q <= to_end;
  assign beats        = is_end ? left_q : to_end;
  assign line_addr_o  = addr_q;
  assign line_len_o   = narrow_length_t'(beats - count_t'(1));
  assign line_id_o    = id_q;
  assign line_valid_o = left_q != '0 && room;
  assign asked        = line_valid_o & line_ready_i;
  `RW_FFL(id_q, ~id_q, asked, 1'b0)

  // ---- Lines in order: whose turn it is, and whether a burst ends with it.
  logic turn_q, gone, has_line;
  logic [1:0] has, has_places, last;
  logic [1:0][Width-1:0] data;
  logic [1:0][1:0] lines_q;
  logic [$clog2(2*Lines+1)-1:0] unused_lines;
  assign gone = valid_o & ready_i & last_o;
  `RW_FFL(turn_q, ~turn_q, gone, 1'b0)
  assign room = lines_q[id_q] != 2'(Lines);
  fifo #(
      .Width(1),
      .Depth(2 * Lines)
  ) i_ends (
      .clk_i,
      .rst_ni,
      .valid_i(asked),
      .ready_o(has_place),
      .data_i(is_end),
      .valid_o(has_line),
      .ready_i(gone),
      .data_o(end_o),
      .usage_o(unused_lines)
  );
  for (genvar id = 0; id < 2; id++) begin : gen_id
    logic [$clog2(Lines*Answers+1)-1:0] unused_usage;
    fifo #(
        .Width(Width + 1),
        .Depth(Lines * Answers)
    ) i_answers (
        .clk_i,
        .rst_ni,
        .valid_i(valid_i & (id_i == 1'(id))),
        .ready_o(has_places[id]),
        .data_i({data_i, last_i}),
        .valid_o(has[id]),
        .ready_i(ready_i & (turn_q == 1'(id))),
        .data_o({data[id], last[id]}),
        .usage_o(unused_usage)
    );
    `RW_FF(lines_q[id], lines_q[id] + 2'(asked & (id_q == 1'(id))) - 2'(gone & (turn_q == 1'(id))), '0)
  end
  assign valid_o = has[turn_q];
  assign last_o  = last[turn_q];
  assign data_o  = data[turn_q];

  `RW_ASSERT(soc_lines_room, !valid_i || has_places[id_i])
  `RW_ASSERT(soc_lines_places, !asked || has_place)
  `RW_ASSERT(soc_lines_asked, !valid_o || has_line)
endmodule
