`include "registers.svh"

/// RISE's registers with nothing behind them: a call ends in the cycle after it was started, and memory is
/// as it was. What a host takes with it is the tax of an accelerator that is infinitely fast.
///
/// The parameters are those of `rise`, of which the register `machine` tells.
module soc_null
  import rise_regs_pkg::*;
#(
    // Those of a machine; few of them show in its registers.
    /* verilator lint_off UNUSEDPARAM */
    parameter int unsigned Bfus            = 1,
    parameter int unsigned WordBits        = 30,
    parameter int unsigned BankWords       = 4096,
    parameter int unsigned BfuLatency      = 9,
    parameter int unsigned TwiddleBatches  = 1,
    parameter int unsigned WriteBuffer     = 1,
    parameter int unsigned ReorderLatency  = 0,
    parameter bit          Samplers        = 1'b1,
    parameter int unsigned RoundsPerCycle  = 1,
    parameter int unsigned PortWords       = 2,
    parameter int unsigned DmaBurstBytes   = 64,
    parameter int unsigned StartCycles     = 4,
    parameter int unsigned InterruptCycles = 4,
    parameter int unsigned QueuedCalls     = 2,
    parameter bit          TransformsOnly  = 1'b0
    /* verilator lint_on UNUSEDPARAM */
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        apb_psel_i,
    input  logic        apb_penable_i,
    input  logic        apb_pwrite_i,
    input  logic [9:0]  apb_paddr_i,
    input  logic [31:0] apb_pwdata_i,
    output logic        apb_pready_o,
    output logic [31:0] apb_prdata_o,
    output logic        apb_pslverr_o,
    output logic        interrupt_o
);
  written_t written;
  read_t read;
  logic control_notify, status_notify, message_write;
  logic [6:0] message_index;
  logic [31:0] message_data;
  rise_regs i_regs (
      .clk_i,
      .rst_ni,
      .apb_psel_i,
      .apb_penable_i,
      .apb_pwrite_i,
      .apb_paddr_i,
      .apb_pwdata_i,
      .apb_pready_o,
      .apb_prdata_o,
      .apb_pslverr_o,
      .written_o(written),
      .read_i(read),
      .control_notify_o(control_notify),
      .status_notify_o(status_notify),
      .message_write_o(message_write),
      .message_index_o(message_index),
      .message_data_o(message_data)
  );

  logic unused;
  assign unused = &{written, message_write, message_index, message_data};

  // Calls that ended and whose interrupts were not taken.
  logic [1:0] finished_d, finished_q;
  assign finished_d = finished_q + 2'(control_notify) - 2'(status_notify & (finished_q != '0));
  `RW_FF(finished_q, finished_d, '0)
  assign interrupt_o = finished_q != '0;

  always_comb begin
    read                 = '0;
    read.status.finished = finished_q;
    read.machine = '{
        log_bfus: 4'($clog2(Bfus)),
        queued_calls: 2'(QueuedCalls),
        samplers: Samplers,
        transforms_only: TransformsOnly,
        word_bits: 8'(WordBits),
        log_n_max: 8'($clog2(4 * Bfus * BankWords))
    };
  end
endmodule
