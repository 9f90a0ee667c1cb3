`include "registers.svh"
`include "assertions.svh"

/// Merges several streams into one, in turn.
///
/// Of the inputs that offer a word, the first at or after the pointer wins; once its word is taken
/// the pointer stands behind it, so a waiting input sees at most `Inputs - 1` other words pass.
/// While the output stalls the pointer rests on the winner: what is offered never changes.
/// Timing: no register in the path; `valid_o` and `data_o` depend on `valid_i`, `ready_o` on
/// `valid_i` and `ready_i`, in the same cycle. Area: two priority encoders and a multiplexer.
module rr_arbiter #(
    parameter int unsigned Inputs = 4,
    parameter int unsigned Width  = 8,
    parameter type         data_t = logic [Width-1:0],
    localparam int unsigned IndexWidth = (Inputs > 1) ? $clog2(Inputs) : 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,

    input  logic  [Inputs-1:0]     valid_i,
    output logic  [Inputs-1:0]     ready_o,
    input  data_t [Inputs-1:0]     data_i,

    output logic                   valid_o,
    input  logic                   ready_i,
    output data_t                  data_o,
    /// Which input `data_o` comes from; only with `valid_o`.
    output logic  [IndexWidth-1:0] index_o
);
  typedef logic [IndexWidth-1:0] index_t;

  index_t pointer_d, pointer_q, winner;

  // The lowest input offers; an input at or after the pointer comes first.
  always_comb begin
    winner = '0;
    for (int i = Inputs - 1; i >= 0; i--) begin
      if (valid_i[i]) winner = index_t'(i);
    end
    for (int i = Inputs - 1; i >= 0; i--) begin
      if (valid_i[i] && index_t'(i) >= pointer_q) winner = index_t'(i);
    end
  end

  always_comb begin
    ready_o         = '0;
    ready_o[winner] = valid_o & ready_i;
  end

  assign valid_o = |valid_i;
  assign data_o  = data_i[winner];
  assign index_o = winner;

  always_comb begin
    pointer_d = winner;
    if (ready_i) pointer_d = (winner == index_t'(Inputs - 1)) ? '0 : winner + index_t'(1);
  end

  `RW_FFL(pointer_q, pointer_d, valid_o, '0)

  `RW_REQUIRE(rr_arbiter_inputs, Inputs >= 1)
  `RW_ASSERT(rr_arbiter_takes_one, $onehot0(ready_o))
endmodule
