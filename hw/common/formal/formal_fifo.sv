`include "assertions.svh"
`include "formal.svh"
`include "registers.svh"

/// Whatever is pushed leaves, once and in order; the fifo never holds more than its depth.
///
/// One word is chosen freely among all that are pushed and followed through: how many are ahead of
/// it, and where it lies.
module formal_fifo #(
    parameter int unsigned Depth = 3,
    parameter int unsigned Width = 4
) (
    input logic             clk_i,
    input logic             valid_i,
    input logic [Width-1:0] data_i,
    input logic             ready_i,
    /// Follows the word that is pushed in this cycle, if none was followed before.
    input logic             follow_i
);
  localparam int unsigned UsageWidth = $clog2(Depth + 1);

  logic rst_ni;
  `RW_RESET_ONCE(rst_ni)

  logic ready, valid, push, pop;
  logic [Width-1:0] data;
  logic [UsageWidth-1:0] usage;
  fifo #(
      .Depth(Depth),
      .Width(Width)
  ) i_fifo (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o(ready),
      .data_i,
      .valid_o(valid),
      .ready_i,
      .data_o(data),
      .usage_o(usage)
  );
  assign push = valid_i & ready;
  assign pop  = valid & ready_i;

  logic chosen_q, inside_d, inside_q, start, leave;
  logic [Width-1:0] word_q;
  logic [UsageWidth-1:0] ahead_d, ahead_q;
  assign start    = push & follow_i & ~chosen_q;
  assign leave    = pop & inside_q & (ahead_q == '0);
  assign inside_d = start | (inside_q & ~leave);
  assign ahead_d  = start ? usage - UsageWidth'(pop) : ahead_q - UsageWidth'(pop);
  `RW_FF(chosen_q, chosen_q | start, 1'b0)
  `RW_FF(inside_q, inside_d, 1'b0)
  `RW_FFL(word_q, data_i, start, '0)
  `RW_FFL(ahead_q, ahead_d, start | pop, '0)

  `RW_ASSERT(never_overflows, 32'(usage) <= Depth)
  `RW_ASSERT(counts, (valid == (usage != '0)) && (ready == (32'(usage) != Depth)))
  `RW_ASSERT(never_loses, !inside_q || ahead_q < usage)
  `RW_ASSERT(leaves_as_it_came, !leave || data == word_q)

  // What holds the induction together: the pointers and the place of the followed word.
  logic [31:0] place;
  assign place = (32'(i_fifo.read_q) + 32'(ahead_q)) % Depth;
  `RW_ASSERT(pointers, 32'(i_fifo.read_q) < Depth && 32'(i_fifo.write_q) < Depth)
  `RW_ASSERT(distance, (32'(i_fifo.read_q) + 32'(usage)) % Depth == 32'(i_fifo.write_q))
  `RW_ASSERT(lies_there, !inside_q || i_fifo.words_q[place] == word_q)
endmodule
