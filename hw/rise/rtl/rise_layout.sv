`include "assertions.svh"

/// Where in its bank group the word lies that memory holds at position `index_i`.
///
/// Around a forward transform positions are bit-reversed; after a transform of either direction the
/// bits of the row are rotated by log2 of the banks (see the simulator's `shape`). Banks are the low
/// bits of the address.
/// Timing: combinational. Area: three shifters of `LogNMax` bits.
module rise_layout
  import rise_dma_pkg::*;
#(
    parameter int unsigned LogBanks = 2,
    parameter int unsigned LogNMax  = 12,
    localparam int unsigned LogNWidth = $clog2(LogNMax + 1)
) (
    input  logic [LogNWidth-1:0] log_n_i,
    input  layout_e              layout_i,
    input  logic [LogNMax-1:0]   index_i,
    output logic [LogNMax-1:0]   address_o
);
  localparam int unsigned RowWidth = LogNMax - LogBanks;
  typedef logic [LogNWidth-1:0] log_n_t;

  logic forward, after;
  assign forward = layout_i == LayoutForwardIn || layout_i == LayoutForwardOut;
  assign after   = layout_i == LayoutForwardOut || layout_i == LayoutInverseOut;

  // Bits of a row, and by how many they turn, of every degree.
  log_n_t rows, by;
  assign rows = log_n_i - log_n_t'(LogBanks);
  always_comb begin
    by = '0;
    for (int unsigned n = LogBanks + 1; n <= LogNMax; n++) begin
      if (log_n_i == log_n_t'(n)) by = log_n_t'(LogBanks % (n - LogBanks));
    end
  end

  logic [LogNMax-1:0] mirrored, logical;
  for (genvar bit_i = 0; bit_i < LogNMax; bit_i++) begin : gen_mirrored
    assign mirrored[bit_i] = index_i[LogNMax-1-bit_i];
  end
  assign logical = forward ? mirrored >> (log_n_t'(LogNMax) - log_n_i) : index_i;

  logic [RowWidth-1:0] row, turned, mask;
  assign row       = logical[LogNMax-1:LogBanks];
  assign mask      = ~({RowWidth{1'b1}} << rows);
  assign turned    = ((row << by) | (row >> (rows - by))) & mask;
  assign address_o = {after ? turned : row, logical[LogBanks-1:0]};

  `RW_REQUIRE(rise_layout_log_n_max, LogNMax > LogBanks)
endmodule
