`include "registers.svh"
`include "assertions.svh"

/// The vector data memory: banks that read one word and write one word a cycle (RPU, section IV-B3).
///
/// Two ports because a load reads the banks at the front of its pipe while a store before it writes
/// them at the end; the two never meet in one word (a program whose loads overtake its stores is
/// refused, and `mem_1r1w` asserts it).
/// Timing: `read_data_o` one cycle after the request, and it stays. Area: the memories.
module rpu_vdm #(
    parameter int unsigned Banks     = 8,
    parameter int unsigned BankWords = 256,
    parameter int unsigned Width     = 64,
    localparam int unsigned WordWidth = (BankWords > 1) ? $clog2(BankWords) : 1
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,

    input  logic [Banks-1:0]                 read_i,
    input  logic [Banks-1:0][WordWidth-1:0]  read_word_i,
    output logic [Banks-1:0][Width-1:0]      read_data_o,

    input  logic [Banks-1:0]                 write_i,
    input  logic [Banks-1:0][WordWidth-1:0]  write_word_i,
    input  logic [Banks-1:0][Width-1:0]      write_data_i
);
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    mem_1r1w #(
        .Words(BankWords),
        .Width(Width)
    ) i_words (
        .clk_i,
        .rst_ni,
        .read_i(read_i[b]),
        .read_address_i(read_word_i[b]),
        .read_data_o(read_data_o[b]),
        .write_i(write_i[b]),
        .write_address_i(write_word_i[b]),
        .write_data_i(write_data_i[b])
    );
  end
endmodule
