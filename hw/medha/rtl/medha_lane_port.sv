`include "registers.svh"
`include "assertions.svh"

/// A lane's port to memory: its towers as AXI4 bursts of whole beats, one identifier.
///
/// A word takes eight bytes; a row of the banks is `Banks` words, one beat or several. A tower begins at a
/// multiple of its bytes, so no burst crosses a page. Of a load all addresses are asked for, one behind
/// the other; rows go on a cycle after their last beat. A store has ended when every burst is answered.
/// `wrong_o` tells of answers with errors: bit 0 to reads, bit 1 to writes.
module medha_lane_port #(
    parameter int unsigned Banks        = 4,
    parameter int unsigned Width        = 36,
    parameter int unsigned PortBytes    = 32,
    parameter int unsigned AddressWidth = 40,
    parameter int unsigned LogMaxN      = 8,
    localparam int unsigned PortWidth = 8 * PortBytes,
    localparam int unsigned BitWidth  = $clog2(LogMaxN + 2)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic [BitWidth-1:0]         log_n_i,

    input  logic                        request_i,
    input  logic                        stores_i,
    input  logic [AddressWidth-1:0]     address_i,
    output logic                        row_valid_o,
    output logic [Banks-1:0][Width-1:0] row_o,
    output logic                        row_ready_o,
    input  logic                        row_valid_i,
    input  logic [Banks-1:0][Width-1:0] row_i,
    output logic                        stored_o,
    output logic [1:0]                  wrong_o,

    output logic                        ar_valid_o,
    input  logic                        ar_ready_i,
    output logic [AddressWidth-1:0]     ar_addr_o,
    output logic [7:0]                  ar_len_o,
    input  logic                        r_valid_i,
    output logic                        r_ready_o,
    input  logic [PortWidth-1:0]        r_data_i,
    input  logic                        r_wrong_i,
    output logic                        aw_valid_o,
    input  logic                        aw_ready_i,
    output logic [AddressWidth-1:0]     aw_addr_o,
    output logic [7:0]                  aw_len_o,
    output logic                        w_valid_o,
    input  logic                        w_ready_i,
    output logic [PortWidth-1:0]        w_data_o,
    output logic                        w_last_o,
    input  logic                        b_valid_i,
    output logic                        b_ready_o,
    input  logic                        b_wrong_i
);
  localparam int unsigned RowBeats   = Banks * 8 / PortBytes;
  localparam int unsigned PageBeats  = 4096 / PortBytes;
  localparam int unsigned BurstBeats = (PageBeats < 256) ? PageBeats : 256;
  localparam int unsigned BeatWords  = PortBytes / 8;
  localparam int unsigned LogBeats   = $clog2(RowBeats);
  localparam int unsigned PlaceWidth = (RowBeats > 1) ? LogBeats : 1;
  // Beats of the largest tower.
  localparam int unsigned MostBeats  = (8 << LogMaxN) / PortBytes;
  localparam int unsigned CountWidth = $clog2(MostBeats + 1);
  localparam int unsigned Depth      = 4;
  localparam int unsigned UsageWidth = $clog2(Depth + 1);
  typedef logic [CountWidth-1:0] count_t;

  // ---- Addresses: reads or writes, a burst at a time.
  logic asks_d, asks_q, stores_q, asked;
  count_t left_d, left_q, burst;
  logic [AddressWidth-1:0] address_d, address_q;
  assign burst = (32'(left_q) < BurstBeats) ? left_q : count_t'(BurstBeats);
  assign asked = stores_q ? aw_valid_o && aw_ready_i : ar_valid_o && ar_ready_i;
  always_comb begin
    asks_d    = asks_q;
    left_d    = left_q;
    address_d = address_q;
    if (request_i) begin
      asks_d    = 1'b1;
      left_d    = count_t'((32'd8 << log_n_i) / PortBytes);
      address_d = address_i;
    end else if (asked) begin
      asks_d    = left_q != burst;
      left_d    = left_q - burst;
      address_d = address_q + AddressWidth'(burst) * AddressWidth'(PortBytes);
    end
  end
  `RW_FF(asks_q, asks_d, 1'b0)
  `RW_FF(left_q, left_d, '0)
  `RW_FFNR(address_q, address_d)
  `RW_FFL(stores_q, stores_i, request_i, 1'b0)
  assign ar_valid_o = asks_q && !stores_q;
  assign aw_valid_o = asks_q && stores_q;
  assign ar_addr_o  = address_q;
  assign aw_addr_o  = address_q;
  assign ar_len_o   = 8'(burst) - 1'b1;
  assign aw_len_o   = 8'(burst) - 1'b1;

  // ---- Rows from beats.
  logic [RowBeats-1:0][PortWidth-1:0] gathered_q;
  logic [PlaceWidth-1:0] place_d, place_q;
  logic whole_q;
  assign r_ready_o = 1'b1;
  assign place_d   = (32'(place_q) + 1 == RowBeats) ? '0 : place_q + 1'b1;
  `RW_FFL(place_q, place_d, r_valid_i, '0)
  `RW_FF(whole_q, r_valid_i && 32'(place_q) + 1 == RowBeats, 1'b0)
  for (genvar i = 0; i < RowBeats; i++) begin : gen_beat
    `RW_FFLNR(gathered_q[i], r_data_i, r_valid_i && 32'(place_q) == i)
  end
  assign row_valid_o = whole_q;
  for (genvar b = 0; b < Banks; b++) begin : gen_word
    assign row_o[b] = gathered_q[b/BeatWords][64*(b%BeatWords)+:Width];
  end

  // ---- Beats from rows.
  logic [UsageWidth-1:0] usage;
  logic row_there, row_goes, unused_ready, asked_row_q, beat_goes;
  logic [Banks-1:0][Width-1:0] row;
  logic [RowBeats-1:0][PortWidth-1:0] spread;
  logic [PlaceWidth-1:0] out_d, out_q;
  count_t in_burst_d, in_burst_q, rows_left_d, rows_left_q, written_d, written_q, bursts_d, bursts_q;
  assign row_ready_o = rows_left_q != '0 && 32'(usage) + 32'(asked_row_q) + 32'(row_valid_i) < Depth;
  `RW_FF(asked_row_q, row_ready_o, 1'b0)
  fifo #(
      .Depth(Depth),
      .Width(Banks * Width)
  ) i_rows (
      .clk_i,
      .rst_ni,
      .valid_i(row_valid_i),
      .ready_o(unused_ready),
      .data_i(row_i),
      .valid_o(row_there),
      .ready_i(row_goes),
      .data_o(row),
      .usage_o(usage)
  );
  for (genvar b = 0; b < Banks; b++) begin : gen_spread
    assign spread[b/BeatWords][64*(b%BeatWords)+:64] = 64'(row[b]);
  end
  assign w_valid_o = row_there;
  assign w_data_o  = spread[out_q];
  assign w_last_o  = in_burst_q == count_t'(BurstBeats - 1) || written_q == count_t'(1);
  assign beat_goes = w_valid_o && w_ready_i;
  assign row_goes  = beat_goes && 32'(out_q) + 1 == RowBeats;
  assign out_d     = (32'(out_q) + 1 == RowBeats) ? '0 : out_q + 1'b1;
  `RW_FFL(out_q, out_d, beat_goes, '0)
  always_comb begin
    in_burst_d  = in_burst_q;
    written_d   = written_q;
    rows_left_d = rows_left_q - count_t'(row_ready_o);
    bursts_d    = bursts_q + count_t'(aw_valid_o && aw_ready_i) - count_t'(b_valid_i);
    if (beat_goes) begin
      written_d  = written_q - 1'b1;
      in_burst_d = w_last_o ? '0 : in_burst_q + 1'b1;
    end
    if (request_i && stores_i) begin
      written_d   = count_t'((32'd8 << log_n_i) / PortBytes);
      rows_left_d = count_t'((32'd1 << log_n_i) / Banks);
    end
  end
  `RW_FF(in_burst_q, in_burst_d, '0)
  `RW_FF(written_q, written_d, '0)
  `RW_FF(rows_left_q, rows_left_d, '0)
  `RW_FF(bursts_q, bursts_d, '0)
  assign b_ready_o = 1'b1;
  // All beats are out, all bursts asked for, and this is the last answer.
  assign stored_o  = b_valid_i && bursts_q == count_t'(1) && written_q == '0 && !asks_q;

  assign wrong_o = {b_valid_i && b_wrong_i, r_valid_i && r_wrong_i};

  `RW_REQUIRE(medha_lane_port_bytes,
              PortBytes >= 8 && PortBytes <= 128 && (PortBytes & (PortBytes - 1)) == 0 &&
              PortBytes <= 8 * Banks)
  `RW_ASSERT(medha_lane_port_room, !row_valid_i || unused_ready)
endmodule
