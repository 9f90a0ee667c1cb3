`include "registers.svh"

/// Data a number of cycles later.
///
/// Timing: `data_o` is `data_i` of `Stages` cycles ago; 0 is a wire. Area: `Stages` words of
/// flip-flops without reset: what comes out in the first cycles is anything.
module delay_line #(
    parameter int unsigned Width  = 8,
    parameter int unsigned Stages = 1,
    parameter type         data_t = logic [Width-1:0]
) (
    input  logic  clk_i,
    input  data_t data_i,
    output data_t data_o
);
  data_t [Stages:0] stage /* verilator split_var */;
  assign stage[0] = data_i;
  for (genvar i = 0; i < Stages; i++) begin : gen_stage
    data_t data_q;
    `RW_FFNR(data_q, stage[i])
    assign stage[i+1] = data_q;
  end
  assign data_o = stage[Stages];

  // Without stages there is no register to clock.
  if (Stages == 0) begin : gen_wire
    logic unused_clk;
    assign unused_clk = clk_i;
  end
endmodule
