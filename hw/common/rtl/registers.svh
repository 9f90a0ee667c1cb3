// Every register of Ringwright's hardware is written through one of these macros, so that reset
// and clocking stand in one place. Clock `clk_i`, asynchronous active-low reset `rst_ni`.
//
// Control gets a reset; data whose `valid` says when it counts gets none: a flip-flop without
// reset is smaller, and nothing can read it too early.
`ifndef RW_REGISTERS_SVH
`define RW_REGISTERS_SVH

// q follows d.
`define RW_FF(q, d, reset_value)                      \
  always_ff @(posedge clk_i or negedge rst_ni) begin  \
    if (!rst_ni) q <= reset_value;                    \
    else         q <= d;                              \
  end

// q follows d in cycles in which load is 1.
`define RW_FFL(q, d, load, reset_value)               \
  always_ff @(posedge clk_i or negedge rst_ni) begin  \
    if (!rst_ni)   q <= reset_value;                  \
    else if (load) q <= d;                            \
  end

// q follows d; no reset.
`define RW_FFNR(q, d)                                 \
  always_ff @(posedge clk_i) begin                    \
    q <= d;                                           \
  end

// q follows d in cycles in which load is 1; no reset.
`define RW_FFLNR(q, d, load)                          \
  always_ff @(posedge clk_i) begin                    \
    if (load) q <= d;                                 \
  end

`endif
