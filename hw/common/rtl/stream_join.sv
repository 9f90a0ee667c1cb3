`include "assertions.svh"

/// Waits for one word from each of several streams and takes them together.
///
/// Timing and area: one AND gate each way, no register; `ready_o` depends on `valid_i` and
/// `ready_i` in the same cycle. The data are not ported through: read them beside the join.
module stream_join #(
    parameter int unsigned Inputs = 2
) (
    input  logic [Inputs-1:0] valid_i,
    output logic [Inputs-1:0] ready_o,

    output logic              valid_o,
    input  logic              ready_i
);
  assign valid_o = &valid_i;
  assign ready_o = {Inputs{valid_o & ready_i}};

  `RW_REQUIRE(stream_join_inputs, Inputs >= 1)
endmodule
