`include "registers.svh"
`include "assertions.svh"

/// A memory with one port that reads and one that writes.
///
/// This file is the place to swap in a macro: everything above instantiates `mem_1r1w`, and a
/// technology brings its own file of this name and these ports.
/// Timing: `read_data_o` one cycle after the request, and it stays until the next read. Reading a
/// word in the cycle in which it is written is forbidden (macros differ in what they return) and
/// asserted. Area: flip-flops here, as in `mem_1rw`.
module mem_1r1w #(
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
    input  logic [Width-1:0]        write_data_i
);
  logic [Width-1:0] words[Words];
  logic [Width-1:0] read_data_q;

  `RW_FFLNR(words[write_address_i], write_data_i, write_i)
  `RW_FFLNR(read_data_q, words[read_address_i], read_i)
  assign read_data_o = read_data_q;

  `RW_REQUIRE(mem_1r1w_words, Words >= 1)
  `RW_ASSERT(mem_1r1w_read_address, !read_i || 32'(read_address_i) < Words)
  `RW_ASSERT(mem_1r1w_write_address, !write_i || 32'(write_address_i) < Words)
  `RW_ASSERT(mem_1r1w_no_collision, !(read_i && write_i) || read_address_i != write_address_i)
endmodule
