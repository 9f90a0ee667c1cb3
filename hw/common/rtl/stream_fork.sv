`include "registers.svh"
`include "assertions.svh"

/// Gives every word of a stream to each of several streams.
///
/// The outputs may take a word in different cycles; the input is accepted in the cycle in which the
/// last of them takes it. Timing: no register in the path of the data; `valid_o` depends on
/// `valid_i`, `ready_o` on `ready_i`, in the same cycle. Area: one flip-flop per output.
/// The data are not ported through: connect them to every output beside the fork.
module stream_fork #(
    parameter int unsigned Outputs = 2
) (
    input  logic               clk_i,
    input  logic               rst_ni,

    input  logic               valid_i,
    output logic               ready_o,

    output logic [Outputs-1:0] valid_o,
    input  logic [Outputs-1:0] ready_i
);
  // Outputs that took the present word in an earlier cycle.
  logic [Outputs-1:0] taken_d, taken_q;

  assign valid_o = {Outputs{valid_i}} & ~taken_q;
  assign ready_o = &(ready_i | taken_q);
  assign taken_d = ready_o ? '0 : taken_q | (valid_o & ready_i);

  `RW_FFL(taken_q, taken_d, valid_i, '0)

  `RW_REQUIRE(stream_fork_outputs, Outputs >= 1)
endmodule
