`include "registers.svh"

/// Rocket as a host (`LitexFullConfig`): its memory port as it is, its device port as accesses of devices,
/// its coherent port
/// for accelerator and modem.
///
/// The core begins at `BootBase`, where two beats of instructions send it to `ReadOnlyBase`. Answers of
/// memory come in the order of requests, so a queue knows whose they are.
module soc_host
  import soc_pkg::*;
  import soc_host_pkg::*;
#(
    /// More than the memory has on its way.
    localparam int unsigned Outstanding = 16
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
  localparam logic [1:0] Incrementing = 2'b01;
  // lui t0, ReadOnlyBase / 2; slli t0, t0, 1; jr t0; nop.
  localparam logic [127:0] Boot = {
      32'h0000_0013, 32'h0002_8067, 32'h0012_9293, {1'b0, ReadOnlyBase[31:13], 12'h2b7}
  };

  // ---- Memory.
  logic [3:0] ar_id, aw_id, r_id, b_id;
  logic ar_wanted, aw_wanted, ar_room, aw_room, unused_r_known, unused_b_known;
  fifo #(
      .data_t(logic [3:0]),
      .Depth(Outstanding)
  ) i_readers (
      .clk_i,
      .rst_ni,
      .valid_i(ar_valid_o & ar_ready_i),
      .ready_o(ar_room),
      .data_i(ar_id),
      .valid_o(unused_r_known),
      .ready_i(r_valid_i & r_ready_o & r_last_i),
      .data_o(r_id)
  );
  fifo #(
      .data_t(logic [3:0]),
      .Depth(Outstanding)
  ) i_writers (
      .clk_i,
      .rst_ni,
      .valid_i(aw_valid_o & aw_ready_i),
      .ready_o(aw_room),
      .data_i(aw_id),
      .valid_o(unused_b_known),
      .ready_i(b_valid_i & b_ready_o),
      .data_o(b_id)
  );
  assign ar_valid_o = ar_wanted & ar_room;
  assign aw_valid_o = aw_wanted & aw_room;
  assign ar_addr_o[63:32] = '0;
  assign aw_addr_o[63:32] = '0;

  // ---- Devices: one access at a time. A burst, which only a transfer that lost its way makes, is
  // answered with an error, beat by beat.
  logic m_ar_valid, m_r_ready, m_aw_valid, m_w_valid, m_w_last, m_b_ready;
  logic [30:0] m_ar_addr, m_aw_addr;
  logic [3:0] m_ar_id, m_aw_id, id_q;
  logic [7:0] m_ar_len, m_aw_len, left_q;
  logic [1:0] m_resp;
  logic [63:0] m_w_data, m_r_data, data_q;
  typedef enum logic [2:0] {Idle, Beats, Reading, Writing, Read, Swallowing, Written} state_e;
  state_e state_d, state_q;
  logic takes_read, takes_write, is_boot, is_burst, is_burst_q;
  logic beat_q;
  assign is_boot     = {1'b0, m_ar_addr[30:6]} == BootBase[31:6];
  assign takes_read  = state_q == Idle && m_ar_valid;
  assign takes_write = state_q == Idle && !m_ar_valid && m_aw_valid && m_w_valid;
  assign is_burst    = takes_read ? !is_boot && m_ar_len != '0 : m_aw_len != '0;
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (takes_read) state_d = (is_boot || is_burst) ? Beats : Reading;
        else if (takes_write) state_d = is_burst ? Swallowing : Writing;
      end
      Beats:      if (m_r_ready && left_q == '0) state_d = Idle;
      Reading:    if (device_done_i) state_d = Read;
      Writing:    if (device_done_i) state_d = Written;
      Read:       if (m_r_ready) state_d = Idle;
      Swallowing: if (m_w_valid && m_w_last) state_d = Written;
      default:    if (m_b_ready) state_d = Idle;
    endcase
  end
  assign m_resp = {is_burst_q, 1'b0};
  always_comb begin
    m_r_data = (state_q == Read) ? data_q : Boot[64*beat_q+:64];
    // Whoever computes with it before he sees the error has numbers.
    if (is_burst_q) m_r_data = '0;
  end
  `RW_FF(state_q, state_d, Idle)
  `RW_FFLNR(id_q, takes_read ? m_ar_id : m_aw_id, takes_read | takes_write)
  `RW_FFLNR(is_burst_q, is_burst, takes_read | takes_write)
  `RW_FFLNR(data_q, device_data_i, device_done_i)
  // Of the instructions to begin with: which beat, and how many come behind it.
  always_ff @(posedge clk_i) begin
    if (takes_read) begin
      beat_q <= m_ar_addr[3];
      left_q <= m_ar_len;
    end else if (state_q == Beats && m_r_ready) begin
      beat_q <= ~beat_q;
      left_q <= left_q - 8'd1;
    end
  end
  assign device_start_o   = ((takes_read & ~is_boot) | takes_write) & ~is_burst;
  assign device_write_o   = takes_write;
  assign device_address_o = {1'b0, takes_read ? m_ar_addr : m_aw_addr};
  assign device_data_o    = m_aw_addr[2] ? m_w_data >> 32 : m_w_data;

  // ---- The core with its caches, bridges and interrupt controller.
  logic debug_active;
  logic [6:0] unused_r_id, unused_b_id;
  ExampleRocketSystem i_core (
      .clock(clk_i),
      .reset(~rst_ni),
      .mem_axi4_0_aw_ready(aw_ready_i & aw_room),
      .mem_axi4_0_aw_valid(aw_wanted),
      .mem_axi4_0_aw_bits_id(aw_id),
      .mem_axi4_0_aw_bits_addr(aw_addr_o[31:0]),
      .mem_axi4_0_aw_bits_len(),
      .mem_axi4_0_aw_bits_size(aw_size_o),
      .mem_axi4_0_aw_bits_burst(),
      .mem_axi4_0_aw_bits_lock(),
      .mem_axi4_0_aw_bits_cache(),
      .mem_axi4_0_aw_bits_prot(),
      .mem_axi4_0_aw_bits_qos(),
      .mem_axi4_0_w_ready(w_ready_i),
      .mem_axi4_0_w_valid(w_valid_o),
      .mem_axi4_0_w_bits_data(w_data_o),
      .mem_axi4_0_w_bits_strb(w_strb_o),
      .mem_axi4_0_w_bits_last(w_last_o),
      .mem_axi4_0_b_ready(b_ready_o),
      .mem_axi4_0_b_valid(b_valid_i),
      .mem_axi4_0_b_bits_id(b_id),
      .mem_axi4_0_b_bits_resp(b_resp_i),
      .mem_axi4_0_ar_ready(ar_ready_i & ar_room),
      .mem_axi4_0_ar_valid(ar_wanted),
      .mem_axi4_0_ar_bits_id(ar_id),
      .mem_axi4_0_ar_bits_addr(ar_addr_o[31:0]),
      .mem_axi4_0_ar_bits_len(ar_len_o),
      .mem_axi4_0_ar_bits_size(ar_size_o),
      .mem_axi4_0_ar_bits_burst(),
      .mem_axi4_0_ar_bits_lock(),
      .mem_axi4_0_ar_bits_cache(),
      .mem_axi4_0_ar_bits_prot(),
      .mem_axi4_0_ar_bits_qos(),
      .mem_axi4_0_r_ready(r_ready_o),
      .mem_axi4_0_r_valid(r_valid_i),
      .mem_axi4_0_r_bits_id(r_id),
      .mem_axi4_0_r_bits_data(r_data_i),
      .mem_axi4_0_r_bits_resp(r_resp_i),
      .mem_axi4_0_r_bits_last(r_last_i),

      .mmio_axi4_0_aw_ready(takes_write),
      .mmio_axi4_0_aw_valid(m_aw_valid),
      .mmio_axi4_0_aw_bits_id(m_aw_id),
      .mmio_axi4_0_aw_bits_addr(m_aw_addr),
      .mmio_axi4_0_aw_bits_len(m_aw_len),
      .mmio_axi4_0_aw_bits_size(),
      .mmio_axi4_0_aw_bits_burst(),
      .mmio_axi4_0_aw_bits_lock(),
      .mmio_axi4_0_aw_bits_cache(),
      .mmio_axi4_0_aw_bits_prot(),
      .mmio_axi4_0_aw_bits_qos(),
      .mmio_axi4_0_w_ready(takes_write || state_q == Swallowing),
      .mmio_axi4_0_w_valid(m_w_valid),
      .mmio_axi4_0_w_bits_data(m_w_data),
      .mmio_axi4_0_w_bits_strb(),
      .mmio_axi4_0_w_bits_last(m_w_last),
      .mmio_axi4_0_b_ready(m_b_ready),
      .mmio_axi4_0_b_valid(state_q == Written),
      .mmio_axi4_0_b_bits_id(id_q),
      .mmio_axi4_0_b_bits_resp(m_resp),
      .mmio_axi4_0_ar_ready(state_q == Idle),
      .mmio_axi4_0_ar_valid(m_ar_valid),
      .mmio_axi4_0_ar_bits_id(m_ar_id),
      .mmio_axi4_0_ar_bits_addr(m_ar_addr),
      .mmio_axi4_0_ar_bits_len(m_ar_len),
      .mmio_axi4_0_ar_bits_size(),
      .mmio_axi4_0_ar_bits_burst(),
      .mmio_axi4_0_ar_bits_lock(),
      .mmio_axi4_0_ar_bits_cache(),
      .mmio_axi4_0_ar_bits_prot(),
      .mmio_axi4_0_ar_bits_qos(),
      .mmio_axi4_0_r_ready(m_r_ready),
      .mmio_axi4_0_r_valid(state_q inside {Beats, Read}),
      .mmio_axi4_0_r_bits_id(id_q),
      .mmio_axi4_0_r_bits_data(m_r_data),
      .mmio_axi4_0_r_bits_resp(m_resp),
      .mmio_axi4_0_r_bits_last(state_q == Read || left_q == '0),

      .l2_frontend_bus_axi4_0_aw_ready(coherent_o.aw_ready),
      .l2_frontend_bus_axi4_0_aw_valid(coherent_i.aw_valid),
      .l2_frontend_bus_axi4_0_aw_bits_id({7'd0, coherent_i.aw_id}),
      .l2_frontend_bus_axi4_0_aw_bits_addr(coherent_i.aw_addr[31:0]),
      .l2_frontend_bus_axi4_0_aw_bits_len(coherent_i.aw_len[7:0]),
      .l2_frontend_bus_axi4_0_aw_bits_size(coherent_i.aw_size),
      .l2_frontend_bus_axi4_0_aw_bits_burst(Incrementing),
      .l2_frontend_bus_axi4_0_aw_bits_lock('0),
      .l2_frontend_bus_axi4_0_aw_bits_cache('0),
      .l2_frontend_bus_axi4_0_aw_bits_prot('0),
      .l2_frontend_bus_axi4_0_aw_bits_qos('0),
      .l2_frontend_bus_axi4_0_w_ready(coherent_o.w_ready),
      .l2_frontend_bus_axi4_0_w_valid(coherent_i.w_valid),
      .l2_frontend_bus_axi4_0_w_bits_data(coherent_i.w_data),
      .l2_frontend_bus_axi4_0_w_bits_strb(coherent_i.w_strb),
      .l2_frontend_bus_axi4_0_w_bits_last(coherent_i.w_last),
      .l2_frontend_bus_axi4_0_b_ready(coherent_i.b_ready),
      .l2_frontend_bus_axi4_0_b_valid(coherent_o.b_valid),
      .l2_frontend_bus_axi4_0_b_bits_id({unused_b_id, coherent_o.b_id}),
      .l2_frontend_bus_axi4_0_b_bits_resp(coherent_o.b_resp),
      .l2_frontend_bus_axi4_0_ar_ready(coherent_o.ar_ready),
      .l2_frontend_bus_axi4_0_ar_valid(coherent_i.ar_valid),
      .l2_frontend_bus_axi4_0_ar_bits_id({7'd0, coherent_i.ar_id}),
      .l2_frontend_bus_axi4_0_ar_bits_addr(coherent_i.ar_addr[31:0]),
      .l2_frontend_bus_axi4_0_ar_bits_len(coherent_i.ar_len[7:0]),
      .l2_frontend_bus_axi4_0_ar_bits_size(coherent_i.ar_size),
      .l2_frontend_bus_axi4_0_ar_bits_burst(Incrementing),
      .l2_frontend_bus_axi4_0_ar_bits_lock('0),
      .l2_frontend_bus_axi4_0_ar_bits_cache('0),
      .l2_frontend_bus_axi4_0_ar_bits_prot('0),
      .l2_frontend_bus_axi4_0_ar_bits_qos('0),
      .l2_frontend_bus_axi4_0_r_ready(coherent_i.r_ready),
      .l2_frontend_bus_axi4_0_r_valid(coherent_o.r_valid),
      .l2_frontend_bus_axi4_0_r_bits_id({unused_r_id, coherent_o.r_id}),
      .l2_frontend_bus_axi4_0_r_bits_data(coherent_o.r_data),
      .l2_frontend_bus_axi4_0_r_bits_resp(coherent_o.r_resp),
      .l2_frontend_bus_axi4_0_r_bits_last(coherent_o.r_last),

      .resetctrl_hartIsInReset_0(~rst_ni),
      .debug_clock(clk_i),
      .debug_reset(~rst_ni),
      .debug_clockeddmi_dmi_req_ready(),
      .debug_clockeddmi_dmi_req_valid('0),
      .debug_clockeddmi_dmi_req_bits_addr('0),
      .debug_clockeddmi_dmi_req_bits_data('0),
      .debug_clockeddmi_dmi_req_bits_op('0),
      .debug_clockeddmi_dmi_resp_ready('0),
      .debug_clockeddmi_dmi_resp_valid(),
      .debug_clockeddmi_dmi_resp_bits_data(),
      .debug_clockeddmi_dmi_resp_bits_resp(),
      .debug_clockeddmi_dmiClock(clk_i),
      .debug_clockeddmi_dmiReset(~rst_ni),
      .debug_ndreset(),
      .debug_dmactive(debug_active),
      .debug_dmactiveAck(debug_active),
      .interrupts({7'd0, interrupt_i})
  );
endmodule
