`include "registers.svh"
`include "assertions.svh"

/// Addresses of a transfer's bursts, on AXI's AR or AW channel.
///
/// A transfer of neighbours is one stretch. A strided one takes `Streams` streams in turn, a stretch
/// of 2^`log_stretch_i` beats of each. Bursts end with a stretch and at multiples of `BurstBeats`
/// beats, so none crosses a page of 4096 bytes.
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
    /// log2 of the beats that a strided transfer takes of a stream before it turns to the next.
    input  logic [3:0]              log_stretch_i,
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

  logic taken, strided_q, ends, last_stream;
  address_t address_d, address_q, behind, first_d, first_q, stride_q, stretch_bytes;
  beats_t left_d, left_q, here_d, here_q, stretch, stretch_q, burst, fitting;
  stream_t stream_d, stream_q;

  assign taken       = valid_o & ready_i;
  assign last_stream = stream_q == stream_t'(Streams - 1);
  assign ends        = burst == here_q;
  assign valid_o     = left_q != '0;
  assign address_o   = address_q;
  assign length_o    = 8'(burst - beats_t'(1));

  // Up to the next multiple of the longest burst.
  assign fitting = beats_t'(BurstBeats) - beats_t'(address_q[LogBeat+:BurstWidth]);
  assign burst         = (here_q < fitting) ? here_q : fitting;
  assign behind        = address_q + (address_t'(burst) << LogBeat);
  assign stretch       = strided_i ? beats_t'(1) << log_stretch_i : beats_i;
  assign stretch_bytes = address_t'(stretch_q) << LogBeat;

  always_comb begin
    left_d    = left_q - burst;
    here_d    = ends ? stretch_q : here_q - burst;
    first_d   = first_q;
    stream_d  = stream_q;
    address_d = behind;
    if (strided_q && ends && last_stream) begin
      first_d   = first_q + stretch_bytes;
      address_d = first_d;
      stream_d  = '0;
    end else if (strided_q && ends) begin
      address_d = behind - stretch_bytes + stride_q;
      stream_d  = stream_q + stream_t'(1);
    end
    if (start_i) begin
      left_d    = beats_i;
      here_d    = stretch;
      first_d   = address_i;
      stream_d  = '0;
      address_d = address_i;
    end
  end

  `RW_FFL(left_q, left_d, start_i | taken, '0)
  `RW_FFLNR(here_q, here_d, start_i | taken)
  `RW_FFLNR(address_q, address_d, start_i | taken)
  `RW_FFLNR(first_q, first_d, start_i | taken)
  `RW_FFLNR(stream_q, stream_d, start_i | taken)
  `RW_FFLNR(stride_q, stride_i, start_i)
  `RW_FFLNR(stretch_q, stretch, start_i)
  `RW_FFLNR(strided_q, strided_i, start_i)

  `RW_REQUIRE(rise_dma_addresses_beat, BeatBytes >= 4 && BeatBytes <= 128 && 1 << LogBeat == BeatBytes)
  `RW_REQUIRE(rise_dma_addresses_beats, BeatsWidth > BurstWidth)
  `RW_ASSERT(rise_dma_addresses_aligned, !start_i || address_i[LogBeat-1:0] == '0)
  `RW_ASSERT(rise_dma_addresses_idle, !start_i || !valid_o)
endmodule
