`include "registers.svh"
`include "assertions.svh"

/// Brings a list of commands and hands it on, one by one.
///
/// It asks for `FetchBytes` at once, and for the next as soon as there is room for them, so that up to
/// two such stretches lie here ahead of their use. Where `stop_i` is 1 nothing more is asked for and
/// what comes is dropped.
/// Timing: the first request in the cycle after the start; a command is offered in the cycle after
/// its last beat has come (two after, where a beat is less than a command), then one a cycle, or one
/// for as many beats as it has. Area: twice `FetchBytes` of flip-flops.
module rpu_command_fetch
  import rpu_command_pkg::*;
#(
    parameter int unsigned PortBytes = 32,
    localparam int unsigned FetchBytes = 256,
    localparam int unsigned DataWidth  = 8 * PortBytes,
    localparam int unsigned CountWidth = 24
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    input  logic                    start_i,
    /// A multiple of `ListAlignment`.
    input  logic [AddressWidth-1:0] address_i,
    input  logic [CountWidth-1:0]   count_i,
    input  logic                    stop_i,
    /// Nothing is asked for or kept.
    output logic                    empty_o,

    output logic                    fetch_valid_o,
    input  logic                    fetch_ready_i,
    output logic [AddressWidth-1:0] fetch_address_o,
    output logic [7:0]              fetch_length_o,
    input  logic                    data_valid_i,
    input  logic [DataWidth-1:0]    data_i,

    output logic                    valid_o,
    input  logic                    ready_i,
    output command_t                command_o
);
  localparam int unsigned FetchBeats = FetchBytes / PortBytes;
  localparam int unsigned Commands   = FetchBytes / CommandBytes;
  localparam int unsigned Depth      = 2 * FetchBeats;
  localparam int unsigned UsageWidth = $clog2(Depth + 1);
  typedef logic [CountWidth-1:0] count_t;

  // ---- Asking. What is on its way has its room.
  count_t asks_d, asks_q, left_d, left_q;
  logic [AddressWidth-1:0] address_d, address_q;
  logic [UsageWidth-1:0] usage, owed_d, owed_q;
  logic [31:0] wanted, beats;
  logic asked, unused_ready;
  assign wanted          = (32'(asks_q) < Commands) ? 32'(asks_q) : Commands;
  assign beats           = (wanted * CommandBytes + PortBytes - 32'd1) / PortBytes;
  assign fetch_valid_o   = (asks_q != '0) & ~stop_i & (32'(usage) + 32'(owed_q) + FetchBeats <= Depth);
  assign fetch_address_o = address_q;
  assign fetch_length_o  = 8'(beats - 32'd1);
  assign asked           = fetch_valid_o & fetch_ready_i;
  assign asks_d          = start_i ? count_i : stop_i ? '0 : asks_q - (asked ? count_t'(wanted) : '0);
  assign address_d       = start_i ? address_i : address_q + (asked ? AddressWidth'(FetchBytes) : '0);
  assign owed_d          = owed_q + (asked ? UsageWidth'(beats) : '0) - UsageWidth'(data_valid_i);
  `RW_FF(asks_q, asks_d, '0)
  `RW_FFLNR(address_q, address_d, start_i | asked)
  `RW_FF(owed_q, owed_d, '0)

  logic beat_valid, beat_ready;
  logic [DataWidth-1:0] beat;
  fifo #(
      .Depth(Depth),
      .Width(DataWidth)
  ) i_beats (
      .clk_i,
      .rst_ni,
      .valid_i(data_valid_i),
      .ready_o(unused_ready),
      .data_i,
      .valid_o(beat_valid),
      .ready_i(beat_ready | stop_i),
      .data_o(beat),
      .usage_o(usage)
  );

  // ---- Handing on.
  logic taken;
  assign taken  = valid_o & ready_i;
  assign left_d = start_i ? count_i : stop_i ? '0 : left_q - count_t'(taken);
  `RW_FF(left_q, left_d, '0)
  if (PortBytes >= CommandBytes) begin : gen_slices
    localparam int unsigned Slices = PortBytes / CommandBytes;
    localparam int unsigned SliceWidth = (Slices > 1) ? $clog2(Slices) : 1;
    logic [SliceWidth-1:0] slice_d, slice_q;
    logic [Slices-1:0][CommandWidth-1:0] slices;
    assign slices     = beat;
    assign valid_o    = beat_valid & (left_q != '0) & ~stop_i;
    assign command_o  = slices[slice_q];
    assign beat_ready = taken & ((32'(slice_q) == Slices - 1) | (left_q == count_t'(1)));
    assign slice_d    = (start_i | beat_ready) ? '0 : slice_q + SliceWidth'(taken);
    `RW_FF(slice_q, slice_d, '0)
  end else begin : gen_parts
    localparam int unsigned Parts = CommandBytes / PortBytes;
    localparam int unsigned PartWidth = $clog2(Parts + 1);
    logic [PartWidth-1:0] part_d, part_q;
    logic [Parts-1:0][DataWidth-1:0] parts_d, parts_q;
    assign valid_o    = (32'(part_q) == Parts) & ~stop_i;
    assign command_o  = parts_q;
    assign beat_ready = (32'(part_q) != Parts) | taken;
    always_comb begin
      part_d = taken ? '0 : part_q;
      if (beat_valid & beat_ready) part_d = part_d + PartWidth'(1);
      if (start_i | stop_i) part_d = '0;
      // Beats come in order, so each moves up what is here.
      parts_d = (beat_valid & beat_ready) ? {beat, parts_q[Parts-1:1]} : parts_q;
    end
    `RW_FF(part_q, part_d, '0)
    `RW_FFNR(parts_q, parts_d)
  end

  assign empty_o = (owed_q == '0) & ~beat_valid & (asks_q == '0);

  `RW_REQUIRE(rpu_command_fetch_port, PortBytes >= 8 && PortBytes <= 128 && $onehot(PortBytes) &&
              FetchBytes % CommandBytes == 0 && ListAlignment % FetchBytes == 0)
  `RW_ASSERT(rpu_command_fetch_room, !data_valid_i || unused_ready)
endmodule
