`include "registers.svh"

/// BlackParrot with our multiplier and an interrupt pin as a host (`hw/harness/soc/blackparrot.py` says
/// what is derived): its memory port as AXI4 of one line a beat, its uncached accesses below
/// `soc_pkg::DeviceEnd` as accesses of devices.
///
/// Requests are done one at a time and in order. A write of memory is answered when its data are on their
/// way; a device is reached when all of those have arrived.
/// An access of a device is answered with its 32 bits in both halves, because the core asks for eight
/// bytes at the address and takes those that it wants.
module soc_host
  import bp_common_pkg::*;
  import bp_common_aviary_pkg::*;
  import bp_cce_pkg::*;
  import bp_me_pkg::*;
  import soc_pkg::*;
  import soc_host_pkg::*;
#(
    parameter bp_params_e bp_params_p = e_bp_softcore_cfg
    `declare_bp_proc_params(bp_params_p)
    `declare_bp_me_if_widths(paddr_width_p, cce_block_width_p, lce_id_width_p, lce_assoc_p),
    localparam int unsigned QueuedRequests = 4,
    /// The memory has fewer.
    localparam int unsigned WritesWidth = 8
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   interrupt_i,

    output logic                   device_start_o,
    output logic                   device_write_o,
    output logic [31:0]            device_address_o,
    output logic [63:0]            device_data_o,
    input  logic                   device_done_i,
    input  logic [63:0]            device_data_i,

    output logic                   ar_valid_o,
    input  logic                   ar_ready_i,
    output logic [63:0]            ar_addr_o,
    output logic [7:0]             ar_len_o,
    output logic [2:0]             ar_size_o,
    input  logic                   r_valid_i,
    output logic                   r_ready_o,
    input  logic [8*BeatBytes-1:0] r_data_i,
    input  logic [1:0]             r_resp_i,
    input  logic                   r_last_i,
    output logic                   aw_valid_o,
    input  logic                   aw_ready_i,
    output logic [63:0]            aw_addr_o,
    output logic [2:0]             aw_size_o,
    output logic                   w_valid_o,
    input  logic                   w_ready_i,
    output logic [8*BeatBytes-1:0] w_data_o,
    output logic [BeatBytes-1:0]   w_strb_o,
    output logic                   w_last_o,
    input  logic                   b_valid_i,
    output logic                   b_ready_o,
    input  logic [1:0]             b_resp_i,

    input  narrow_request_t        coherent_i,
    output narrow_answer_t         coherent_o
);
  // There is no such port, and errors are asked of `soc_devices`.
  assign coherent_o = '0;
  logic unused;
  assign unused = &{coherent_i, r_resp_i, r_last_i, b_resp_i};

  `declare_bp_me_if(paddr_width_p, cce_block_width_p, lce_id_width_p, lce_assoc_p);

  bp_cce_mem_msg_s command, queued, answer;
  logic command_valid, command_ready, queued_valid, answer_valid, answer_taken;
  logic [cce_mem_msg_width_lp-1:0] unused_io_command;
  logic unused_io_valid, unused_io_taken;
  bp_softcore #(
      .bp_params_p(bp_params_p)
  ) i_core (
      .clk_i,
      .reset_i(!rst_ni),
      .external_irq_i(interrupt_i),
      .io_cmd_o(unused_io_command),
      .io_cmd_v_o(unused_io_valid),
      .io_cmd_ready_i(1'b1),
      .io_resp_i('0),
      .io_resp_v_i(1'b0),
      .io_resp_yumi_o(unused_io_taken),
      .mem_cmd_o(command),
      .mem_cmd_v_o(command_valid),
      .mem_cmd_ready_i(command_ready),
      .mem_resp_i(answer),
      .mem_resp_v_i(answer_valid),
      .mem_resp_yumi_o(answer_taken)
  );

  typedef enum logic [2:0] {Idle, Address, WriteData, Wait, Device, Answer} state_e;
  logic [WritesWidth-1:0] writes_q;
  state_e state_d, state_q;
  bp_cce_mem_msg_s request_q;
  logic [cce_block_width_p-1:0] data_q;
  logic taken, is_write, is_device, got;
  logic [63:0] address;

  // A store that finds no room is tried again from the start, so there is some.
  fifo #(
      .data_t(bp_cce_mem_msg_s),
      .Depth(QueuedRequests)
  ) i_queue (
      .clk_i,
      .rst_ni,
      .valid_i(command_valid & command_ready),
      .ready_o(command_ready),
      .data_i(command),
      .valid_o(queued_valid),
      .ready_i(state_q == Idle),
      .data_o(queued)
  );
  assign taken = queued_valid & (state_q == Idle);
  `RW_FFLNR(request_q, queued, taken)

  assign is_write = request_q.header.msg_type inside {e_cce_mem_wb, e_cce_mem_uc_wr};
  assign is_device = request_q.header.addr >= 40'(DeviceBase) && request_q.header.addr < 40'(DeviceEnd);
  // The alias is the memory, elsewhere.
  always_comb begin
    address = 64'(request_q.header.addr);
    if (request_q.header.addr >= 40'(AliasBase) && request_q.header.addr < 40'(ReadOnlyBase)) begin
      address = address - 64'(AliasBase) + 64'(MemoryBase);
    end
    if (!is_write && request_q.header.msg_type == e_cce_mem_uc_rd) address[2:0] = '0;
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:      if (taken) state_d = Address;
      Address: begin
        if (is_device) state_d = (writes_q == '0) ? Device : Address;
        else if (is_write ? aw_ready_i : ar_ready_i) state_d = is_write ? WriteData : Wait;
      end
      WriteData: if (w_ready_i) state_d = Answer;
      Wait:      if (r_valid_i) state_d = Answer;
      Device:    if (device_done_i) state_d = Answer;
      default:   if (answer_taken) state_d = Idle;
    endcase
  end
  `RW_FF(state_q, state_d, Idle)

  // Writes on their way.
  `RW_FF(writes_q, writes_q + WritesWidth'(w_valid_o & w_ready_i) - WritesWidth'(b_valid_i), '0)

  assign ar_valid_o = state_q == Address && !is_device && !is_write;
  assign ar_addr_o  = address;
  assign ar_len_o   = '0;
  assign ar_size_o  = request_q.header.size;
  assign r_ready_o  = 1'b1;
  assign aw_valid_o = state_q == Address && !is_device && is_write;
  assign aw_addr_o  = address;
  assign aw_size_o  = request_q.header.size;
  assign w_valid_o  = state_q == WriteData;
  assign w_last_o   = 1'b1;
  assign b_ready_o  = 1'b1;
  always_comb begin
    if (request_q.header.size == e_mem_size_64) begin
      w_data_o = request_q.data;
      w_strb_o = '1;
    end else begin
      w_data_o = 512'(request_q.data[63:0]) << (8 * address[5:0]);
      w_strb_o = ((64'd1 << (64'd1 << request_q.header.size)) - 64'd1) << address[5:0];
    end
  end

  assign device_start_o   = state_q == Address && is_device && writes_q == '0;
  assign device_write_o   = is_write;
  assign device_address_o = request_q.header.addr[31:0];
  assign device_data_o    = request_q.data[63:0];

  assign got = (state_q == Wait && r_valid_i) || (state_q == Device && device_done_i);
  logic [cce_block_width_p-1:0] data_d;
  always_comb begin
    if (state_q == Device) data_d = cce_block_width_p'(device_data_i);
    else if (request_q.header.size == e_mem_size_64) data_d = r_data_i;
    else data_d = cce_block_width_p'(64'(r_data_i >> (8 * address[5:0])));
  end
  `RW_FFLNR(data_q, data_d, got)
  assign answer       = '{header: request_q.header, data: data_q};
  assign answer_valid = state_q == Answer;
endmodule
