`include "registers.svh"
`include "assertions.svh"

/// The Ring Processing Unit as a controlling core sees it: registers on APB (`spec/rpu/regs.toml`),
/// memories on AXI4 (`rpu_axi_port`), an interrupt; and a port of its own to off-chip memory.
///
/// There are two ways to run programs. The core fills the memories, writes `first` and `count`, then
/// `control`; the program starts when the data port is idle. Or it writes where a list of commands
/// lies in off-chip memory, then `doorbell`; the device brings programs, arguments and vectors, runs
/// and takes results out by itself (`rpu_commands`, `rpu_dma`). While either is under way the memories
/// answer with errors and nothing else starts. `irq_o` rises with the end and falls when `status` is
/// read. `Config` is that of `rpu_core`, the other parameters those of `rpu_dma` and `rpu_commands`.
/// Timing: a write to `control` whose access cycle is c has the first instruction in decode in
/// c + 4 (`start_cycles` of the machine description); one to `doorbell` has the first address on the
/// port in c + 4.
module rpu
  import rpu_config_pkg::*;
#(
    parameter config_t     Config      = rpu_machine_pkg::Machine,
    parameter int unsigned IdWidth     = 4,
    parameter int unsigned Outstanding = 8,
    parameter int unsigned BurstBeats  = 16,
    parameter int unsigned Timeout     = 65536,
    parameter int unsigned QueueDepth  = 8,
    parameter int unsigned Holds       = 4,
    localparam int unsigned PortWidth    = 8 * Config.port_bytes,
    localparam int unsigned AddressWidth = rpu_command_pkg::AddressWidth,
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
    output logic                   r_last_o,

    // Off-chip memory: incremental bursts of whole beats, one identifier.
    output logic                         mem_ar_valid_o,
    input  logic                         mem_ar_ready_i,
    output logic [AddressWidth-1:0]      mem_ar_addr_o,
    output logic [7:0]                   mem_ar_len_o,
    output logic [2:0]                   mem_ar_size_o,
    output logic [1:0]                   mem_ar_burst_o,
    input  logic                         mem_r_valid_i,
    output logic                         mem_r_ready_o,
    input  logic [PortWidth-1:0]         mem_r_data_i,
    input  logic [1:0]                   mem_r_resp_i,
    input  logic                         mem_r_last_i,
    output logic                         mem_aw_valid_o,
    input  logic                         mem_aw_ready_i,
    output logic [AddressWidth-1:0]      mem_aw_addr_o,
    output logic [7:0]                   mem_aw_len_o,
    output logic [2:0]                   mem_aw_size_o,
    output logic [1:0]                   mem_aw_burst_o,
    output logic                         mem_w_valid_o,
    input  logic                         mem_w_ready_i,
    output logic [PortWidth-1:0]         mem_w_data_o,
    output logic [Config.port_bytes-1:0] mem_w_strb_o,
    output logic                         mem_w_last_o,
    input  logic                         mem_b_valid_i,
    output logic                         mem_b_ready_o,
    input  logic [1:0]                   mem_b_resp_i
);
  localparam int unsigned Line        = line_words(Config);
  localparam int unsigned ElementBits = element_bits(Config);
  localparam logic [1:0]  Incremental = 2'b01;
  localparam int unsigned ImWidth    = $clog2(Config.im_words);
  localparam int unsigned CountWidth = $clog2(Config.im_words + 1);

  rpu_regs_pkg::written_t written;
  rpu_regs_pkg::read_t read;
  logic control_notify, status_notify, doorbell_notify;
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
      .status_notify_o(status_notify),
      .doorbell_notify_o(doorbell_notify)
  );

  // ---- What is under way.
  logic list_busy, asked, fits, pending_d, pending_q, refused_d, refused_q, done_d, done_q;
  logic start, busy, done, illegal, port_busy, occupied;
  logic [31:0] cycles;
  assign occupied = busy | pending_q | list_busy;

  // ---- A list, from the doorbell on. The data port's burst, if there is one, ends with errors.
  logic list_start, list_done, dead, run, stop;
  rpu_command_pkg::error_e list_error;
  logic [23:0] list_command;
  logic [31:0] list_cycles;
  logic [$clog2(Config.im_words)-1:0] run_first;
  logic [$clog2(Config.im_words+1)-1:0] run_count;
  rpu_pkg::hold_t [Holds-1:0] holds;
  rpu_pkg::move_t move;
  rpu_pkg::port_error_t port_error;
  logic move_valid, move_ready, move_done, moves_done, violation, port_idle;
  logic fetch_valid, fetch_ready, fetch_data_valid;
  logic [AddressWidth-1:0] fetch_address;
  logic [7:0] fetch_length;
  logic [PortWidth-1:0] fetch_data;
  assign list_start = doorbell_notify & ~occupied & ~dead;
  rpu_commands #(
      .Config(Config),
      .QueueDepth(QueueDepth),
      .Holds(Holds)
  ) i_commands (
      .clk_i,
      .rst_ni,
      .start_i(list_start),
      .address_i({written.list.address, 8'b0}),
      .count_i(written.doorbell.commands),
      .busy_o(list_busy),
      .done_o(list_done),
      .dead_o(dead),
      .error_o(list_error),
      .error_command_o(list_command),
      .cycles_o(list_cycles),
      .run_o(run),
      .run_first_o(run_first),
      .run_count_o(run_count),
      .run_busy_i(busy),
      .run_done_i(done),
      .run_illegal_i(illegal),
      .holds_o(holds),
      .violation_i(violation),
      .stop_o(stop),
      .move_valid_o(move_valid),
      .move_ready_i(move_ready),
      .move_o(move),
      .move_done_i(move_done),
      .list_done_i(moves_done),
      .fetch_valid_o(fetch_valid),
      .fetch_ready_i(fetch_ready),
      .fetch_address_o(fetch_address),
      .fetch_length_o(fetch_length),
      .fetch_data_valid_i(fetch_data_valid),
      .fetch_data_i(fetch_data),
      .port_idle_i(port_idle),
      .port_error_i(port_error)
  );

  // ---- The port to off-chip memory.
  logic line_request, line_write;
  rpu_pkg::memory_e line_memory;
  logic [31:0] line_address;
  logic [Line-1:0] line_enable;
  logic [Line-1:0][ElementBits-1:0] line_in, line_out;
  rpu_dma #(
      .Config(Config),
      .Outstanding(Outstanding),
      .BurstBeats(BurstBeats),
      .Timeout(Timeout)
  ) i_dma (
      .clk_i,
      .rst_ni,
      .stop_i(stop),
      .move_valid_i(move_valid),
      .move_ready_o(move_ready),
      .move_i(move),
      .move_done_o(move_done),
      .list_done_o(moves_done),
      .fetch_valid_i(fetch_valid),
      .fetch_ready_o(fetch_ready),
      .fetch_address_i(fetch_address),
      .fetch_length_i(fetch_length),
      .fetch_data_valid_o(fetch_data_valid),
      .fetch_data_o(fetch_data),
      .idle_o(port_idle),
      .error_o(port_error),
      .line_request_o(line_request),
      .line_write_o(line_write),
      .line_memory_o(line_memory),
      .line_address_o(line_address),
      .line_enable_o(line_enable),
      .line_data_o(line_in),
      .line_data_i(line_out),
      .ar_valid_o(mem_ar_valid_o),
      .ar_ready_i(mem_ar_ready_i),
      .ar_addr_o(mem_ar_addr_o),
      .ar_len_o(mem_ar_len_o),
      .r_valid_i(mem_r_valid_i),
      .r_ready_o(mem_r_ready_o),
      .r_data_i(mem_r_data_i),
      .r_resp_i(mem_r_resp_i),
      .r_last_i(mem_r_last_i),
      .aw_valid_o(mem_aw_valid_o),
      .aw_ready_i(mem_aw_ready_i),
      .aw_addr_o(mem_aw_addr_o),
      .aw_len_o(mem_aw_len_o),
      .w_valid_o(mem_w_valid_o),
      .w_ready_i(mem_w_ready_i),
      .w_data_o(mem_w_data_o),
      .w_strb_o(mem_w_strb_o),
      .w_last_o(mem_w_last_o),
      .b_valid_i(mem_b_valid_i),
      .b_ready_o(mem_b_ready_o),
      .b_resp_i(mem_b_resp_i)
  );
  assign mem_ar_size_o  = 3'($clog2(Config.port_bytes));
  assign mem_aw_size_o  = 3'($clog2(Config.port_bytes));
  assign mem_ar_burst_o = Incremental;
  assign mem_aw_burst_o = Incremental;

  // ---- Starting: what is asked for waits until the data port is idle.
  assign asked     = control_notify & written.control.start;
  assign fits      = 32'(written.first.instruction) + 32'(written.count.instructions) <= Config.im_words;
  assign start     = pending_q & ~port_busy;
  assign pending_d = (pending_q & ~start) | (asked & fits & ~occupied);
  assign refused_d = (refused_q & ~status_notify) | (asked & (~fits | occupied)) |
                     (doorbell_notify & (occupied | dead));
  assign done_d    = (done_q & ~status_notify) | (done & ~list_busy) | list_done;
  `RW_FF(pending_q, pending_d, 1'b0)
  `RW_FF(refused_q, refused_d, 1'b0)
  `RW_FF(done_q, done_d, 1'b0)
  assign irq_o = done_q;

  always_comb begin
    read                           = '0;
    read.status.busy               = occupied | asked | doorbell_notify;
    read.status.done               = done_q;
    read.status.illegal            = illegal;
    read.status.refused            = refused_q;
    read.status.failed             = list_error != rpu_command_pkg::ErrorNone;
    read.status.silent             = dead;
    read.error.code                = list_error;
    read.error.command             = list_command;
    read.list_cycles.cycles        = list_cycles;
    read.cycles.cycles             = cycles;
    read.machine.log_hples         = 4'($clog2(Config.hples));
    read.machine.log_banks         = 4'($clog2(Config.banks));
    read.machine.log_vector_length = 4'($clog2(Config.vector_length));
    read.machine.word_bits         = 8'(Config.word_bits);
    read.machine.log_port_bytes    = 4'($clog2(Config.port_bytes));
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
      .blocked_i(busy | list_busy),
      .busy_o(port_busy),
      .host_request_o(host_request),
      .host_write_o(host_write),
      .host_memory_o(host_memory),
      .host_address_o(host_address),
      .host_data_o(host_write_data),
      .host_data_i(host_read_data)
  );

  rpu_core #(
      .Config(Config),
      .Holds(Holds)
  ) i_core (
      .clk_i,
      .rst_ni,
      .start_i(start | run),
      .start_address_i(run ? run_first : ImWidth'(written.first.instruction)),
      .count_i(run ? run_count : CountWidth'(written.count.instructions)),
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
      .move_request_i(line_request),
      .move_write_i(line_write),
      .move_memory_i(line_memory),
      .move_address_i(line_address),
      .move_enable_i(line_enable),
      .move_data_i(line_in),
      .move_data_o(line_out),
      .holds_i(holds),
      .violation_o(violation)
  );
endmodule
