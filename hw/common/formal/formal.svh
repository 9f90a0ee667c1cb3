// What a proof takes for granted about the inputs of the design.
`ifndef RW_FORMAL_SVH
`define RW_FORMAL_SVH

`define RW_ASSUME(name, property)               \
  always_ff @(posedge clk_i) begin : name       \
    assume (property);                          \
  end

// A reset in the first cycle and never again.
`define RW_RESET_ONCE(reset_n)                  \
  initial reset_n = 1'b0;                       \
  always_ff @(posedge clk_i) begin              \
    reset_n <= 1'b1;                            \
  end

`endif
