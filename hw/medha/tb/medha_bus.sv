/// `medha` with two lanes, each port under a name of its own, for benches.
module medha_bus
  import medha_config_pkg::*;
#(
    parameter config_t Config = medha_machine_pkg::Machine,
    localparam int unsigned PortBytes = port_bytes(Config),
    localparam int unsigned PortWidth = 8 * PortBytes,
    localparam int unsigned Lanes     = 2
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        irq_o,

    input  logic        apb_psel_i,
    input  logic        apb_penable_i,
    input  logic        apb_pwrite_i,
    input  logic [4:0]  apb_paddr_i,
    input  logic [31:0] apb_pwdata_i,
    output logic        apb_pready_o,
    output logic [31:0] apb_prdata_o,
    output logic        apb_pslverr_o,

    output logic                 list_ar_valid_o,
    input  logic                 list_ar_ready_i,
    output logic [39:0]          list_ar_addr_o,
    output logic [7:0]           list_ar_len_o,
    input  logic                 list_r_valid_i,
    output logic                 list_r_ready_o,
    input  logic [127:0]         list_r_data_i,
    input  logic [1:0]           list_r_resp_i,
    input  logic                 list_r_last_i,
    // Nothing is written there.
    output logic                 list_aw_valid_o,
    input  logic                 list_aw_ready_i,
    output logic [39:0]          list_aw_addr_o,
    output logic [7:0]           list_aw_len_o,
    output logic                 list_w_valid_o,
    input  logic                 list_w_ready_i,
    output logic [127:0]         list_w_data_o,
    output logic [15:0]          list_w_strb_o,
    output logic                 list_w_last_o,
    input  logic                 list_b_valid_i,
    output logic                 list_b_ready_o,
    input  logic [1:0]           list_b_resp_i,

    output logic                 lane0_ar_valid_o,
    input  logic                 lane0_ar_ready_i,
    output logic [39:0]          lane0_ar_addr_o,
    output logic [7:0]           lane0_ar_len_o,
    input  logic                 lane0_r_valid_i,
    output logic                 lane0_r_ready_o,
    input  logic [PortWidth-1:0] lane0_r_data_i,
    input  logic [1:0]           lane0_r_resp_i,
    input  logic                 lane0_r_last_i,
    output logic                 lane0_aw_valid_o,
    input  logic                 lane0_aw_ready_i,
    output logic [39:0]          lane0_aw_addr_o,
    output logic [7:0]           lane0_aw_len_o,
    output logic                 lane0_w_valid_o,
    input  logic                 lane0_w_ready_i,
    output logic [PortWidth-1:0] lane0_w_data_o,
    output logic [PortBytes-1:0] lane0_w_strb_o,
    output logic                 lane0_w_last_o,
    input  logic                 lane0_b_valid_i,
    output logic                 lane0_b_ready_o,
    input  logic [1:0]           lane0_b_resp_i,

    output logic                 lane1_ar_valid_o,
    input  logic                 lane1_ar_ready_i,
    output logic [39:0]          lane1_ar_addr_o,
    output logic [7:0]           lane1_ar_len_o,
    input  logic                 lane1_r_valid_i,
    output logic                 lane1_r_ready_o,
    input  logic [PortWidth-1:0] lane1_r_data_i,
    input  logic [1:0]           lane1_r_resp_i,
    input  logic                 lane1_r_last_i,
    output logic                 lane1_aw_valid_o,
    input  logic                 lane1_aw_ready_i,
    output logic [39:0]          lane1_aw_addr_o,
    output logic [7:0]           lane1_aw_len_o,
    output logic                 lane1_w_valid_o,
    input  logic                 lane1_w_ready_i,
    output logic [PortWidth-1:0] lane1_w_data_o,
    output logic [PortBytes-1:0] lane1_w_strb_o,
    output logic                 lane1_w_last_o,
    input  logic                 lane1_b_valid_i,
    output logic                 lane1_b_ready_o,
    input  logic [1:0]           lane1_b_resp_i,
    output logic                 busy_o
);
  logic [Lanes-1:0] ar_valid, r_ready, aw_valid, w_valid, w_last, b_ready;
  logic [Lanes-1:0][39:0] ar_addr, aw_addr;
  logic [Lanes-1:0][7:0] ar_len, aw_len;
  logic [Lanes-1:0][PortWidth-1:0] w_data;
  logic [Lanes-1:0][PortBytes-1:0] w_strb;
  logic [2:0] list_ar_size;
  logic [1:0] list_ar_burst;
  logic [Lanes-1:0][2:0] ar_size, aw_size;
  logic [Lanes-1:0][1:0] ar_burst, aw_burst;
  medha #(
      .Config(Config)
  ) i_medha (
      .clk_i,
      .rst_ni,
      .irq_o,
      .apb_psel_i,
      .apb_penable_i,
      .apb_pwrite_i,
      .apb_paddr_i,
      .apb_pwdata_i,
      .apb_pready_o,
      .apb_prdata_o,
      .apb_pslverr_o,
      .list_ar_valid_o,
      .list_ar_ready_i,
      .list_ar_addr_o,
      .list_ar_len_o,
      .list_ar_size_o(list_ar_size),
      .list_ar_burst_o(list_ar_burst),
      .list_r_valid_i,
      .list_r_ready_o,
      .list_r_data_i,
      .list_r_resp_i,
      .lane_ar_valid_o(ar_valid),
      .lane_ar_ready_i({lane1_ar_ready_i, lane0_ar_ready_i}),
      .lane_ar_addr_o(ar_addr),
      .lane_ar_len_o(ar_len),
      .lane_ar_size_o(ar_size),
      .lane_ar_burst_o(ar_burst),
      .lane_r_valid_i({lane1_r_valid_i, lane0_r_valid_i}),
      .lane_r_ready_o(r_ready),
      .lane_r_data_i({lane1_r_data_i, lane0_r_data_i}),
      .lane_r_resp_i({lane1_r_resp_i, lane0_r_resp_i}),
      .lane_aw_valid_o(aw_valid),
      .lane_aw_ready_i({lane1_aw_ready_i, lane0_aw_ready_i}),
      .lane_aw_addr_o(aw_addr),
      .lane_aw_len_o(aw_len),
      .lane_aw_size_o(aw_size),
      .lane_aw_burst_o(aw_burst),
      .lane_w_valid_o(w_valid),
      .lane_w_ready_i({lane1_w_ready_i, lane0_w_ready_i}),
      .lane_w_data_o(w_data),
      .lane_w_strb_o(w_strb),
      .lane_w_last_o(w_last),
      .lane_b_valid_i({lane1_b_valid_i, lane0_b_valid_i}),
      .lane_b_ready_o(b_ready),
      .lane_b_resp_i({lane1_b_resp_i, lane0_b_resp_i})
  );
  assign list_aw_valid_o = 1'b0;
  assign list_aw_addr_o  = '0;
  assign list_aw_len_o   = '0;
  assign list_w_valid_o  = 1'b0;
  assign list_w_data_o   = '0;
  assign list_w_strb_o   = '0;
  assign list_w_last_o   = 1'b0;
  assign list_b_ready_o  = 1'b0;
  assign busy_o          = i_medha.core_busy;
  logic unused;
  assign unused = ^{list_ar_size, list_ar_burst, ar_size, ar_burst, aw_size, aw_burst, list_r_last_i,
                    list_aw_ready_i, list_w_ready_i, list_b_valid_i, list_b_resp_i, lane0_r_last_i,
                    lane1_r_last_i};
  assign lane0_ar_valid_o = ar_valid[0];
  assign lane0_ar_addr_o = ar_addr[0];
  assign lane0_ar_len_o = ar_len[0];
  assign lane0_r_ready_o = r_ready[0];
  assign lane0_aw_valid_o = aw_valid[0];
  assign lane0_aw_addr_o = aw_addr[0];
  assign lane0_aw_len_o = aw_len[0];
  assign lane0_w_valid_o = w_valid[0];
  assign lane0_w_data_o = w_data[0];
  assign lane0_w_strb_o = w_strb[0];
  assign lane0_w_last_o = w_last[0];
  assign lane0_b_ready_o = b_ready[0];
  assign lane1_ar_valid_o = ar_valid[1];
  assign lane1_ar_addr_o = ar_addr[1];
  assign lane1_ar_len_o = ar_len[1];
  assign lane1_r_ready_o = r_ready[1];
  assign lane1_aw_valid_o = aw_valid[1];
  assign lane1_aw_addr_o = aw_addr[1];
  assign lane1_aw_len_o = aw_len[1];
  assign lane1_w_valid_o = w_valid[1];
  assign lane1_w_data_o = w_data[1];
  assign lane1_w_strb_o = w_strb[1];
  assign lane1_w_last_o = w_last[1];
  assign lane1_b_ready_o = b_ready[1];
endmodule
