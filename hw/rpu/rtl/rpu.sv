`include "registers.svh"
`include "assertions.svh"

/// The Ring Processing Unit as a controlling core sees it: registers on APB (`spec/rpu/regs.toml`),
/// memories on AXI4 (`rpu_axi_port`), an interrupt.
///
/// The core fills the memories, writes `first` and `count`, then `control`; the program starts when
/// the data port is idle, and while it runs the port answers with errors. `irq_o` rises with the end
/// and falls when `status` is read. `Config` is that of `rpu_core`.
/// Timing: a write to `control` whose access cycle is c has the first instruction in decode in
/// c + 4 (`start_cycles` of the machine description).
module rpu
  import rpu_config_pkg::*;
#(
    parameter config_t     Config  = rpu_machine_pkg::Machine,
    parameter int unsigned IdWidth = 4,
    localparam int unsigned DataWidth   = (Config.word_bits > 64) ? 128 : 64,
    localparam int unsigned StrobeWidth = DataWidth / 8
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    output logic                   irq_o,

    input  logic                   apb_psel_i,
    input  logic                   apb_penable_i,
    input  logic                   apb_pwrite_i,
    input  logic [5:0]             apb_paddr_i,
    input  logic [31:0]            apb_pwdata_i,
    output logic                   apb_pready_o,
    output logic [31:0]            apb_prdata_o,
    output logic                   apb_pslverr_o,

    input  logic                   aw_valid_i,
    output logic                   aw_ready_o,
    input  logic [IdWidth-1:0]     aw_id_i,
    input  logic [31:0]            aw_addr_i,
    input  logic [7:0]             aw_len_i,
    input  logic [2:0]             aw_size_i,
    input  logic [1:0]             aw_burst_i,
    input  logic                   w_valid_i,
    output logic                   w_ready_o,
    input  logic [DataWidth-1:0]   w_data_i,
    input  logic [StrobeWidth-1:0] w_strb_i,
    input  logic                   w_last_i,
    output logic                   b_valid_o,
    input  logic                   b_ready_i,
    output logic [IdWidth-1:0]     b_id_o,
    output logic [1:0]             b_resp_o,
    input  logic                   ar_valid_i,
    output logic                   ar_ready_o,
    input  logic [IdWidth-1:0]     ar_id_i,
    input  logic [31:0]            ar_addr_i,
    input  logic [7:0]             ar_len_i,
    input  logic [2:0]             ar_size_i,
    input  logic [1:0]             ar_burst_i,
    output logic                   r_valid_o,
    input  logic                   r_ready_i,
    output logic [IdWidth-1:0]     r_id_o,
    output logic [DataWidth-1:0]   r_data_o,
    output logic [1:0]             r_resp_o,
    output logic                   r_last_o
);
  localparam int unsigned ImWidth    = $clog2(Config.im_words);
  localparam int unsigned CountWidth = $clog2(Config.im_words + 1);

  rpu_regs_pkg::written_t written;
  rpu_regs_pkg::read_t read;
  logic control_notify, status_notify;
  rpu_regs i_regs (
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
      .status_notify_o(status_notify)
  );

  // ---- Starting: what is asked for waits until the data port is idle.
  logic asked, fits, pending_d, pending_q, refused_d, refused_q, done_d, done_q;
  logic start, busy, done, illegal, port_busy;
  logic [31:0] cycles;
  assign asked     = control_notify & written.control.start;
  assign fits      = 32'(written.first.instruction) + 32'(written.count.instructions) <= Config.im_words;
  assign start     = pending_q & ~port_busy;
  assign pending_d = (pending_q & ~start) | (asked & fits & ~busy & ~pending_q);
  assign refused_d = (refused_q & ~status_notify) | (asked & (~fits | busy | pending_q));
  assign done_d    = (done_q & ~status_notify) | done;
  `RW_FF(pending_q, pending_d, 1'b0)
  `RW_FF(refused_q, refused_d, 1'b0)
  `RW_FF(done_q, done_d, 1'b0)
  assign irq_o = done_q;

  always_comb begin
    read                           = '0;
    read.status.busy               = busy | pending_q | (control_notify & written.control.start);
    read.status.done               = done_q;
    read.status.illegal            = illegal;
    read.status.refused            = refused_q;
    read.cycles.cycles             = cycles;
    read.machine.log_hples         = 4'($clog2(Config.hples));
    read.machine.log_banks         = 4'($clog2(Config.banks));
    read.machine.log_vector_length = 4'($clog2(Config.vector_length));
    read.machine.word_bits         = 8'(Config.word_bits);
  end

  // ---- Memories.
  logic host_request, host_write;
  rpu_pkg::memory_e host_memory;
  logic [31:0] host_address;
  logic [127:0] host_write_data, host_read_data;
  rpu_axi_port #(
      .DataWidth(DataWidth),
      .WordBits(Config.word_bits),
      .VdmWords(Config.vdm_words),
      .SdmWords(Config.sdm_words),
      .ImWords(Config.im_words),
      .IdWidth(IdWidth)
  ) i_port (
      .clk_i,
      .rst_ni,
      .aw_valid_i,
      .aw_ready_o,
      .aw_id_i,
      .aw_addr_i,
      .aw_len_i,
      .aw_size_i,
      .aw_burst_i,
      .w_valid_i,
      .w_ready_o,
      .w_data_i,
      .w_strb_i,
      .w_last_i,
      .b_valid_o,
      .b_ready_i,
      .b_id_o,
      .b_resp_o,
      .ar_valid_i,
      .ar_ready_o,
      .ar_id_i,
      .ar_addr_i,
      .ar_len_i,
      .ar_size_i,
      .ar_burst_i,
      .r_valid_o,
      .r_ready_i,
      .r_id_o,
      .r_data_o,
      .r_resp_o,
      .r_last_o,
      .blocked_i(busy),
      .busy_o(port_busy),
      .host_request_o(host_request),
      .host_write_o(host_write),
      .host_memory_o(host_memory),
      .host_address_o(host_address),
      .host_data_o(host_write_data),
      .host_data_i(host_read_data)
  );

  rpu_core #(
      .Config(Config)
  ) i_core (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .start_address_i(ImWidth'(written.first.instruction)),
      .count_i(CountWidth'(written.count.instructions)),
      .busy_o(busy),
      .done_o(done),
      .cycles_o(cycles),
      .illegal_o(illegal),
      .host_request_i(host_request),
      .host_write_i(host_write),
      .host_memory_i(host_memory),
      .host_address_i(host_address),
      .host_data_i(host_write_data),
      .host_data_o(host_read_data),
      .move_request_i(1'b0),
      .move_write_i(1'b0),
      .move_memory_i(rpu_pkg::MemoryVector),
      .move_address_i('0),
      .move_enable_i('0),
      .move_data_i('0),
      .move_data_o()
  );
endmodule
