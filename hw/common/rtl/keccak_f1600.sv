`include "registers.svh"
`include "assertions.svh"

/// The permutation Keccak-f[1600] (FIPS 202), `RoundsPerCycle` of its 24 rounds a cycle.
///
/// Timing: `valid_o` exactly `24 / RoundsPerCycle` cycles after a state was accepted, one
/// permutation each `24 / RoundsPerCycle` cycles: a new state is accepted in the cycle in which the
/// result leaves, so `ready_o` depends on `ready_i`. The input goes straight into the first round.
/// Area: one state register of 1600 flip-flops without reset and `RoundsPerCycle` copies of
/// `keccak_round`; the path through them bounds the clock.
module keccak_f1600 #(
    parameter int unsigned RoundsPerCycle = 1
) (
    input  logic          clk_i,
    input  logic          rst_ni,

    input  logic          valid_i,
    output logic          ready_o,
    input  logic [1599:0] state_i,

    output logic          valid_o,
    input  logic          ready_i,
    output logic [1599:0] state_o
);
  localparam int unsigned Rounds = 24;
  localparam int unsigned Cycles = Rounds / RoundsPerCycle;
  localparam int unsigned CountWidth = $clog2(Cycles + 1);
  typedef logic [CountWidth-1:0] count_t;

  localparam logic [Rounds-1:0][63:0] RoundConstant = {
    64'h8000000080008008, 64'h0000000080000001, 64'h8000000000008080, 64'h8000000080008081,
    64'h800000008000000a, 64'h000000000000800a, 64'h8000000000000080, 64'h8000000000008002,
    64'h8000000000008003, 64'h8000000000008089, 64'h800000000000008b, 64'h000000008000808b,
    64'h000000008000000a, 64'h0000000080008009, 64'h0000000000000088, 64'h000000000000008a,
    64'h8000000000008009, 64'h8000000080008081, 64'h0000000080000001, 64'h000000000000808b,
    64'h8000000080008000, 64'h800000000000808a, 64'h0000000000008082, 64'h0000000000000001
  };

  // Cycles done: 0 is idle, Cycles is a result that waits.
  count_t done_d, done_q;
  logic accept, work;
  logic [1599:0] state_q;
  logic [RoundsPerCycle:0][1599:0] round /* verilator split_var */;

  assign valid_o = done_q == count_t'(Cycles);
  assign ready_o = done_q == '0 || (valid_o && ready_i);
  assign accept  = valid_i & ready_o;
  assign work    = accept || (done_q != '0 && !valid_o);
  assign state_o = state_q;

  always_comb begin
    done_d = done_q;
    if (accept) done_d = count_t'(1);
    else if (work) done_d = done_q + count_t'(1);
    else if (ready_i) done_d = '0;
  end

  assign round[0] = accept ? state_i : state_q;
  for (genvar i = 0; i < RoundsPerCycle; i++) begin : gen_round
    logic [63:0] constant;
    always_comb begin
      constant = RoundConstant[i];
      for (int unsigned cycle = 1; cycle < Cycles; cycle++) begin
        if (!accept && done_q == count_t'(cycle)) begin
          constant = RoundConstant[cycle*RoundsPerCycle+i];
        end
      end
    end
    keccak_round i_round (
        .state_i(round[i]),
        .constant_i(constant),
        .state_o(round[i+1])
    );
  end

  `RW_FF(done_q, done_d, '0)
  `RW_FFLNR(state_q, round[RoundsPerCycle], work)

  `RW_REQUIRE(keccak_f1600_rounds_per_cycle, RoundsPerCycle >= 1 && Rounds % RoundsPerCycle == 0)
endmodule
