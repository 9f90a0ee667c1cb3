`include "registers.svh"
`include "assertions.svh"

/// The reordering unit (permutation unit in RACE): registers between butterfly units and banks.
///
/// It collects a group, the results of four issues of P butterflies, and sends it as four half-rows:
/// the sums of the first two issues, those of the other two, then the differences of each. Two
/// groups of registers ("8 pairs of BF outputs" in RACE section IV-C3 at P = 1): one is collected
/// while the other leaves.
///
/// Timing: the first half-row leaves `Latency` cycles after the fourth issue came, 0 being the same
/// cycle, for it needs only what came before; then one each cycle. `data_o` is a multiplexer behind
/// registers. Area: 16 P words of flip-flops, an 8-to-1 multiplexer for each of 2P words.
module rise_reordering_unit #(
    parameter int unsigned Bfus     = 1,
    parameter int unsigned WordBits = 30,
    parameter int unsigned Latency  = 0
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,

    input  logic                            valid_i,
    input  logic [Bfus-1:0][WordBits-1:0]   sum_i,
    input  logic [Bfus-1:0][WordBits-1:0]   difference_i,

    output logic                            valid_o,
    output logic [2*Bfus-1:0][WordBits-1:0] data_o
);
  localparam logic [1:0] Last = 2'd3;

  // Collecting: the group and the issue in it.
  logic group_d, group_q;
  logic [1:0] issue_d, issue_q;
  assign {group_d, issue_d} = {group_q, issue_q} + 3'd1;
  `RW_FFL({group_q, issue_q}, {group_d, issue_d}, valid_i, '0)

  logic [WordBits-1:0] sums[2][4][Bfus];
  logic [WordBits-1:0] differences[2][4][Bfus];
  for (genvar lane = 0; lane < Bfus; lane++) begin : gen_lane
    `RW_FFLNR(sums[group_q][issue_q][lane], sum_i[lane], valid_i)
    `RW_FFLNR(differences[group_q][issue_q][lane], difference_i[lane], valid_i)
  end

  // Sending: a group begins when its last issue comes, or a cycle later.
  logic begins, began, group_begins, group;
  assign begins       = valid_i && issue_q == Last;
  assign group_begins = group_q;
  if (Latency == 0) begin : gen_at_once
    assign began = begins;
    assign group = group_begins;
  end else begin : gen_later
    `RW_FF(began, begins, 1'b0)
    `RW_FFLNR(group, group_begins, begins)
  end

  logic [1:0] step, step_d, step_q;
  logic sending_group, sending_group_q;
  assign step          = began ? 2'd0 : step_q;
  assign sending_group = began ? group : sending_group_q;
  assign valid_o       = began || step_q != 2'd0;
  assign step_d        = valid_o ? step + 2'd1 : 2'd0;
  `RW_FF(step_q, step_d, '0)
  `RW_FFLNR(sending_group_q, group, began)

  always_comb begin
    for (int unsigned k = 0; k < 2 * Bfus; k++) begin
      automatic logic [1:0] from = {step[0], 1'(k / Bfus)};
      data_o[k] = step[1] ? differences[sending_group][from][k%Bfus]
                          : sums[sending_group][from][k%Bfus];
    end
  end

  `RW_REQUIRE(rise_reordering_unit_latency, Latency <= 1)
  `RW_ASSERT(rise_reordering_unit_apart, !began || step_q == 2'd0)
endmodule
