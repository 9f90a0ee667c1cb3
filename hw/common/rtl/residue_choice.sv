/// Of x in [-q, q) and x + q the one that lies in [0, q). Each comes as two numbers of which it is the
/// sum modulo 2^(`Width` + 1), q has `Width` bits.
///
/// Timing: `pipeline_pkg::residue_units(Width)` units from `First` on of a chain of `Total` units with
/// `Stages` registers. Area: two adders and a multiplexer.
module residue_choice
  import pipeline_pkg::*;
#(
    parameter int unsigned Width  = 30,
    parameter int unsigned First  = 0,
    parameter int unsigned Total  = residue_units(Width),
    parameter int unsigned Stages = 0
) (
    input  logic             clk_i,
    input  logic [Width:0]   x_i[2],
    input  logic [Width:0]   above_i[2],
    output logic [Width-1:0] residue_o
);
  localparam int unsigned Choose = First + adder_units(Width + 1);

  logic [Width:0] x, above;
  prefix_adder #(
      .Width(Width + 1),
      .First(First),
      .Total(Total),
      .Stages(Stages)
  ) i_x (
      .clk_i,
      .a_i(x_i[0]),
      .b_i(x_i[1]),
      .sum_o(x)
  );
  prefix_adder #(
      .Width(Width + 1),
      .First(First),
      .Total(Total),
      .Stages(Stages)
  ) i_above (
      .clk_i,
      .a_i(above_i[0]),
      .b_i(above_i[1]),
      .sum_o(above)
  );
  // The last bit of x is its sign.
  delay_line #(
      .Width(Width),
      .Stages(registers(Choose, Choose + ChoiceUnits, Total, Stages))
  ) i_residue (
      .clk_i,
      .data_i(Width'(x[Width] ? above : x)),
      .data_o(residue_o)
  );
endmodule
