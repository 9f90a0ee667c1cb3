`include "registers.svh"
`include "assertions.svh"

/// RISE: encrypts and decrypts for a host that writes registers, on polynomials in memory.
///
/// The parameters are those of `spec/rise/params.toml`; RACE is the machine without `Samplers` that
/// queues one call, NTT_Accel the one that is `TransformsOnly`. `PortWords` words are the width of
/// the DMA port, `DmaBurstBytes` what it takes at once where it takes streams in turn. Cycles are
/// those of `crates/target-rise`, whose `dma_latency` is two more than the memory takes to answer.
///
/// The host's port is APB: registers are few and written one at a time, and the same dissertation
/// reaches Zipline's registers that way. Timing: see the units.
module rise
  import rise_pkg::*, rise_dma_pkg::*, rise_regs_pkg::*;
#(
    parameter int unsigned Bfus            = 1,
    parameter int unsigned WordBits        = 30,
    parameter int unsigned BankWords       = 4096,
    parameter int unsigned BfuLatency      = 9,
    parameter string       Products        = "Compressed",
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
    parameter bit          TransformsOnly  = 1'b0,
    localparam int unsigned BeatBytes = PortWords * ((WordBits <= 30) ? 4 : 8)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,

    // The host's registers.
    input  logic                   apb_psel_i,
    input  logic                   apb_penable_i,
    input  logic                   apb_pwrite_i,
    input  logic [9:0]             apb_paddr_i,
    input  logic [31:0]            apb_pwdata_i,
    output logic                   apb_pready_o,
    output logic [31:0]            apb_prdata_o,
    output logic                   apb_pslverr_o,
    output logic                   interrupt_o,

    // Memory: AXI4, one identifier, incrementing bursts as wide as the port.
    output logic                   ar_valid_o,
    input  logic                   ar_ready_i,
    output logic [63:0]            ar_addr_o,
    output logic [7:0]             ar_len_o,
    output logic [2:0]             ar_size_o,
    output logic [1:0]             ar_burst_o,
    input  logic                   r_valid_i,
    output logic                   r_ready_o,
    input  logic [8*BeatBytes-1:0] r_data_i,
    input  logic [1:0]             r_resp_i,
    output logic                   aw_valid_o,
    input  logic                   aw_ready_i,
    output logic [63:0]            aw_addr_o,
    output logic [7:0]             aw_len_o,
    output logic [2:0]             aw_size_o,
    output logic [1:0]             aw_burst_o,
    output logic                   w_valid_o,
    input  logic                   w_ready_i,
    output logic [8*BeatBytes-1:0] w_data_o,
    output logic [BeatBytes-1:0]   w_strb_o,
    output logic                   w_last_o,
    input  logic                   b_valid_i,
    output logic                   b_ready_o,
    input  logic [1:0]             b_resp_i
);
  localparam int unsigned LogBanks           = $clog2(4 * Bfus);
  localparam int unsigned LogNMax            = $clog2(4 * Bfus * BankWords);
  localparam int unsigned LogNWidth          = $clog2(LogNMax + 1);
  localparam int unsigned ConstantWidth      = WordBits + 2;
  localparam int unsigned ConstantIndexWidth = $clog2(2 * LogNMax + 4);
  localparam logic [1:0]  Incrementing       = 2'b01;

  // ---- Registers and the order of instructions --------------------------------------------------

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
  assign read.machine = '{
          log_bfus: 4'(LogBanks - 2),
          queued_calls: 2'(QueuedCalls),
          samplers: Samplers,
          transforms_only: TransformsOnly,
          word_bits: 8'(WordBits),
          log_n_max: 8'(LogNMax)
      };

  logic [LogNWidth-1:0] log_n;
  assign log_n = LogNWidth'(written.log_n.log_n);

  logic dma_start, dma_group, dma_set, dma_done, dma_error;
  transfer_e dma_transfer;
  layout_e dma_layout, sampler_layout;
  logic [63:0] dma_address;
  logic sampler_start, sampler_binomial, sampler_add, sampler_set, sampler_done;
  logic [5:0] sampler_tail;
  logic [1:0] sampler_blocks;
  logic bfu_valid, bfu_ready, bfu_group, bfu_set, bfu_done;
  op_e bfu_op;
  rise_io_control #(
      .LogBanks(LogBanks),
      .LogNMax(LogNMax),
      .StartCycles(StartCycles),
      .InterruptCycles(InterruptCycles),
      .QueuedCalls(QueuedCalls),
      .Samplers(Samplers),
      .TransformsOnly(TransformsOnly)
  ) i_io_control (
      .clk_i,
      .rst_ni,
      .written_i(written),
      .control_written_i(control_notify),
      .status_read_i(status_notify),
      .status_o(read.status),
      .interrupt_o,
      .dma_start_o(dma_start),
      .dma_transfer_o(dma_transfer),
      .dma_layout_o(dma_layout),
      .dma_address_o(dma_address),
      .dma_group_o(dma_group),
      .dma_set_o(dma_set),
      .dma_done_i(dma_done),
      .dma_error_i(dma_error),
      .sampler_start_o(sampler_start),
      .sampler_binomial_o(sampler_binomial),
      .sampler_add_o(sampler_add),
      .sampler_tail_o(sampler_tail),
      .sampler_blocks_o(sampler_blocks),
      .sampler_layout_o(sampler_layout),
      .sampler_set_o(sampler_set),
      .sampler_done_i(sampler_done),
      .bfu_valid_o(bfu_valid),
      .bfu_op_o(bfu_op),
      .bfu_group_o(bfu_group),
      .bfu_set_o(bfu_set),
      .bfu_done_i(bfu_done)
  );

  // ---- Memory -----------------------------------------------------------------------------------

  logic bank_request, bank_write, constant_valid, addend_valid, addend_ready;
  logic [PortWords-1:0][LogNMax-1:0] bank_address;
  logic [PortWords-1:0][WordBits-1:0] bank_in, bank_out;
  logic [ConstantIndexWidth-1:0] constant_index;
  logic [PortWords-1:0][ConstantWidth-1:0] constant_data;
  logic [WordBits-1:0] addend;
  rise_dma #(
      .Bfus(Bfus),
      .WordBits(WordBits),
      .BankWords(BankWords),
      .PortWords(PortWords),
      .BurstBytes(DmaBurstBytes)
  ) i_dma (
      .clk_i,
      .rst_ni,
      .start_i(dma_start),
      .transfer_i(dma_transfer),
      .layout_i(dma_layout),
      .log_n_i(log_n),
      .address_i(dma_address),
      .done_o(dma_done),
      .error_o(dma_error),
      .bank_request_o(bank_request),
      .bank_write_o(bank_write),
      .bank_address_o(bank_address),
      .bank_data_o(bank_in),
      .bank_data_i(bank_out),
      .constant_valid_o(constant_valid),
      .constant_index_o(constant_index),
      .constant_data_o(constant_data),
      .addend_valid_o(addend_valid),
      .addend_ready_i(addend_ready),
      .addend_o(addend),
      .ar_valid_o,
      .ar_ready_i,
      .ar_addr_o,
      .ar_len_o,
      .r_valid_i,
      .r_ready_o,
      .r_data_i,
      .r_resp_i,
      .aw_valid_o,
      .aw_ready_i,
      .aw_addr_o,
      .aw_len_o,
      .w_valid_o,
      .w_ready_i,
      .w_data_o,
      .w_last_o,
      .b_valid_i,
      .b_ready_o,
      .b_resp_i
  );
  assign ar_size_o  = 3'($clog2(BeatBytes));
  assign aw_size_o  = 3'($clog2(BeatBytes));
  assign ar_burst_o = Incrementing;
  assign aw_burst_o = Incrementing;
  assign w_strb_o   = '1;

  // ---- Samples ----------------------------------------------------------------------------------

  logic [QueuedCalls-1:0][WordBits-1:0] modulus;
  logic sample_write;
  logic [LogNMax-1:0] sample_address;
  logic [WordBits-1:0] sample_word;
  if (Samplers) begin : gen_sampler
    logic [LogNMax-1:0] index;
    logic [WordBits-1:0] modulus_of_call;
    if (QueuedCalls == 1) begin : gen_one
      assign modulus_of_call = modulus[0];
      logic unused;
      assign unused = sampler_set;
    end else begin : gen_two
      assign modulus_of_call = modulus[sampler_set];
    end
    rise_sampler #(
        .WordBits(WordBits),
        .RoundsPerCycle(RoundsPerCycle),
        .LogNMax(LogNMax)
    ) i_sampler (
        .clk_i,
        .rst_ni,
        .seed_i(written.seed),
        .message_write_i(message_write),
        .message_index_i(message_index),
        .message_data_i(message_data),
        .start_i(sampler_start),
        .binomial_i(sampler_binomial),
        .add_i(sampler_add),
        .tail_i(sampler_tail),
        .blocks_i(sampler_blocks),
        .log_n_i(log_n),
        .modulus_i(modulus_of_call),
        .done_o(sampler_done),
        .addend_valid_i(addend_valid),
        .addend_ready_o(addend_ready),
        .addend_i(addend),
        .write_o(sample_write),
        .index_o(index),
        .word_o(sample_word)
    );
    rise_layout #(
        .LogBanks(LogBanks),
        .LogNMax(LogNMax)
    ) i_layout (
        .log_n_i(log_n),
        .layout_i(sampler_layout),
        .index_i(index),
        .address_o(sample_address)
    );
  end else begin : gen_no_sampler
    assign sampler_done   = 1'b0;
    assign addend_ready   = 1'b0;
    assign sample_write   = 1'b0;
    assign sample_address = '0;
    assign sample_word    = '0;
    logic unused;
    assign unused = ^{message_write, message_index, message_data, sampler_start, sampler_binomial,
                      sampler_add, sampler_tail, sampler_blocks, sampler_layout, sampler_set,
                      addend_valid, addend, modulus};
  end

  // ---- Banks and butterflies --------------------------------------------------------------------

  // Samples go to BG0, on the first lane of its port.
  logic [1:0] port_write;
  logic [1:0][PortWords-1:0] port_request;
  logic [1:0][PortWords-1:0][LogNMax-1:0] port_address;
  logic [1:0][PortWords-1:0][WordBits-1:0] port_in, port_out;
  logic read_group_q;
  always_comb begin
    for (int unsigned group = 0; group < 2; group++) begin
      port_write[group]   = bank_write;
      port_request[group] = {PortWords{bank_request && dma_group == 1'(group)}};
      port_address[group] = bank_address;
      port_in[group]      = bank_in;
    end
    if (sample_write) begin
      port_write[0]      = 1'b1;
      port_request[0]    = PortWords'(1);
      port_address[0][0] = sample_address;
      port_in[0][0]      = sample_word;
    end
  end
  `RW_FFNR(read_group_q, dma_group)
  assign bank_out = port_out[read_group_q];

  rise_core #(
      .Bfus(Bfus),
      .WordBits(WordBits),
      .BankWords(BankWords),
      .BfuLatency(BfuLatency),
      .Products(Products),
      .TwiddleBatches(TwiddleBatches),
      .WriteBuffer(WriteBuffer),
      .ReorderLatency(ReorderLatency),
      .QueuedCalls(QueuedCalls),
      .PortWords(PortWords)
  ) i_core (
      .clk_i,
      .rst_ni,
      .constant_valid_i(constant_valid),
      .constant_set_i(dma_set),
      .constant_index_i(constant_index),
      .constant_data_i(constant_data),
      .instruction_valid_i(bfu_valid),
      .instruction_ready_o(bfu_ready),
      .instruction_op_i(bfu_op),
      .instruction_group_i(bfu_group),
      .instruction_set_i(bfu_set),
      .instruction_log_n_i(log_n),
      .done_o(bfu_done),
      .port_write_i(port_write),
      .port_request_i(port_request),
      .port_address_i(port_address),
      .port_write_data_i(port_in),
      .port_read_data_o(port_out),
      .modulus_o(modulus)
  );

  `RW_ASSERT(rise_bfu_ready, !bfu_valid || bfu_ready)
  `RW_ASSERT(rise_one_user, !(sample_write && bank_request && !dma_group))
endmodule
