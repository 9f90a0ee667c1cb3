`include "registers.svh"
`include "assertions.svh"

/// The vector data memory: banks that read one word and write one word a cycle (RPU, section IV-B3).
///
/// Two ports because a load reads the banks at the front of its pipe while a store before it writes
/// them at the end; the two never meet in one word (a program whose loads overtake its stores is
/// refused, and `mem_1r1w` asserts it). With `SecondPort` every bank has a third one besides, through
/// which words move while a program runs; what moves is nobody else's, which is asserted too.
/// Timing: words read one cycle after the request, and they stay. Area: the memories; what a third
/// port costs is the macro's matter (`mem_1r1w1rw`).
module rpu_vdm #(
    parameter int unsigned Banks      = 8,
    parameter int unsigned BankWords  = 256,
    parameter int unsigned Width      = 64,
    parameter bit          SecondPort = 1'b1,
    localparam int unsigned WordWidth = (BankWords > 1) ? $clog2(BankWords) : 1
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,

    input  logic [Banks-1:0]                 read_i,
    input  logic [Banks-1:0][WordWidth-1:0]  read_word_i,
    output logic [Banks-1:0][Width-1:0]      read_data_o,

    input  logic [Banks-1:0]                 write_i,
    input  logic [Banks-1:0][WordWidth-1:0]  write_word_i,
    input  logic [Banks-1:0][Width-1:0]      write_data_i,

    /// The port of moves: one row, of which banks; only with `SecondPort`.
    input  logic [Banks-1:0]                 move_i,
    input  logic                             move_write_i,
    input  logic [WordWidth-1:0]             move_word_i,
    input  logic [Banks-1:0][Width-1:0]      move_write_data_i,
    output logic [Banks-1:0][Width-1:0]      move_read_data_o
);
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    if (SecondPort) begin : gen_two
      mem_1r1w1rw #(
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
          .write_data_i(write_data_i[b]),
          .third_request_i(move_i[b]),
          .third_write_i(move_write_i),
          .third_address_i(move_word_i),
          .third_write_data_i(move_write_data_i[b]),
          .third_read_data_o(move_read_data_o[b])
      );
    end else begin : gen_one
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
      assign move_read_data_o[b] = read_data_o[b];
      logic unused;
      assign unused = &{move_i[b], move_write_i, move_word_i, move_write_data_i[b]};
    end
  end
endmodule
