`include "registers.svh"
`include "assertions.svh"

/// RPAUs in a ring, with DMA lanes: runs kernels that stand in the streams of their units.
///
/// A kernel is started with `start_i`; its first microinstructions begin `start_cycles` later. It is done
/// when all streams have come to their ends. Each unit counts the microinstructions that have ended, and
/// all streams see all counts. A microinstruction that may not begin stops everything: `wrong_o` says
/// why and where until the next start.
///
/// Tables are set while nothing runs: `set_unit_i` is an RPAU, or 16 and a lane. In `address_i` of code
/// and entries of an RPAU, bits 23:20 are the stream: NTT core, dyadic core, link, what the ring brings.
module medha_core
  import medha_config_pkg::*;
  import medha_isa_pkg::*;
  import medha_pkg::*;
#(
    parameter config_t Config = medha_machine_pkg::Machine,
    localparam int unsigned Banks       = banks(Config),
    localparam int unsigned LogMaxN     = $clog2(Config.max_degree),
    localparam int unsigned BitWidth    = $clog2(LogMaxN + 2),
    localparam int unsigned Width       = Config.wide_bits,
    localparam int unsigned Lanes       = Config.dma_lanes,
    localparam int unsigned KernelWidth = $clog2(Kernels)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,

    input  logic                                   set_i,
    input  logic [4:0]                             set_unit_i,
    input  table_e                                 set_table_i,
    input  logic [23:0]                            set_address_i,
    input  logic [InstructionWidth-1:0]            set_data_i,
    input  logic                                   set_log_n_i,
    input  logic [BitWidth-1:0]                    log_n_i,

    input  logic                                   start_i,
    input  logic [KernelWidth-1:0]                 kernel_i,
    output logic                                   busy_o,
    output logic                                   done_o,
    output wrong_e                                 wrong_o,
    output logic [3:0]                             wrong_rpau_o,

    output logic [Lanes-1:0]                       request_o,
    output logic [Lanes-1:0]                       request_stores_o,
    output logic [Lanes-1:0][63:0]                 request_address_o,
    input  logic [Lanes-1:0]                       row_valid_i,
    input  logic [Lanes-1:0][Banks-1:0][Width-1:0] row_i,
    input  logic [Lanes-1:0]                       row_ready_i,
    output logic [Lanes-1:0]                       row_valid_o,
    output logic [Lanes-1:0][Banks-1:0][Width-1:0] row_o,
    input  logic [Lanes-1:0]                       stored_i
);
  localparam int unsigned Rpaus      = Config.rpaus;
  localparam int unsigned RowWidth   = LogMaxN - $clog2(Banks);
  localparam int unsigned StartWidth = $clog2(Config.start_cycles + 1);
  typedef logic [Banks-1:0][Width-1:0] words_t;

  // ---- The kernel at work.
  logic [BitWidth-1:0] log_n_q;
  logic [StartWidth-1:0] until_open_d, until_open_q;
  logic busy_d, busy_q, open, halt;
  logic [Rpaus-1:0] rpau_running;
  logic [Lanes-1:0] lane_running;
  wrong_e [Rpaus-1:0] rpau_wrong;
  logic [Rpaus-1:0] link_wrong;
  wrong_e wrong_d, wrong_q;
  logic [3:0] wrong_rpau_d, wrong_rpau_q;
  `RW_FFL(log_n_q, log_n_i, set_log_n_i, BitWidth'(LogMaxN))
  assign until_open_d = start_i ? StartWidth'(Config.start_cycles) :
                        (until_open_q != '0) ? until_open_q - 1'b1 : '0;
  `RW_FF(until_open_q, until_open_d, '0)
  assign open = busy_q && until_open_q <= StartWidth'(1);
  // Streams run from the cycle after the start on.
  assign done_o = busy_q && rpau_running == '0 && lane_running == '0;
  assign busy_d = start_i || (busy_q && !done_o);
  `RW_FF(busy_q, busy_d, 1'b0)
  assign busy_o = busy_q;
  always_comb begin
    wrong_d      = start_i ? WrongNone : wrong_q;
    wrong_rpau_d = wrong_rpau_q;
    for (int unsigned r = 0; r < Rpaus; r++) begin
      if (wrong_d == WrongNone && (rpau_wrong[r] != WrongNone || link_wrong[r])) begin
        wrong_d      = (rpau_wrong[r] != WrongNone) ? rpau_wrong[r] : WrongPort;
        wrong_rpau_d = 4'(r);
      end
    end
  end
  `RW_FF(wrong_q, wrong_d, WrongNone)
  `RW_FF(wrong_rpau_q, wrong_rpau_d, '0)
  assign halt         = wrong_q != WrongNone;
  assign wrong_o      = wrong_q;
  assign wrong_rpau_o = wrong_rpau_q;

  // ---- How many of each unit have ended.
  logic [Units-1:0] ended;
  logic [Units-1:0][CountWidth-1:0] counts;
  for (genvar u = 0; u < Units; u++) begin : gen_count
    if (u < Lanes || (u >= MostLanes && u < MostLanes + 3 * Rpaus)) begin : gen_unit
      logic [CountWidth-1:0] count_d, count_q;
      assign count_d   = start_i ? '0 : count_q + CountWidth'(ended[u]);
      `RW_FF(count_q, count_d, '0)
      assign counts[u] = count_q;
    end else begin : gen_none
      assign counts[u] = '0;
    end
  end
  for (genvar u = Lanes; u < MostLanes; u++) begin : gen_no_lane
    assign ended[u] = 1'b0;
  end
  assign ended[Units-1:MostLanes+3*Rpaus] = '0;
  logic unused_ended;
  assign unused_ended = ^ended;

  // ---- Lanes.
  logic [Lanes-1:0][7:0] lane_rpau;
  logic [Lanes-1:0] lane_want, lane_stores, lane_end, lane_read, lane_write, lane_allowed;
  slot_t [Lanes-1:0] lane_slot;
  logic [Lanes-1:0][RowWidth-1:0] lane_row;
  words_t [Lanes-1:0] lane_data, lane_data_read;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    medha_lane #(
        .Config(Config)
    ) i_lane (
        .clk_i,
        .rst_ni,
        .set_i(set_i && set_unit_i == 5'(16 + l)),
        .table_i(set_table_i),
        .address_i(set_address_i),
        .data_i(set_data_i),
        .start_i,
        .kernel_i,
        .halt_i(halt),
        .open_i(open),
        .log_n_i(log_n_q),
        .counts_i(counts),
        .running_o(lane_running[l]),
        .ended_o(ended[l]),
        .rpau_o(lane_rpau[l]),
        .want_o(lane_want[l]),
        .slot_o(lane_slot[l]),
        .stores_o(lane_stores[l]),
        .allowed_i(lane_allowed[l]),
        .end_o(lane_end[l]),
        .read_o(lane_read[l]),
        .write_o(lane_write[l]),
        .row_o(lane_row[l]),
        .data_o(lane_data[l]),
        .data_read_i(lane_data_read[l]),
        .request_o(request_o[l]),
        .request_stores_o(request_stores_o[l]),
        .request_address_o(request_address_o[l]),
        .row_valid_i(row_valid_i[l]),
        .row_i(row_i[l]),
        .row_ready_i(row_ready_i[l]),
        .row_valid_o(row_valid_o[l]),
        .row_out_o(row_o[l]),
        .stored_i(stored_i[l])
    );
  end

  // ---- RPAUs and links; link r goes from RPAU r to the next.
  logic [Rpaus-1:0] link_valid, passes, owns;
  words_t [Rpaus-1:0] link_data, own_data;
  logic [Rpaus-1:0][Lanes-1:0] rpau_allowed;
  words_t [Rpaus-1:0][Lanes-1:0] rpau_data;
  for (genvar r = 0; r < Rpaus; r++) begin : gen_rpau
    localparam int unsigned Before = (r + Rpaus - 1) % Rpaus;
    logic [Lanes-1:0] mine;
    for (genvar l = 0; l < Lanes; l++) begin : gen_mine
      assign mine[l] = lane_rpau[l] == 8'(r);
    end
    medha_rpau #(
        .Config(Config),
        .Index(r)
    ) i_rpau (
        .clk_i,
        .rst_ni,
        .set_i(set_i && set_unit_i == 5'(r)),
        .table_i(set_table_i),
        .address_i(set_address_i),
        .data_i(set_data_i),
        .start_i,
        .kernel_i,
        .halt_i(halt),
        .open_i(open),
        .log_n_i(log_n_q),
        .counts_i(counts),
        .running_o(rpau_running[r]),
        .ended_o(ended[MostLanes+3*r+:3]),
        .wrong_o(rpau_wrong[r]),
        .from_ring_i(link_valid[Before]),
        .from_ring_data_i(link_data[Before]),
        .pass_o(passes[r]),
        .to_ring_o(owns[r]),
        .to_ring_data_o(own_data[r]),
        .lane_want_i(lane_want & mine),
        .lane_slot_i(lane_slot),
        .lane_stores_i(lane_stores),
        .lane_allowed_o(rpau_allowed[r]),
        .lane_end_i(lane_end & mine),
        .lane_read_i(lane_read & mine),
        .lane_write_i(lane_write & mine),
        .lane_row_i(lane_row),
        .lane_data_i(lane_data),
        .lane_data_o(rpau_data[r])
    );
    medha_link #(
        .Width(Banks * Width),
        .Cycles(link_cycles(Config, r))
    ) i_link (
        .clk_i,
        .rst_ni,
        .pass_i(passes[r]),
        .pass_data_i(link_data[Before]),
        .own_i(owns[r]),
        .own_data_i(own_data[r]),
        .valid_o(link_valid[r]),
        .data_o(link_data[r]),
        .wrong_o(link_wrong[r])
    );
  end
  always_comb begin
    lane_allowed   = '0;
    lane_data_read = '0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      for (int unsigned r = 0; r < Rpaus; r++) begin
        lane_allowed[l] |= rpau_allowed[r][l];
        if (lane_rpau[l] == 8'(r)) lane_data_read[l] = rpau_data[r][l];
      end
    end
  end

  `RW_REQUIRE(medha_core_rpaus, Rpaus >= 1 && Rpaus <= 16)
  `RW_REQUIRE(medha_core_lanes, Lanes >= 1 && Lanes <= MostLanes)
  `RW_REQUIRE(medha_core_butterflies,
              Config.butterflies >= 1 && (Config.butterflies & (Config.butterflies - 1)) == 0)
  `RW_ASSERT(medha_core_set, !set_i || !busy_q)
  `RW_ASSERT(medha_core_start, !start_i || !busy_q)
endmodule
