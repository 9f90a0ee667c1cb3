`include "assertions.svh"
`include "formal.svh"
`include "registers.svh"

/// A row that enters a link, of the RPAU's own or one that goes on, comes out after the link's cycles, as
/// it was; at the RPAU behind it, it is written or goes on again, in its place. Where it would be lost,
/// something says so.
///
/// One row is chosen freely and followed through. Towers have `Rows` rows.
module formal_medha_ring
  import medha_pkg::*;
#(
    parameter int unsigned Cycles = 3,
    parameter int unsigned Rows   = 3
) (
    input logic       clk_i,
    input logic       pass_i,
    input logic [1:0] pass_data_i,
    input logic       own_i,
    input logic [1:0] own_data_i,
    input logic       follow_i,
    /// What the RPAU behind is told.
    input logic       at_hand_i,
    input logic       allowed_i,
    input logic       takes_i,
    input logic       passes_i
);
  localparam int unsigned RowWidth = $clog2(Rows);
  logic rst_ni;
  `RW_RESET_ONCE(rst_ni)

  logic out, wrong;
  logic [1:0] data;
  medha_link #(
      .Width(2),
      .Cycles(Cycles)
  ) i_link (
      .clk_i,
      .rst_ni,
      .pass_i,
      .pass_data_i,
      .own_i,
      .own_data_i,
      .valid_o(out),
      .data_o(data),
      .wrong_o(wrong)
  );

  // ---- The row that is followed: how long it has been on its way.
  logic chosen_d, chosen_q, came, clash_q;
  logic [$clog2(Cycles+2)-1:0] age_d, age_q;
  logic [1:0] word_q;
  assign chosen_d = chosen_q || (follow_i && (pass_i || own_i) && rst_ni);
  assign age_d    = (chosen_q && age_q != '1) ? age_q + 1'b1 :
                    (chosen_d && !chosen_q) ? (own_i && !pass_i ? 2 : 1) : age_q;
  `RW_FF(chosen_q, chosen_d, 1'b0)
  `RW_FF(age_q, age_d, '0)
  `RW_FFL(word_q, pass_i ? pass_data_i : own_data_i, !chosen_q, '0)
  `RW_FF(clash_q, wrong | clash_q, 1'b0)
  // In this cycle it is due.
  assign came = chosen_q && 32'(age_q) == Cycles;
  if (Cycles > 1) begin : gen_arrives
    `RW_ASSERT(row_arrives_as_it_was, !came || clash_q || (out && data == word_q))
  end

  // ---- The RPAU behind the link.
  logic wants, begins, write, pass, done, taken, lost;
  logic [RowWidth-1:0] row;
  held_t slot;
  assign begins = wants && at_hand_i && allowed_i;
  medha_arrivals #(
      .RowWidth(RowWidth)
  ) i_arrivals (
      .clk_i,
      .rst_ni,
      .last_row_i(RowWidth'(Rows - 1)),
      .row_i(out),
      .wants_o(wants),
      .at_hand_i,
      .begin_i(begins),
      .slot_i('1),
      .takes_i,
      .passes_i,
      .write_o(write),
      .slot_o(slot),
      .write_row_o(row),
      .pass_o(pass),
      .done_o(done),
      .taken_o(taken),
      .lost_o(lost)
  );
  // A `receive` does something with its tower.
  `RW_ASSUME(does_something, takes_i || passes_i)
  `RW_ASSERT(arrival_is_never_lost_silently, !out || write || pass || lost || (wants && !allowed_i))
  `RW_ASSERT(nothing_comes_of_nothing, out || !(write || pass || done || lost))
  `RW_ASSERT(in_a_tower_it_does_what_was_said,
             !i_arrivals.active_q || (i_arrivals.takes_q || i_arrivals.passes_q))
  // Rows of a tower are numbered through, and the last one ends it.
  logic [RowWidth-1:0] next_d, next_q;
  assign next_d = (out && (begins || i_arrivals.active_q)) ? (done ? '0 : row + 1'b1) : next_q;
  `RW_FF(next_q, next_d, '0)
  `RW_ASSERT(rows_in_order, !write || row == next_q)
  `RW_ASSERT(counts_alike, i_arrivals.active_q ? i_arrivals.row_q == next_q : next_q == '0)
  `RW_ASSERT(ends_with_the_last, !done || 32'(row) == Rows - 1)
  `RW_ASSERT(within_a_tower, 32'(next_q) < Rows)

  logic unused;
  assign unused = ^{slot, taken};
endmodule
