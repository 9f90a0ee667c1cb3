`include "registers.svh"
`include "assertions.svh"

/// A memory that is read by the word and written by the line, in the same cycle.
///
/// `Reads` words at consecutive addresses leave it; up to `Lanes` words at consecutive addresses,
/// from any address on, enter. Words lie in `Lanes` banks by their lowest address bits, so that
/// neither ever meets itself in a bank; what is written wraps at the end of the memory.
/// Timing: words read one cycle after the request, and they stay until the next. A word that is
/// written is not read in the same cycle: asserted (`mem_1r1w`). Area: the banks, a rotation of the
/// line, and `Reads` multiplexers of `Lanes` words.
module rpu_line_memory #(
    parameter int unsigned Words = 256,
    parameter int unsigned Width = 64,
    parameter int unsigned Lanes = 4,
    parameter int unsigned Reads = 1,
    localparam int unsigned AddressWidth = $clog2(Words)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,

    input  logic                         read_i,
    input  logic [AddressWidth-1:0]      read_address_i,
    output logic [Reads-1:0][Width-1:0]  read_data_o,

    input  logic                         write_i,
    /// Of word 0 of the line.
    input  logic [AddressWidth-1:0]      write_address_i,
    input  logic [Lanes-1:0]             write_enable_i,
    input  logic [Lanes-1:0][Width-1:0]  write_data_i
);
  localparam int unsigned LaneWidth = (Lanes > 1) ? $clog2(Lanes) : 1;
  localparam int unsigned LaneShift = $clog2(Lanes);
  localparam int unsigned BankWords = Words / Lanes;
  localparam int unsigned BankWidth = (BankWords > 1) ? $clog2(BankWords) : 1;
  typedef logic [LaneWidth-1:0] lane_t;

  lane_t write_lane, read_lane;
  assign write_lane = (Lanes > 1) ? lane_t'(write_address_i) : '0;
  assign read_lane  = (Lanes > 1) ? lane_t'(read_address_i) : '0;

  logic [Lanes-1:0][Width-1:0] word;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    // Which word of the line, and which of those read, lies in this lane.
    lane_t written, wanted;
    logic [AddressWidth-1:0] write_address, read_address;
    assign written       = lane_t'(lane) - write_lane;
    assign wanted        = lane_t'(lane) - read_lane;
    assign write_address = write_address_i + AddressWidth'(written);
    assign read_address  = read_address_i + AddressWidth'(wanted);
    mem_1r1w #(
        .Words(BankWords),
        .Width(Width)
    ) i_words (
        .clk_i,
        .rst_ni,
        .read_i(read_i & (32'(wanted) < Reads)),
        .read_address_i(BankWidth'(32'(read_address) >> LaneShift)),
        .read_data_o(word[lane]),
        .write_i(write_i & write_enable_i[written]),
        .write_address_i(BankWidth'(32'(write_address) >> LaneShift)),
        .write_data_i(write_data_i[written])
    );
  end

  lane_t first_q;
  `RW_FFLNR(first_q, read_lane, read_i)
  for (genvar r = 0; r < Reads; r++) begin : gen_read
    assign read_data_o[r] = word[lane_t'(first_q + lane_t'(r))];
  end

  `RW_REQUIRE(rpu_line_memory_sizes, $onehot(Lanes) && Reads <= Lanes && Words % Lanes == 0)
endmodule
