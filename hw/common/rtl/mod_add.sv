/// a + b modulo q, for a, b below q.
///
/// Timing: combinational, two carry chains in a row (sum, then sum - q) and a multiplexer.
module mod_add #(
    parameter int unsigned Width = 30
) (
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    input  logic [Width-1:0] modulus_i,
    output logic [Width-1:0] sum_o
);
  logic [Width:0] sum, reduced;
  logic below;

  assign sum              = {1'b0, a_i} + {1'b0, b_i};
  assign {below, reduced} = {1'b0, sum} - {2'b0, modulus_i};
  assign sum_o            = Width'(below ? sum : reduced);
endmodule
