`include "registers.svh"
`include "assertions.svh"

/// The valid bit beside a rigid pipeline: a number of cycles later, 0 after reset.
///
/// Timing: `valid_o` is `valid_i` of `Stages` cycles ago; `empty_o` says that none is inside.
module valid_line #(
    parameter int unsigned Stages = 1
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic valid_i,
    output logic valid_o,
    output logic empty_o
);
  logic [Stages-1:0] valid_d, valid_q;
  assign valid_d = Stages'({valid_q, valid_i});
  `RW_FF(valid_q, valid_d, '0)
  assign valid_o = valid_q[Stages-1];
  assign empty_o = valid_q == '0;

  `RW_REQUIRE(valid_line_stages, Stages >= 1)
endmodule
