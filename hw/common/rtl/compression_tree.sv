/// Many rows into two with the same sum modulo 2^`Width`: levels of full adders (Wallace, 1964), three
/// rows into two in each, registers between them.
///
/// Timing: `pipeline_pkg::tree_units(Rows)` units from `First` on of a chain of `Total` units with
/// `Stages` registers. Area: a full adder for every bit that disappears.
module compression_tree
  import pipeline_pkg::*;
#(
    parameter int unsigned Rows   = 8,
    parameter int unsigned Width  = 16,
    parameter int unsigned First  = 0,
    parameter int unsigned Total  = tree_units(Rows),
    parameter int unsigned Stages = 0
) (
    input  logic             clk_i,
    input  logic [Width-1:0] rows_i[Rows],
    output logic [Width-1:0] sum_o,
    output logic [Width-1:0] carry_o
);
  localparam int unsigned Levels = tree_levels(Rows);

  for (genvar l = 0; l <= Levels; l++) begin : gen_level
    localparam int unsigned Count = rows_left(Rows, l);
    logic [Width-1:0] rows[Count];
    if (l == 0) begin : gen_given
      assign rows = rows_i;
    end else begin : gen_added
      // Tools look into this branch for l = 0 too.
      localparam int unsigned Last   = (l > 0) ? l - 1 : 0;
      localparam int unsigned Before = rows_left(Rows, Last);
      localparam int unsigned Behind =
          registers(First + AdderUnits * Last, First + AdderUnits * l, Total, Stages);
      for (genvar g = 0; g < Before / 3; g++) begin : gen_adders
        logic [Width-1:0] x, y, z;
        assign x = gen_level[Last].rows[3*g];
        assign y = gen_level[Last].rows[3*g+1];
        assign z = gen_level[Last].rows[3*g+2];
        delay_line #(
            .Width(Width),
            .Stages(Behind)
        ) i_sum (
            .clk_i,
            .data_i(x ^ y ^ z),
            .data_o(rows[2*g])
        );
        delay_line #(
            .Width(Width),
            .Stages(Behind)
        ) i_carry (
            .clk_i,
            .data_i(((x & y) | (z & (x ^ y))) << 1),
            .data_o(rows[2*g+1])
        );
      end
      for (genvar r = 0; r < Before % 3; r++) begin : gen_passed
        delay_line #(
            .Width(Width),
            .Stages(Behind)
        ) i_row (
            .clk_i,
            .data_i(gen_level[Last].rows[Before/3*3+r]),
            .data_o(rows[Before/3*2+r])
        );
      end
    end
  end

  assign sum_o = gen_level[Levels].rows[0];
  if (rows_left(Rows, Levels) == 2) begin : gen_two
    assign carry_o = gen_level[Levels].rows[1];
  end else begin : gen_one
    assign carry_o = '0;
  end
endmodule
