`include "registers.svh"
`include "assertions.svh"

/// A DMA lane: moves towers between the memory behind it and RPAUs, one after the other.
///
/// A request goes out `IssueCycles` - 1 after a move begins. Of a load, rows come in order, 2^log_n words in
/// all, whenever `row_valid_i` is 1, and are written a cycle later; it has ended with the last. Of a
/// store, a row is read in every cycle in which `row_ready_i` is 1 and comes out in the next one; it has
/// ended when `stored_i` is 1. Words lie in memory in their own order; here they change to that of the banks.
module medha_lane
  import medha_config_pkg::*;
  import medha_isa_pkg::*;
  import medha_pkg::*;
#(
    parameter config_t Config = medha_machine_pkg::Machine,
    localparam int unsigned Banks       = banks(Config),
    localparam int unsigned LogMaxN     = $clog2(Config.max_degree),
    localparam int unsigned BitWidth    = $clog2(LogMaxN + 2),
    localparam int unsigned NttRowWidth = LogMaxN - $clog2(Banks),
    localparam int unsigned Width       = Config.wide_bits,
    localparam int unsigned KernelWidth = $clog2(Kernels)
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,

    input  logic                             set_i,
    input  table_e                           table_i,
    input  logic [23:0]                      address_i,
    input  logic [InstructionWidth-1:0]      data_i,

    input  logic                             start_i,
    input  logic [KernelWidth-1:0]           kernel_i,
    input  logic                             halt_i,
    input  logic                             open_i,
    input  logic [BitWidth-1:0]              log_n_i,
    input  logic [Units-1:0][CountWidth-1:0] counts_i,
    output logic                             running_o,
    output logic                             ended_o,

    /// The RPAU that it is about.
    output logic [7:0]                       rpau_o,
    output logic                             want_o,
    output slot_t                            slot_o,
    output logic                             stores_o,
    input  logic                             allowed_i,
    output logic                             end_o,
    output logic                             read_o,
    output logic                             write_o,
    output logic [NttRowWidth-1:0]           row_o,
    output logic [Banks-1:0][Width-1:0]      data_o,
    input  logic [Banks-1:0][Width-1:0]      data_read_i,

    /// The memory behind it.
    output logic                             request_o,
    output logic                             request_stores_o,
    output logic [63:0]                      request_address_o,
    input  logic                             row_valid_i,
    input  logic [Banks-1:0][Width-1:0]      row_i,
    input  logic                             row_ready_i,
    output logic                             row_valid_o,
    output logic [Banks-1:0][Width-1:0]      row_out_o,
    input  logic                             stored_i
);
  localparam int unsigned LogBanks      = $clog2(Banks);
  localparam int unsigned CodeWidth     = $clog2(Config.code_words);
  localparam int unsigned ArgumentWidth = (Config.arguments > 1) ? $clog2(Config.arguments) : 1;
  localparam int unsigned Issue         = Config.issue_cycles;
  typedef logic [NttRowWidth-1:0] row_t;
  typedef logic [LogBanks-1:0] bank_t;

  micro_t micro;
  logic begins, done;
  medha_sequencer #(
      .Words(Config.code_words),
      .IssueCycles(Issue)
  ) i_sequencer (
      .clk_i,
      .rst_ni,
      .code_write_i(set_i && table_i == TableCode),
      .entry_write_i(set_i && table_i == TableEntries),
      .address_i(address_i[CodeWidth-1:0]),
      .data_i,
      .start_i,
      .kernel_i,
      .halt_i,
      .open_i,
      .counts_i,
      .want_o,
      .allowed_i,
      .begin_o(begins),
      .micro_o(micro),
      .done_i(done),
      .ended_o,
      .running_o
  );

  // Where towers are: arguments, and the kernel's own.
  logic [63:0] address;
  mem_1r1w #(
      .Words(2 * Config.arguments),
      .Width(64)
  ) i_addresses (
      .clk_i,
      .rst_ni,
      .read_i(begins),
      .read_address_i({micro.c.argument, {micro.c.bank, micro.c.number}[ArgumentWidth-1:0]}),
      .read_data_o(address),
      .write_i(set_i && table_i == TableArguments),
      .write_address_i(address_i[ArgumentWidth:0]),
      .write_data_i(data_i[63:0])
  );

  logic stores;
  logic [7:0] rpau_q;
  assign stores   = micro.opcode == OpStore;
  assign rpau_o   = want_o ? micro.b.number : rpau_q;
  assign slot_o   = stores ? micro.a : micro.d;
  assign stores_o = stores;

  // The row at work; a load ends with its last row, a store when memory says so.
  logic active_d, active_q, stores_q, requests, write_q, last_q, read_q;
  row_t row_d, row_q, write_row_q, last_row;
  logic [Banks-1:0][Width-1:0] data_q, row_banks;
  assign last_row = row_t'((32'd1 << (log_n_i - BitWidth'(LogBanks))) - 1);
  `RW_FFL(rpau_q, micro.b.number, begins, '0)
  `RW_FFL(stores_q, stores, begins, 1'b0)

  function automatic bank_t folded(row_t row);
    folded = '0;
    for (int unsigned i = 0; i < NttRowWidth; i++) folded[i%LogBanks] ^= row[i];
  endfunction
  logic came;
  assign came = active_q && (stores_q ? read_o : row_valid_i);
  always_comb begin
    active_d = active_q;
    row_d    = row_q;
    if (begins) begin
      active_d = 1'b1;
      row_d    = '0;
    end else if (came) begin
      active_d = row_q != last_row;
      row_d    = row_q + 1'b1;
    end
  end
  `RW_FF(active_q, active_d, 1'b0)
  `RW_FF(row_q, row_d, '0)
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    assign row_banks[b] = row_i[bank_t'(b)^folded(row_q)];
    assign row_out_o[b] = data_read_i[bank_t'(b)^folded(write_row_q)];
  end
  `RW_FF(write_q, came && !stores_q, 1'b0)
  `RW_FF(read_q, came && stores_q, 1'b0)
  `RW_FF(last_q, came && row_q == last_row, 1'b0)
  `RW_FFNR(write_row_q, row_q)
  `RW_FFNR(data_q, row_banks)

  // A request a cycle after its beginning at the earliest: its address is looked up.
  logic unused_empty;
  valid_line #(
      .Stages((Issue > 1) ? Issue - 1 : 1)
  ) i_request (
      .clk_i,
      .rst_ni,
      .valid_i(begins),
      .valid_o(requests),
      .empty_o(unused_empty)
  );
  assign request_o         = requests;
  assign request_stores_o  = stores_q;
  assign request_address_o = address;
  // Nothing is read before the request is out.
  logic out_d, out_q;
  assign out_d       = requests || (out_q && !done);
  `RW_FF(out_q, out_d, 1'b0)
  assign read_o      = active_q && stores_q && out_q && row_ready_i;
  assign row_valid_o = read_q;
  assign write_o     = write_q;
  assign row_o       = write_q ? write_row_q : row_q;
  assign data_o      = data_q;
  assign done        = stores_q ? stored_i : write_q && last_q;
  assign end_o       = done;

  logic unused;
  assign unused = ^{micro.immediate, address_i};

  `RW_ASSERT(medha_lane_row, !row_valid_i || (active_q && !stores_q))
endmodule
