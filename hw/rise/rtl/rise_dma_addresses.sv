`include "registers.svh"
`include "assertions.svh"

/// Addresses of a transfer's bursts, on AXI's AR or AW channel.
///
/// A transfer of neighbours is cut into bursts at multiples of `BurstBeats` beats, so none crosses a
/// page of 4096 bytes. A strided one takes `Streams` streams in turn, one beat of each: bursts of one
/// beat, for a longer one would need a transposer as long.
/// Timing: the first burst is offered in the cycle after `start_i`, then one a cycle; `valid_o` and
/// what stands beside it rest until `ready_i`.
module rise_dma_addresses #(
    parameter int unsigned AddressWidth = 64,
    parameter int unsigned BeatBytes    = 8,
    parameter int unsigned Streams      = 2,
    parameter int unsigned BeatsWidth   = 13,
    localparam int unsigned PageBytes   = 4096,
    localparam int unsigned LongestBurst = 256,
    localparam int unsigned BurstBeats =
        (PageBytes / BeatBytes < LongestBurst) ? PageBytes / BeatBytes : LongestBurst
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    input  logic                    start_i,
    input  logic                    strided_i,
    input  logic [AddressWidth-1:0] address_i,
    /// Beats of the transfer.
    input  logic [BeatsWidth-1:0]   beats_i,
    /// Bytes between two streams.
    input  logic [AddressWidth-1:0] stride_i,

    output logic                    valid_o,
    input  logic                    ready_i,
    output logic [AddressWidth-1:0] address_o,
    /// Beats of the burst, less one.
    output logic [7:0]              length_o
);
  localparam int unsigned LogBeat      = $clog2(BeatBytes);
  localparam int unsigned BurstWidth   = $clog2(BurstBeats);
  localparam int unsigned StreamsWidth = (Streams > 1) ? $clog2(Streams) : 1;
  typedef logic [AddressWidth-1:0] address_t;
  typedef logic [BeatsWidth-1:0] beats_t;
  typedef logic [StreamsWidth-1:0] stream_t;

  logic taken, strided_q, last_stream;
  address_t address_d, address_q, first_d, first_q, stride_q;
  beats_t left_d, left_q, burst, fitting;
  stream_t stream_d, stream_q;

  assign taken       = valid_o & ready_i;
  assign last_stream = stream_q == stream_t'(Streams - 1);
  assign valid_o     = left_q != '0;
  assign address_o   = address_q;
  assign length_o    = 8'(burst - beats_t'(1));

  // Up to the next multiple of the longest burst.
  assign fitting = beats_t'(BurstBeats) - beats_t'(address_q[LogBeat+:BurstWidth]);
  always_comb begin
    burst = (left_q < fitting) ? left_q : fitting;
    if (strided_q) burst = beats_t'(1);
  end

  always_comb begin
    left_d    = left_q - burst;
    first_d   = first_q;
    stream_d  = '0;
    address_d = address_q + (address_t'(burst) << LogBeat);
    if (strided_q && last_stream) begin
      first_d   = first_q + address_t'(BeatBytes);
      address_d = first_d;
    end else if (strided_q) begin
      address_d = address_q + stride_q;
      stream_d  = stream_q + stream_t'(1);
    end
    if (start_i) begin
      left_d    = beats_i;
      first_d   = address_i;
      stream_d  = '0;
      address_d = address_i;
    end
  end

  `RW_FFL(left_q, left_d, start_i | taken, '0)
  `RW_FFLNR(address_q, address_d, start_i | taken)
  `RW_FFLNR(first_q, first_d, start_i | taken)
  `RW_FFLNR(stream_q, stream_d, start_i | taken)
  `RW_FFLNR(stride_q, stride_i, start_i)
  `RW_FFLNR(strided_q, strided_i, start_i)

  `RW_REQUIRE(rise_dma_addresses_beat, BeatBytes >= 4 && BeatBytes <= 128 && 1 << LogBeat == BeatBytes)
  `RW_REQUIRE(rise_dma_addresses_beats, BeatsWidth > BurstWidth)
  `RW_ASSERT(rise_dma_addresses_aligned, !start_i || address_i[LogBeat-1:0] == '0)
  `RW_ASSERT(rise_dma_addresses_idle, !start_i || !valid_o)
endmodule
