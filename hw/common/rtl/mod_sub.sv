/// a - b modulo q, for a, b below q.
///
/// Timing: combinational, two carry chains in a row (difference, then difference + q) and a
/// multiplexer.
module mod_sub #(
    parameter int unsigned Width = 30
) (
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    input  logic [Width-1:0] modulus_i,
    output logic [Width-1:0] difference_o
);
  logic [Width-1:0] difference;
  logic below;

  assign {below, difference} = {1'b0, a_i} - {1'b0, b_i};
  assign difference_o        = below ? difference + modulus_i : difference;
endmodule
