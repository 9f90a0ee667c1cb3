`include "registers.svh"
`include "assertions.svh"

/// A dyadic operation on towers: a row of every bank at a time, word by word, as `medha_dyadic_lane`
/// computes it. All operands and the result lie alike in their banks, so lane i is of bank i.
///
/// An operand's row is read in its turn: operands in one memory, which has one port to read, have
/// turns of their own, those in others share one. A row takes `turns_i + 1` cycles; the words of the
/// earlier turns wait in registers.
///
/// Timing: turn t of row r is read in cycle (turns_i + 1) r + t, from the cycle after `start_i` on; its
/// words come in the next cycle; the result is written `MulStages + 3` cycles after the last turn's
/// read. `done_o` is 1 in the cycle of the last write. All inputs but words and constant are taken with
/// `start_i`, which waits for `busy_o` to be 0; the constant and its half are those of the cycles in which
/// words are inside.
module medha_dyadic_core
  import medha_pkg::*;
#(
    parameter int unsigned Banks     = 4,
    parameter int unsigned RowWidth  = 6,
    parameter int unsigned Width     = 30,
    parameter int unsigned MulStages = 8,
    parameter string       Products  = "Compressed",
    localparam int unsigned Operands        = 3,
    localparam int unsigned ReciprocalWidth = Width + 3,
    localparam int unsigned ShiftWidth      = $clog2(Width)
) (
    input  logic                                       clk_i,
    input  logic                                       rst_ni,

    input  logic [Width-1:0]                           modulus_i,
    input  logic [ReciprocalWidth-1:0]                 reciprocal_i,
    input  logic [ShiftWidth-1:0]                      shift_i,

    input  logic                                       start_i,
    input  function_t                                  function_i,
    input  logic [Width-1:0]                           constant_i,
    input  logic [Width-1:0]                           half_i,
    /// The last row of a tower.
    input  logic [RowWidth-1:0]                        last_row_i,
    /// The turn of each operand, and the last turn.
    input  logic [Operands-1:0][1:0]                   turn_i,
    input  logic [1:0]                                 turns_i,
    output logic                                       busy_o,
    output logic                                       done_o,

    output logic [Operands-1:0]                        read_o,
    output logic [RowWidth-1:0]                        read_row_o,
    input  logic [Operands-1:0][Banks-1:0][Width-1:0]  read_data_i,

    output logic                                       write_o,
    output logic [RowWidth-1:0]                        write_row_o,
    output logic [Banks-1:0][Width-1:0]                write_data_o
);
  localparam int unsigned Inside = MulStages + 2;

  logic busy_d, busy_q;
  logic [RowWidth-1:0] row_d, row_q, last_row_q;
  logic [1:0] at_d, at_q, turns_q;
  logic [Operands-1:0][1:0] turn_q;
  function_t function_q;
  logic ends_row, ends;
  assign ends_row = at_q == turns_q;
  assign ends     = ends_row && row_q == last_row_q;
  always_comb begin
    busy_d = busy_q;
    row_d  = row_q;
    at_d   = at_q;
    if (start_i) begin
      busy_d = 1'b1;
      row_d  = '0;
      at_d   = '0;
    end else if (busy_q) begin
      busy_d = !ends;
      at_d   = ends_row ? '0 : at_q + 1'b1;
      row_d  = ends_row ? row_q + 1'b1 : row_q;
    end
  end
  `RW_FF(busy_q, busy_d, 1'b0)
  `RW_FF(row_q, row_d, '0)
  `RW_FF(at_q, at_d, '0)
  `RW_FFLNR(last_row_q, last_row_i, start_i)
  `RW_FFLNR(turns_q, turns_i, start_i)
  `RW_FFLNR(turn_q, turn_i, start_i)
  `RW_FFLNR(function_q, function_i, start_i)

  for (genvar i = 0; i < Operands; i++) begin : gen_read
    assign read_o[i] = busy_q && at_q == turn_q[i];
  end
  assign read_row_o = row_q;
  assign busy_o     = busy_q;

  // A cycle later: words of earlier turns are kept, those of the last go on.
  logic [Operands-1:0] came_q;
  logic whole_q, last_q;
  logic [RowWidth-1:0] row_came_q;
  logic [Operands-1:0][Banks-1:0][Width-1:0] kept_q, words;
  `RW_FF(came_q, read_o, '0)
  `RW_FF(whole_q, busy_q && ends_row, 1'b0)
  `RW_FFNR(last_q, ends)
  `RW_FFNR(row_came_q, row_q)
  for (genvar i = 0; i < Operands; i++) begin : gen_words
    `RW_FFLNR(kept_q[i], read_data_i[i], came_q[i])
    assign words[i] = came_q[i] ? read_data_i[i] : kept_q[i];
  end

  logic [Banks-1:0] made;
  for (genvar b = 0; b < Banks; b++) begin : gen_lane
    medha_dyadic_lane #(
        .Width(Width),
        .MulStages(MulStages),
        .Products(Products)
    ) i_lane (
        .clk_i,
        .rst_ni,
        .modulus_i,
        .reciprocal_i,
        .shift_i,
        .constant_i,
        .half_i,
        .function_i(function_q),
        .valid_i(whole_q),
        .a_i(words[0][b]),
        .b_i(words[1][b]),
        .c_i(words[2][b]),
        .valid_o(made[b]),
        .result_o(write_data_o[b])
    );
  end
  logic last;
  delay_line #(
      .Width(RowWidth + 1),
      .Stages(Inside)
  ) i_row (
      .clk_i,
      .data_i({last_q, row_came_q}),
      .data_o({last, write_row_o})
  );
  assign write_o = made[0];
  assign done_o  = made[0] && last;
  if (Banks > 1) begin : gen_alike
    logic unused_made;
    assign unused_made = ^made[Banks-1:1];
  end

  `RW_REQUIRE(medha_dyadic_core_banks, Banks >= 1)
  `RW_ASSERT(medha_dyadic_core_start, !start_i || !busy_q)
endmodule
