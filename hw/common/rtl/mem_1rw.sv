`include "registers.svh"
`include "assertions.svh"

/// A memory with one port that reads or writes.
///
/// This file is the place to swap in a macro: everything above instantiates `mem_1rw`, and a
/// technology brings its own file of this name and these ports.
/// Timing: `read_o` one cycle after the request, and it stays until the next read. Words hold what
/// was written last; before that, anything. Area: flip-flops here, hence for simulation, for small
/// memories, and as the description that FPGA tools map to block RAM.
module mem_1rw #(
    parameter int unsigned Words = 256,
    parameter int unsigned Width = 30,
    localparam int unsigned AddressWidth = (Words > 1) ? $clog2(Words) : 1
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    input  logic                    request_i,
    /// 1 writes, 0 reads.
    input  logic                    write_i,
    input  logic [AddressWidth-1:0] address_i,
    input  logic [Width-1:0]        write_data_i,
    output logic [Width-1:0]        read_data_o
);
  logic [Width-1:0] words[Words];
  logic [Width-1:0] read_data_q;

  `RW_FFLNR(words[address_i], write_data_i, request_i & write_i)
  `RW_FFLNR(read_data_q, words[address_i], request_i & ~write_i)
  assign read_data_o = read_data_q;

  `RW_REQUIRE(mem_1rw_words, Words >= 1)
  `RW_ASSERT(mem_1rw_address, !request_i || 32'(address_i) < Words)
endmodule
