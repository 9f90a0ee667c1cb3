`include "registers.svh"
`include "assertions.svh"

/// Fetches, decodes and issues in order, one instruction a cycle (RPU, section IV-A).
///
/// An instruction issues when none of its registers is busy in a way that matters and its queue has
/// room; else everything behind it waits. A program is a start address and a number of
/// instructions: there is no instruction that halts. An illegal one stops the program: nothing from
/// it on issues, and `illegal_o` stays until the next start.
///
/// Timing: a start accepted in cycle c puts the first instruction into decode in c + 2. Decode works
/// on the output of the instruction memory, so `issue_o` depends on it through the decoder, the
/// busyboard and the scalar files in one cycle: the longest path of the control.
module rpu_front_end
  import rpu_isa_pkg::*;
#(
    parameter int unsigned ImWords = 65536,
    localparam int unsigned ImWidth = $clog2(ImWords),
    localparam int unsigned CountWidth   = $clog2(ImWords + 1)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    /// Only while `busy_o` is 0.
    input  logic                    start_i,
    input  logic [ImWidth-1:0] start_address_i,
    input  logic [CountWidth-1:0]   count_i,
    /// From the cycle after the start until the last instruction has issued.
    output logic                    busy_o,
    output logic                    illegal_o,

    output logic                    fetch_o,
    output logic [ImWidth-1:0] fetch_address_o,
    input  logic [InstructionWidth-1:0] word_i,

    output decoded_t            decoded_o,
    /// Some register of the instruction in decode is busy.
    input  logic                    hit_i,
    /// Room in each queue, in the order of `class_e`.
    input  logic [2:0]              room_i,
    output logic                    issue_o
);
  logic valid_d, valid_q, illegal_d, illegal_q, began_d, began_q;
  logic [ImWidth-1:0] next_d, next_q;
  logic [CountWidth-1:0] left_d, left_q;
  logic legal, stop;

  rpu_decoder i_decoder (
      .instruction_i(word_i),
      .decoded_o,
      .legal_o(legal)
  );

  assign stop    = valid_q & ~legal;
  assign issue_o = valid_q & legal & ~hit_i & room_i[decoded_o.class_id];

  assign fetch_o         = (left_q != '0) & (~valid_q | issue_o);
  assign fetch_address_o = next_q;
  // The cycle after a start belongs to the fetch, also of a program without instructions.
  assign busy_o          = began_q | valid_q | (left_q != '0);
  assign illegal_o       = illegal_q;

  assign began_d   = start_i;
  assign valid_d   = fetch_o | (valid_q & ~issue_o & ~stop);
  assign illegal_d = (illegal_q | stop) & ~start_i;
  always_comb begin
    left_d = left_q - CountWidth'(fetch_o);
    next_d = next_q + ImWidth'(fetch_o);
    if (stop) left_d = '0;
    if (start_i) begin
      left_d = count_i;
      next_d = start_address_i;
    end
  end

  `RW_FF(began_q, began_d, 1'b0)
  `RW_FF(valid_q, valid_d, 1'b0)
  `RW_FF(illegal_q, illegal_d, 1'b0)
  `RW_FF(left_q, left_d, '0)
  `RW_FF(next_q, next_d, '0)

  `RW_REQUIRE(rpu_front_end_words, ImWords >= 2)
  `RW_ASSERT(rpu_front_end_idle, !(start_i & busy_o))
endmodule
