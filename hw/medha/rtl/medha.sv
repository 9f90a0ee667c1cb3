`include "registers.svh"
`include "assertions.svh"

/// Medha as its host sees it: registers on APB (`spec/medha/regs.toml`), an interrupt, and ports of its own
/// to memory, one for lists of commands and one for each DMA lane.
///
/// The host writes where a list lies, then `doorbell`; the device fills its tables, moves towers and runs
/// kernels by itself (`medha_list`, `medha_core`). `irq_o` rises with the end and falls when `status` is read.
/// Ports ask for incremental bursts of whole beats, with one identifier.
module medha
  import medha_config_pkg::*;
  import medha_isa_pkg::*;
  import medha_pkg::*;
#(
    parameter config_t     Config       = medha_machine_pkg::Machine,
    parameter int unsigned AddressWidth = 40,
    localparam int unsigned Lanes     = Config.dma_lanes,
    localparam int unsigned Banks     = banks(Config),
    localparam int unsigned PortBytes = port_bytes(Config),
    localparam int unsigned PortWidth = 8 * PortBytes
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    output logic                                   irq_o,

    input  logic                                   apb_psel_i,
    input  logic                                   apb_penable_i,
    input  logic                                   apb_pwrite_i,
    input  logic [4:0]                             apb_paddr_i,
    input  logic [31:0]                            apb_pwdata_i,
    output logic                                   apb_pready_o,
    output logic [31:0]                            apb_prdata_o,
    output logic                                   apb_pslverr_o,

    output logic                                   list_ar_valid_o,
    input  logic                                   list_ar_ready_i,
    output logic [AddressWidth-1:0]                list_ar_addr_o,
    output logic [7:0]                             list_ar_len_o,
    output logic [2:0]                             list_ar_size_o,
    output logic [1:0]                             list_ar_burst_o,
    input  logic                                   list_r_valid_i,
    output logic                                   list_r_ready_o,
    input  logic [InstructionWidth-1:0]            list_r_data_i,
    input  logic [1:0]                             list_r_resp_i,

    output logic [Lanes-1:0]                       lane_ar_valid_o,
    input  logic [Lanes-1:0]                       lane_ar_ready_i,
    output logic [Lanes-1:0][AddressWidth-1:0]     lane_ar_addr_o,
    output logic [Lanes-1:0][7:0]                  lane_ar_len_o,
    output logic [Lanes-1:0][2:0]                  lane_ar_size_o,
    output logic [Lanes-1:0][1:0]                  lane_ar_burst_o,
    input  logic [Lanes-1:0]                       lane_r_valid_i,
    output logic [Lanes-1:0]                       lane_r_ready_o,
    input  logic [Lanes-1:0][PortWidth-1:0]        lane_r_data_i,
    input  logic [Lanes-1:0][1:0]                  lane_r_resp_i,
    output logic [Lanes-1:0]                       lane_aw_valid_o,
    input  logic [Lanes-1:0]                       lane_aw_ready_i,
    output logic [Lanes-1:0][AddressWidth-1:0]     lane_aw_addr_o,
    output logic [Lanes-1:0][7:0]                  lane_aw_len_o,
    output logic [Lanes-1:0][2:0]                  lane_aw_size_o,
    output logic [Lanes-1:0][1:0]                  lane_aw_burst_o,
    output logic [Lanes-1:0]                       lane_w_valid_o,
    input  logic [Lanes-1:0]                       lane_w_ready_i,
    output logic [Lanes-1:0][PortWidth-1:0]        lane_w_data_o,
    output logic [Lanes-1:0][PortBytes-1:0]        lane_w_strb_o,
    output logic [Lanes-1:0]                       lane_w_last_o,
    input  logic [Lanes-1:0]                       lane_b_valid_i,
    output logic [Lanes-1:0]                       lane_b_ready_o,
    input  logic [Lanes-1:0][1:0]                  lane_b_resp_i
);
  localparam int unsigned LogMaxN     = $clog2(Config.max_degree);
  localparam int unsigned BitWidth    = $clog2(LogMaxN + 2);
  localparam int unsigned KernelWidth = $clog2(Kernels);
  localparam int unsigned Width       = Config.wide_bits;

  medha_regs_pkg::written_t written;
  medha_regs_pkg::read_t read;
  logic doorbell_notify, status_notify;
  medha_regs i_regs (
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
      .doorbell_notify_o(doorbell_notify),
      .status_notify_o(status_notify)
  );

  // ---- The list at work.
  logic start, busy, done, done_d, done_q, refused_d, refused_q;
  logic [3:0] error;
  logic [23:0] runs;
  logic set, set_log_n, run, core_busy, core_done;
  logic [4:0] set_unit;
  table_e set_table;
  logic [23:0] set_address;
  logic [InstructionWidth-1:0] set_data;
  logic [BitWidth-1:0] log_n, log_n_q;
  logic [KernelWidth-1:0] kernel;
  wrong_e core_wrong;
  logic [3:0] core_wrong_rpau;
  logic [1:0] lanes_wrong_d, lanes_wrong_q;
  logic [31:0] cycles_d, cycles_q;
  assign start     = doorbell_notify & ~busy;
  assign done_d    = (done_q & ~status_notify) | done;
  assign refused_d = (refused_q & ~status_notify) | (doorbell_notify & busy);
  assign cycles_d  = start ? '0 : cycles_q + 32'(core_busy);
  `RW_FF(done_q, done_d, 1'b0)
  `RW_FF(refused_q, refused_d, 1'b0)
  `RW_FF(cycles_q, cycles_d, '0)
  `RW_FFL(log_n_q, log_n, set_log_n, BitWidth'(LogMaxN))
  assign irq_o = done_q;
  medha_list #(
      .AddressWidth(AddressWidth),
      .BitWidth(BitWidth),
      .KernelWidth(KernelWidth)
  ) i_list (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .address_i(AddressWidth'({written.list.address, 8'b0})),
      .beats_i(written.doorbell.beats),
      .busy_o(busy),
      .done_o(done),
      .error_o(error),
      .runs_o(runs),
      .ar_valid_o(list_ar_valid_o),
      .ar_ready_i(list_ar_ready_i),
      .ar_addr_o(list_ar_addr_o),
      .ar_len_o(list_ar_len_o),
      .r_valid_i(list_r_valid_i),
      .r_ready_o(list_r_ready_o),
      .r_data_i(list_r_data_i),
      .r_wrong_i(list_r_resp_i != '0),
      .set_o(set),
      .set_unit_o(set_unit),
      .set_table_o(set_table),
      .set_address_o(set_address),
      .set_data_o(set_data),
      .set_log_n_o(set_log_n),
      .log_n_o(log_n),
      .run_o(run),
      .kernel_o(kernel),
      .run_done_i(core_done),
      .run_wrong_i(core_wrong),
      .lanes_wrong_i(lanes_wrong_q)
  );

  logic [Lanes-1:0] request, request_stores, row_valid_in, row_ready, row_valid_out, stored;
  logic [Lanes-1:0][63:0] request_address;
  logic [Lanes-1:0][Banks-1:0][Width-1:0] row_in, row_out;
  medha_core #(
      .Config(Config)
  ) i_core (
      .clk_i,
      .rst_ni,
      .set_i(set),
      .set_unit_i(set_unit),
      .set_table_i(set_table),
      .set_address_i(set_address),
      .set_data_i(set_data),
      .set_log_n_i(set_log_n),
      .log_n_i(log_n),
      .start_i(run),
      .kernel_i(kernel),
      .busy_o(core_busy),
      .done_o(core_done),
      .wrong_o(core_wrong),
      .wrong_rpau_o(core_wrong_rpau),
      .request_o(request),
      .request_stores_o(request_stores),
      .request_address_o(request_address),
      .row_valid_i(row_valid_in),
      .row_i(row_in),
      .row_ready_i(row_ready),
      .row_valid_o(row_valid_out),
      .row_o(row_out),
      .stored_i(stored)
  );

  localparam logic [1:0] Incremental = 2'b01;
  assign list_ar_size_o  = 3'($clog2(InstructionWidth / 8));
  assign list_ar_burst_o = Incremental;
  assign lane_ar_size_o  = {Lanes{3'($clog2(PortBytes))}};
  assign lane_aw_size_o  = {Lanes{3'($clog2(PortBytes))}};
  assign lane_ar_burst_o = {Lanes{Incremental}};
  assign lane_aw_burst_o = {Lanes{Incremental}};
  assign lane_w_strb_o   = '1;

  // ---- Ports of the lanes.
  logic [Lanes-1:0][1:0] wrong;
  for (genvar l = 0; l < Lanes; l++) begin : gen_port
    medha_lane_port #(
        .Banks(Banks),
        .Width(Width),
        .PortBytes(PortBytes),
        .AddressWidth(AddressWidth),
        .LogMaxN(LogMaxN)
    ) i_port (
        .clk_i,
        .rst_ni,
        .log_n_i(log_n_q),
        .request_i(request[l]),
        .stores_i(request_stores[l]),
        .address_i(request_address[l][AddressWidth-1:0]),
        .row_valid_o(row_valid_in[l]),
        .row_o(row_in[l]),
        .row_ready_o(row_ready[l]),
        .row_valid_i(row_valid_out[l]),
        .row_i(row_out[l]),
        .stored_o(stored[l]),
        .wrong_o(wrong[l]),
        .ar_valid_o(lane_ar_valid_o[l]),
        .ar_ready_i(lane_ar_ready_i[l]),
        .ar_addr_o(lane_ar_addr_o[l]),
        .ar_len_o(lane_ar_len_o[l]),
        .r_valid_i(lane_r_valid_i[l]),
        .r_ready_o(lane_r_ready_o[l]),
        .r_data_i(lane_r_data_i[l]),
        .r_wrong_i(lane_r_resp_i[l] != '0),
        .aw_valid_o(lane_aw_valid_o[l]),
        .aw_ready_i(lane_aw_ready_i[l]),
        .aw_addr_o(lane_aw_addr_o[l]),
        .aw_len_o(lane_aw_len_o[l]),
        .w_valid_o(lane_w_valid_o[l]),
        .w_ready_i(lane_w_ready_i[l]),
        .w_data_o(lane_w_data_o[l]),
        .w_last_o(lane_w_last_o[l]),
        .b_valid_i(lane_b_valid_i[l]),
        .b_ready_o(lane_b_ready_o[l]),
        .b_wrong_i(lane_b_resp_i[l] != '0)
    );
    logic unused_address;
    assign unused_address = ^request_address[l][63:AddressWidth];
  end
  always_comb begin
    lanes_wrong_d = start ? '0 : lanes_wrong_q;
    for (int unsigned l = 0; l < Lanes; l++) lanes_wrong_d |= wrong[l];
  end
  `RW_FF(lanes_wrong_q, lanes_wrong_d, '0)

  always_comb begin
    read                         = '0;
    read.status.busy             = busy | doorbell_notify;
    read.status.done             = done_q;
    read.status.refused          = refused_q;
    read.status.failed           = error != '0;
    read.error.code              = error;
    read.error.rpau              = core_wrong_rpau;
    read.error.run               = runs;
    read.cycles.cycles           = cycles_q;
    read.machine.rpaus           = 5'(Config.rpaus);
    read.machine.log_butterflies = 3'($clog2(Config.butterflies));
    read.machine.log_max_degree  = 5'(LogMaxN);
    read.machine.lanes           = 3'(Lanes);
  end

  // What the register says of a microinstruction is what an RPAU finds.
  `RW_REQUIRE(medha_code_not_written, 32'(WrongNotWritten) == 32'(medha_regs_pkg::CodeNotWritten))
  `RW_REQUIRE(medha_code_in_use, 32'(WrongInUse) == 32'(medha_regs_pkg::CodeInUse))
  `RW_REQUIRE(medha_code_port, 32'(WrongPort) == 32'(medha_regs_pkg::CodePort))
  `RW_REQUIRE(medha_code_arrival, 32'(WrongArrival) == 32'(medha_regs_pkg::CodeArrival))
endmodule
