/// The whole Ring Processing Unit in the socket: a core starts it with a list of commands.
///
/// What it calls address 0 is `WindowBase`. Its data port is not used: a list brings everything.
module soc_accelerator
  import soc_pkg::*;
#(
    parameter int unsigned PortBytes = 8
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   apb_psel_i,
    input  logic                   apb_penable_i,
    input  logic                   apb_pwrite_i,
    input  logic [15:0]            apb_paddr_i,
    input  logic [31:0]            apb_pwdata_i,
    output logic                   apb_pready_o,
    output logic [31:0]            apb_prdata_o,
    output logic                   apb_pslverr_o,
    output logic                   interrupt_o,
    output logic                   ar_valid_o,
    input  logic                   ar_ready_i,
    output logic [63:0]            ar_addr_o,
    output logic [7:0]             ar_len_o,
    output logic [2:0]             ar_size_o,
    input  logic                   r_valid_i,
    output logic                   r_ready_o,
    input  logic [8*PortBytes-1:0] r_data_i,
    input  logic [1:0]             r_resp_i,
    input  logic                   r_last_i,
    output logic                   aw_valid_o,
    input  logic                   aw_ready_i,
    output logic [63:0]            aw_addr_o,
    output logic [7:0]             aw_len_o,
    output logic [2:0]             aw_size_o,
    output logic                   w_valid_o,
    input  logic                   w_ready_i,
    output logic [8*PortBytes-1:0] w_data_o,
    output logic [PortBytes-1:0]   w_strb_o,
    output logic                   w_last_o,
    input  logic                   b_valid_i,
    output logic                   b_ready_o,
    input  logic [1:0]             b_resp_i
);
  localparam int unsigned AddressWidth = rpu_command_pkg::AddressWidth;
  localparam int unsigned IdWidth = 4;
  localparam int unsigned DataWidth = (rpu_machine_pkg::Machine.word_bits > 64) ? 128 : 64;
  logic [AddressWidth-1:0] ar_addr, aw_addr;
  logic unused_aw_ready, unused_w_ready, unused_b_valid, unused_ar_ready, unused_r_valid, unused_r_last;
  logic [IdWidth-1:0] unused_b_id, unused_r_id;
  logic [1:0] unused_b_resp, unused_r_resp, unused_mem_ar_burst, unused_mem_aw_burst;
  logic [DataWidth-1:0] unused_r_data;
  logic unused;
  assign unused = &{apb_paddr_i[15:6]};
  assign ar_addr_o = 64'(ar_addr) + 64'(WindowBase);
  assign aw_addr_o = 64'(aw_addr) + 64'(WindowBase);
  rpu #(
      `SOC_MACHINE
  ) i_rpu (
      .clk_i,
      .rst_ni,
      .irq_o(interrupt_o),
      .apb_psel_i,
      .apb_penable_i,
      .apb_pwrite_i,
      .apb_paddr_i(apb_paddr_i[5:0]),
      .apb_pwdata_i,
      .apb_pready_o,
      .apb_prdata_o,
      .apb_pslverr_o,
      .aw_valid_i('0),
      .aw_ready_o(unused_aw_ready),
      .aw_id_i('0),
      .aw_addr_i('0),
      .aw_len_i('0),
      .aw_size_i('0),
      .aw_burst_i('0),
      .w_valid_i('0),
      .w_ready_o(unused_w_ready),
      .w_data_i('0),
      .w_strb_i('0),
      .w_last_i('0),
      .b_valid_o(unused_b_valid),
      .b_ready_i('0),
      .b_id_o(unused_b_id),
      .b_resp_o(unused_b_resp),
      .ar_valid_i('0),
      .ar_ready_o(unused_ar_ready),
      .ar_id_i('0),
      .ar_addr_i('0),
      .ar_len_i('0),
      .ar_size_i('0),
      .ar_burst_i('0),
      .r_valid_o(unused_r_valid),
      .r_ready_i('0),
      .r_id_o(unused_r_id),
      .r_data_o(unused_r_data),
      .r_resp_o(unused_r_resp),
      .r_last_o(unused_r_last),
      .mem_ar_valid_o(ar_valid_o),
      .mem_ar_ready_i(ar_ready_i),
      .mem_ar_addr_o(ar_addr),
      .mem_ar_len_o(ar_len_o),
      .mem_ar_size_o(ar_size_o),
      .mem_ar_burst_o(unused_mem_ar_burst),
      .mem_r_valid_i(r_valid_i),
      .mem_r_ready_o(r_ready_o),
      .mem_r_data_i(r_data_i),
      .mem_r_resp_i(r_resp_i),
      .mem_r_last_i(r_last_i),
      .mem_aw_valid_o(aw_valid_o),
      .mem_aw_ready_i(aw_ready_i),
      .mem_aw_addr_o(aw_addr),
      .mem_aw_len_o(aw_len_o),
      .mem_aw_size_o(aw_size_o),
      .mem_aw_burst_o(unused_mem_aw_burst),
      .mem_w_valid_o(w_valid_o),
      .mem_w_ready_i(w_ready_i),
      .mem_w_data_o(w_data_o),
      .mem_w_strb_o(w_strb_o),
      .mem_w_last_o(w_last_o),
      .mem_b_valid_i(b_valid_i),
      .mem_b_ready_o(b_ready_o),
      .mem_b_resp_i(b_resp_i)
  );
endmodule
