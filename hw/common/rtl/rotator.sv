/// Words turned in a circle: word i of the result is word (i + `turn_i`) mod `Words`, or, where `Back`,
/// word (i - `turn_i`) mod `Words`.
///
/// Timing: combinational, a multiplexer of two a bit of the turn. Area: as many multiplexers a word.
module rotator #(
    /// A power of two.
    parameter int unsigned Words = 8,
    parameter int unsigned Width = 8,
    parameter bit          Back  = 1'b0,
    localparam int unsigned TurnWidth = $clog2(Words)
) (
    input  logic [TurnWidth-1:0]        turn_i,
    input  logic [Words-1:0][Width-1:0] data_i,
    output logic [Words-1:0][Width-1:0] data_o
);
  logic [TurnWidth:0][Words-1:0][Width-1:0] step /* verilator split_var */;
  assign step[0] = data_i;
  for (genvar s = 0; s < TurnWidth; s++) begin : gen_step
    for (genvar i = 0; i < Words; i++) begin : gen_word
      localparam int unsigned From = Back ? (i + Words - (1 << s)) % Words : (i + (1 << s)) % Words;
      assign step[s+1][i] = turn_i[s] ? step[s][From] : step[s][i];
    end
  end
  assign data_o = step[TurnWidth];
endmodule
