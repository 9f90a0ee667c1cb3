`include "registers.svh"
`include "assertions.svh"

/// The shuffle crossbar: interleaves two vectors or picks every other element of both
/// (RPU, section IV-B2).
///
/// A beat brings a row of VS and a row of VT; which rows is `read_row_o`, and `write_row_o` says
/// where the row that a beat makes belongs.
///   UNPK  beat b reads row b / 2 of the half and makes row b from half of either.
///   PK    beats 2i and 2i + 1 together hold the elements of row i of either half of the result:
///         beat 2i makes the row of VS's elements, beat 2i + 1 that of VT's.
/// Timing: rows arrive one cycle after `beat_i`, results leave `Latency` cycles after it, `Latency`
/// at least 3: a read, a second beat to wait for, and a register behind the crossbar.
/// Area: two rows to remember, a multiplexer of six words per element, `Latency` - 2 rows.
module rpu_sbar
  import rpu_isa_pkg::*;
#(
    parameter int unsigned Hples   = 8,
    parameter int unsigned Beats   = 8,
    parameter int unsigned Width   = 64,
    parameter int unsigned Latency = 5,
    localparam int unsigned BeatWidth = (Beats > 1) ? $clog2(Beats) : 1
) (
    input  logic                        clk_i,

    /// Of the beat that reads now.
    input  op_e                   operation_i,
    input  logic [BeatWidth-1:0]        beat_i,
    output logic [BeatWidth-1:0]        read_row_o,

    /// One cycle later.
    input  logic [Hples-1:0][Width-1:0] vs_i,
    input  logic [Hples-1:0][Width-1:0] vt_i,

    /// Of the beat that writes now.
    input  op_e                   write_operation_i,
    input  logic [BeatWidth-1:0]        write_beat_i,
    output logic [BeatWidth-1:0]        write_row_o,
    output logic [Hples-1:0][Width-1:0] row_o
);
  typedef logic [Hples-1:0][Width-1:0] row_t;
  typedef logic [BeatWidth-1:0] beat_t;

  // A row that starts at the second half of a vector.
  localparam beat_t SecondHalf = beat_t'(Beats / 2);

  function automatic logic packs(op_e operation);
    return operation == OpPklo || operation == OpPkhi;
  endfunction

  always_comb begin
    read_row_o  = beat_i;
    write_row_o = write_beat_i;
    if (!packs(operation_i)) begin
      read_row_o = (beat_i >> 1) | ((operation_i == OpUnpkhi) ? SecondHalf : '0);
    end
    if (packs(write_operation_i)) begin
      write_row_o = (write_beat_i >> 1) | (write_beat_i[0] ? SecondHalf : '0);
    end
  end

  // One cycle later: the rows of the beat are here.
  op_e operation_1q, operation_2q;
  logic odd_1q, odd_2q;
  `RW_FFNR(operation_1q, operation_i)
  `RW_FFNR(odd_1q, beat_i[0])
  `RW_FFNR(operation_2q, operation_1q)
  `RW_FFNR(odd_2q, odd_1q)

  row_t unpacked_d, unpacked_q;
  for (genvar j = 0; j < Hples; j++) begin : gen_unpack
    if (Hples == 1) begin : gen_one
      assign unpacked_d[j] = odd_1q ? vt_i[0] : vs_i[0];
    end else begin : gen_more
      localparam int unsigned Low  = j / 2;
      localparam int unsigned High = Hples / 2 + j / 2;
      if (j % 2 == 0) begin : gen_vs
        assign unpacked_d[j] = odd_1q ? vs_i[High] : vs_i[Low];
      end else begin : gen_vt
        assign unpacked_d[j] = odd_1q ? vt_i[High] : vt_i[Low];
      end
    end
  end
  `RW_FFNR(unpacked_q, unpacked_d)

  // Two cycles later: an even beat joins the row of its successor, an odd one that of its
  // predecessor.
  row_t vs_2q, vt_2q, vt_3q, picked, row;
  `RW_FFNR(vs_2q, vs_i)
  `RW_FFNR(vt_2q, vt_i)
  `RW_FFNR(vt_3q, vt_2q)
  logic [2*Hples-1:0][Width-1:0] pair;
  assign pair = odd_2q ? {vt_2q, vt_3q} : {vs_i, vs_2q};
  for (genvar j = 0; j < Hples; j++) begin : gen_pick
    assign picked[j] = (operation_2q == OpPkhi) ? pair[2*j+1] : pair[2*j];
  end
  assign row = packs(operation_2q) ? picked : unpacked_q;

  delay_line #(
      .data_t(row_t),
      .Stages(Latency - 2)
  ) i_row (
      .clk_i,
      .data_i(row),
      .data_o(row_o)
  );

  `RW_REQUIRE(rpu_sbar_latency, Latency >= 3)
  `RW_REQUIRE(rpu_sbar_beats, Beats >= 2 && Beats % 2 == 0)
endmodule
