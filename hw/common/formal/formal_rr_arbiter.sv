`include "assertions.svh"
`include "formal.svh"
`include "registers.svh"

/// Takes words only where they are offered, never changes its mind, and lets no input wait for more
/// than `Inputs - 1` words of others.
module formal_rr_arbiter #(
    parameter int unsigned Inputs = 4,
    parameter int unsigned Width  = 2
) (
    input logic                         clk_i,
    input logic [Inputs-1:0]            valid_i,
    input logic [Inputs-1:0][Width-1:0] data_i,
    input logic                         ready_i,
    /// The input whose patience is measured.
    input logic [$clog2(Inputs)-1:0]    watched_i
);
  logic rst_ni;
  `RW_RESET_ONCE(rst_ni)

  logic [Inputs-1:0] ready;
  logic valid;
  logic [Width-1:0] data;
  logic [$clog2(Inputs)-1:0] index;
  rr_arbiter #(
      .Inputs(Inputs),
      .Width(Width)
  ) i_arbiter (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o(ready),
      .data_i,
      .valid_o(valid),
      .ready_i,
      .data_o(data),
      .index_o(index)
  );

  // Inputs keep what they offer until it is taken.
  logic [Inputs-1:0] waiting_q;
  logic [Inputs-1:0][Width-1:0] data_q;
  logic [$clog2(Inputs)-1:0] watched_q, index_q;
  logic stalled_q;
  `RW_FF(waiting_q, valid_i & ~ready, '0)
  `RW_FF(data_q, data_i, '0)
  `RW_FF(watched_q, watched_i, watched_i)
  `RW_FF(index_q, index, '0)
  `RW_FF(stalled_q, valid & ~ready_i, 1'b0)
  for (genvar i = 0; i < Inputs; i++) begin : gen_input
    `RW_ASSUME(offers_stay, !waiting_q[i] || (valid_i[i] && data_i[i] == data_q[i]))
  end
  `RW_ASSUME(watched_rests, !rst_ni || watched_i == watched_q)
  `RW_ASSUME(watched_exists, 32'(watched_i) < Inputs)

  // Words of others taken while the watched input waits.
  logic [31:0] passed_d, passed_q;
  assign passed_d = !valid_i[watched_i] || ready[watched_i] ? '0 : passed_q + 32'(valid & ready_i);
  `RW_FF(passed_q, passed_d, '0)

  `RW_ASSERT(takes_what_is_offered, (ready & ~valid_i) == '0)
  `RW_ASSERT(takes_one_when_ready, (ready != '0) == (valid && ready_i) && $onehot0(ready))
  `RW_ASSERT(offers_if_any, valid == (valid_i != '0))
  `RW_ASSERT(offers_the_winners_word, !valid || (valid_i[index] && data == data_i[index]))
  `RW_ASSERT(never_changes_its_mind, !stalled_q || (valid && index == index_q))
  `RW_ASSERT(waits_at_most_one_round, passed_q < Inputs)

  // What holds the induction together: how far the pointer is from the watched input.
  logic [31:0] distance;
  assign distance = (32'(watched_i) + Inputs - 32'(i_arbiter.pointer_q)) % Inputs;
  `RW_ASSERT(pointer_exists, 32'(i_arbiter.pointer_q) < Inputs)
  `RW_ASSERT(pointer_comes_closer, passed_q == '0 || passed_q + distance < Inputs)
  `RW_ASSERT(pointer_rests, !stalled_q || (i_arbiter.pointer_q == index_q && waiting_q[index_q]))
  `RW_ASSERT(passed_while_waiting, passed_q == '0 || waiting_q[watched_i])
endmodule
