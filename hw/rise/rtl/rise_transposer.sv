`include "registers.svh"
`include "assertions.svh"

/// A register array of `Words` x `Words` words that turns rows into columns.
///
/// Words move down while one group of rows enters and right while the next one does, so a group
/// leaves while the next enters and one array is enough.
/// Timing: `words_o` is column 0 of a group in the cycle in which the next group's row 0 enters, and
/// so on: `Words` shifts behind. Area: `Words`^2 words without reset, a multiplexer before each.
module rise_transposer #(
    parameter int unsigned Words = 2,
    parameter int unsigned Width = 30
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,

    /// Before the first row of the first group.
    input  logic                        clear_i,
    input  logic                        shift_i,
    input  logic [Words-1:0][Width-1:0] words_i,
    output logic [Words-1:0][Width-1:0] words_o
);
  localparam int unsigned CountWidth = $clog2(Words);
  typedef logic [CountWidth-1:0] count_t;

  // A row that enters from above lies mirrored, so that what leaves on the right starts with its
  // word 0; columns likewise.
  logic [Words-1:0][Words-1:0][Width-1:0] array_d, array_q;
  logic right_q, last;
  count_t count_d, count_q;

  assign last    = count_q == count_t'(Words - 1);
  assign count_d = (clear_i || last) ? '0 : count_q + count_t'(1);

  for (genvar i = 0; i < Words; i++) begin : gen_lane
    assign words_o[i] = right_q ? array_q[Words-1-i][Words-1] : array_q[Words-1][Words-1-i];
    for (genvar j = 0; j < Words; j++) begin : gen_word
      logic [Width-1:0] from_above, from_left;
      if (i == 0) begin : gen_top
        assign from_above = words_i[Words-1-j];
      end else begin : gen_below
        assign from_above = array_q[i-1][j];
      end
      if (j == 0) begin : gen_left
        assign from_left = words_i[Words-1-i];
      end else begin : gen_right
        assign from_left = array_q[i][j-1];
      end
      assign array_d[i][j] = right_q ? from_left : from_above;
    end
  end

  `RW_FFL(count_q, count_d, clear_i | shift_i, '0)
  `RW_FFL(right_q, ~clear_i & ~right_q, clear_i | (shift_i & last), 1'b0)
  `RW_FFLNR(array_q, array_d, shift_i)

  `RW_REQUIRE(rise_transposer_words, Words >= 2 && Words == 1 << CountWidth)
endmodule
