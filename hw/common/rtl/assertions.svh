// Assertions, checked on every rising edge outside reset, in simulation and in proofs.
// The synthesis tool defines SYNTHESIS and sees nothing of them.
//
// A concurrent assertion would read the asynchronous reset as if it were data, and not every tool
// takes one; an immediate assertion in a process shaped like a register's does neither.
`ifndef RW_ASSERTIONS_SVH
`define RW_ASSERTIONS_SVH

`ifdef SYNTHESIS
`define RW_ASSERT(name, property)
`else
`define RW_ASSERT(name, property)                             \
  always_ff @(posedge clk_i or negedge rst_ni) begin : name   \
    if (!rst_ni) begin end                                    \
    else begin                                                \
      assert (property) else $error("%s", `"name: property`"); \
    end                                                       \
  end
`endif

// A parameter outside its range stops elaboration.
`define RW_REQUIRE(name, property)                            \
  if (!(property)) begin : name                               \
    $fatal(1, "%s", `"name: property`");                      \
  end

`endif
