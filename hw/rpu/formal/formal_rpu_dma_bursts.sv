`include "assertions.svh"
`include "formal.svh"
`include "registers.svh"

/// Bursts of any move, whatever takes them when: none crosses 4 KiB or is too long, none has a beat
/// without a word; together they are the move, each word once and in order, and the last says so.
module formal_rpu_dma_bursts
  import rpu_config_pkg::*;
  import rpu_pkg::*;
#(
    parameter int unsigned BurstBeats = 4,
    localparam config_t     Config       = rpu_machine_pkg::Machine,
    localparam int unsigned PortBytes    = Config.port_bytes,
    localparam int unsigned PortWidth    = $clog2(PortBytes),
    localparam int unsigned AddressWidth = rpu_command_pkg::AddressWidth
) (
    input logic  clk_i,
    input logic  stop_i,
    input logic  valid_i,
    input move_t move_i,
    input logic  ready_i
);
  localparam logic [31:0] MostWords = 32'd2097152;

  logic rst_ni;
  `RW_RESET_ONCE(rst_ni)

  logic ready, valid;
  burst_t burst;
  rpu_dma_bursts #(
      .BurstBeats(BurstBeats)
  ) i_bursts (
      .clk_i,
      .rst_ni,
      .stop_i,
      .valid_i,
      .ready_o(ready),
      .move_i,
      .valid_o(valid),
      .ready_i,
      .burst_o(burst)
  );
  // What `rpu_command_check` lets through.
  `RW_ASSUME(a_move, !valid_i || (move_i.address[PortWidth-1:0] == '0 && move_i.count != '0 &&
             move_i.count <= MostWords && move_i.address[AddressWidth-1:32] == '0))

  // ---- What is left of the move.
  logic taken, passes, under_way_d, under_way_q;
  logic [AddressWidth-1:0] address_d, address_q;
  logic [31:0] left_d, left_q, place_d, place_q, bytes;
  assign taken       = valid_i & ready & ~stop_i;
  assign passes      = valid & ready_i;
  assign bytes       = (32'(burst.length) + 32'd1) << PortWidth;
  assign under_way_d = ~stop_i & (taken | (under_way_q & ~(passes & burst.move_ends)));
  always_comb begin
    address_d = address_q + (passes ? AddressWidth'(bytes) : '0);
    left_d    = left_q - (passes ? burst.count : '0);
    place_d   = place_q + (passes ? burst.count : '0);
    if (taken) begin
      address_d = move_i.address;
      left_d    = move_i.count;
      place_d   = move_i.place;
    end
  end
  `RW_FF(under_way_q, under_way_d, 1'b0)
  `RW_FF(address_q, address_d, '0)
  `RW_FF(left_q, left_d, '0)
  `RW_FF(place_q, place_d, '0)

  `RW_ASSERT(under_way, under_way_q == i_bursts.valid_q)
  `RW_ASSERT(aligned, !under_way_q || address_q[PortWidth-1:0] == '0)
  `RW_ASSERT(not_empty, !under_way_q || (left_q != '0 && left_q <= MostWords))
  `RW_ASSERT(same_rest, !under_way_q || (address_q == i_bursts.move_q.address &&
             left_q == i_bursts.move_q.count && place_q == i_bursts.move_q.place))

  // ---- A burst.
  logic [2:0] shift;
  logic [31:0] words;
  assign shift = beat_shift(Config, burst.memory == MemoryInstruction, burst.narrow);
  assign words = 32'(burst.length) << shift;
  `RW_ASSERT(in_a_page, !valid || 32'(burst.address[11:0]) + bytes <= 32'd4096)
  `RW_ASSERT(not_long, !valid || 32'(burst.length) < BurstBeats)
  `RW_ASSERT(next_words, !valid || (burst.address == address_q && burst.place == place_q))
  `RW_ASSERT(no_beat_for_nothing, !valid || burst.count > words)
  `RW_ASSERT(no_word_beyond, !valid || burst.count <= words + (32'd1 << shift))
  `RW_ASSERT(ends, !valid || burst.move_ends == (burst.count == left_q))
endmodule
