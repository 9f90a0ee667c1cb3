`include "registers.svh"
`include "assertions.svh"

/// First in, first out: `Depth` words in registers.
///
/// Timing: a word can leave one cycle after it entered; one word a cycle in and out. `ready_o` and
/// `valid_o` depend on registers only, so a full FIFO accepts again one cycle after a word left.
/// Area: `Depth` words of flip-flops without reset, one `Depth`-to-1 multiplexer. Any depth from 1;
/// a depth that is not a power of two pays a comparison per pointer.
module fifo #(
    parameter int unsigned Depth  = 4,
    parameter int unsigned Width  = 8,
    parameter type         data_t = logic [Width-1:0],
    localparam int unsigned UsageWidth = $clog2(Depth + 1)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,

    input  logic                  valid_i,
    output logic                  ready_o,
    input  data_t                 data_i,

    output logic                  valid_o,
    input  logic                  ready_i,
    output data_t                 data_o,

    /// Words inside.
    output logic [UsageWidth-1:0] usage_o
);
  localparam int unsigned IndexWidth = (Depth > 1) ? $clog2(Depth) : 1;
  typedef logic [IndexWidth-1:0] index_t;

  data_t [Depth-1:0] words_q;
  index_t write_d, write_q, read_d, read_q;
  logic [UsageWidth-1:0] usage_d, usage_q;
  logic push, pop;

  function automatic index_t next(index_t index);
    return (index == index_t'(Depth - 1)) ? '0 : index + index_t'(1);
  endfunction

  assign ready_o = usage_q != UsageWidth'(Depth);
  assign valid_o = usage_q != '0;
  assign data_o  = words_q[read_q];
  assign usage_o = usage_q;

  assign push    = valid_i & ready_o;
  assign pop     = valid_o & ready_i;
  assign write_d = next(write_q);
  assign read_d  = next(read_q);
  assign usage_d = usage_q + UsageWidth'(push) - UsageWidth'(pop);

  `RW_FFL(write_q, write_d, push, '0)
  `RW_FFL(read_q, read_d, pop, '0)
  `RW_FF(usage_q, usage_d, '0)
  `RW_FFLNR(words_q[write_q], data_i, push)

  `RW_REQUIRE(fifo_depth, Depth >= 1)
endmodule
