`include "registers.svh"
`include "assertions.svh"

/// A memory with one port that reads, one that writes, and a third that does either.
///
/// This file is the place to swap in a macro, as `mem_1r1w` is; where a technology has none with
/// three ports, two copies that are written alike serve, or one at twice the clock.
/// Timing: words read one cycle after the request, and they stay until the port's next read. A word
/// that one port writes, no other reads or writes in the same cycle: asserted. Area: flip-flops
/// here, and a second multiplexer to read them.
module mem_1r1w1rw #(
    parameter int unsigned Words = 256,
    parameter int unsigned Width = 30,
    localparam int unsigned AddressWidth = (Words > 1) ? $clog2(Words) : 1
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    input  logic                    read_i,
    input  logic [AddressWidth-1:0] read_address_i,
    output logic [Width-1:0]        read_data_o,

    input  logic                    write_i,
    input  logic [AddressWidth-1:0] write_address_i,
    input  logic [Width-1:0]        write_data_i,

    input  logic                    third_request_i,
    /// 1 writes, 0 reads.
    input  logic                    third_write_i,
    input  logic [AddressWidth-1:0] third_address_i,
    input  logic [Width-1:0]        third_write_data_i,
    output logic [Width-1:0]        third_read_data_o
);
  logic [Width-1:0] words[Words];
  logic [Width-1:0] read_data_q, third_data_q;
  logic third_reads, third_writes;
  assign third_reads  = third_request_i & ~third_write_i;
  assign third_writes = third_request_i & third_write_i;

  // Two ports write one array, never the same word at once, so no register macro can.
  always_ff @(posedge clk_i) begin
    if (write_i) words[write_address_i] <= write_data_i;
    if (third_writes) words[third_address_i] <= third_write_data_i;
  end
  `RW_FFLNR(read_data_q, words[read_address_i], read_i)
  `RW_FFLNR(third_data_q, words[third_address_i], third_reads)
  assign read_data_o       = read_data_q;
  assign third_read_data_o = third_data_q;

  `RW_REQUIRE(mem_1r1w1rw_words, Words >= 1)
  `RW_ASSERT(mem_1r1w1rw_read_address, !read_i || 32'(read_address_i) < Words)
  `RW_ASSERT(mem_1r1w1rw_write_address, !write_i || 32'(write_address_i) < Words)
  `RW_ASSERT(mem_1r1w1rw_third_address, !third_request_i || 32'(third_address_i) < Words)
  `RW_ASSERT(mem_1r1w1rw_no_collision, !(read_i && write_i) || read_address_i != write_address_i)
  `RW_ASSERT(mem_1r1w1rw_third_apart, !(third_request_i && write_i) ||
             third_address_i != write_address_i)
  `RW_ASSERT(mem_1r1w1rw_third_writes_apart, !(third_writes && read_i) ||
             third_address_i != read_address_i)
endmodule
