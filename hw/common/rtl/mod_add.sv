/// a + b modulo q, for a, b below q.
///
/// Both candidates, a + b - q and a + b, leave a level of full adders and have carries of their own.
/// Timing: `pipeline_pkg::modular_units(Width)` units from `First` on of a chain of `Total` units with
/// `Stages` registers; without registers it is combinational. Area: `residue_choice` and two full
/// adders a bit.
module mod_add
  import pipeline_pkg::*;
#(
    parameter int unsigned Width  = 30,
    parameter int unsigned First  = 0,
    parameter int unsigned Total  = modular_units(Width),
    parameter int unsigned Stages = 0
) (
    input  logic             clk_i,
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    input  logic [Width-1:0] modulus_i,
    output logic [Width-1:0] sum_o
);
  logic [Width-1:0] complement, carries;
  assign complement = ~modulus_i;
  assign carries    = (a_i & b_i) | ((a_i ^ b_i) & complement);

  // Sum and carries of either candidate; a row of carries has no bit 0: there stands the 1 that ends
  // a complement.
  logic [Width:0] x[2], above[2];
  delay_line #(
      .Width(4 * (Width + 1)),
      .Stages(registers(First, First + AdderUnits, Total, Stages))
  ) i_rows (
      .clk_i,
      .data_i({1'b1, a_i ^ b_i ^ complement, carries, 1'b1, 1'b0, a_i, 1'b0, b_i}),
      .data_o({x[0], x[1], above[0], above[1]})
  );
  residue_choice #(
      .Width(Width),
      .First(First + AdderUnits),
      .Total(Total),
      .Stages(Stages)
  ) i_choice (
      .clk_i,
      .x_i(x),
      .above_i(above),
      .residue_o(sum_o)
  );
endmodule
