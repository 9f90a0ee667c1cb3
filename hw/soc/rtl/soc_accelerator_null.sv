/// Nothing in the socket but the registers of RISE (`soc_null`).
module soc_accelerator #(
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
  assign {ar_valid_o, ar_addr_o, ar_len_o, ar_size_o, r_ready_o} = '0;
  assign {aw_valid_o, aw_addr_o, aw_len_o, aw_size_o, w_valid_o, w_data_o, w_strb_o, w_last_o, b_ready_o} = '0;
  logic unused;
  assign unused = &{apb_paddr_i[15:10], ar_ready_i, r_valid_i, r_data_i, r_resp_i, r_last_i,
                    aw_ready_i, w_ready_i, b_valid_i, b_resp_i};
  soc_null #(
      `SOC_MACHINE
  ) i_null (
      .clk_i,
      .rst_ni,
      .apb_psel_i,
      .apb_penable_i,
      .apb_pwrite_i,
      .apb_paddr_i(apb_paddr_i[9:0]),
      .apb_pwdata_i,
      .apb_pready_o,
      .apb_prdata_o,
      .apb_pslverr_o,
      .interrupt_o
  );
endmodule
