`include "registers.svh"

/// Banks with a port to read and a port to write, which each have rows of their own.
///
/// Timing and the rule about one row at both ports: those of `mem_1r1w`.
module medha_memory #(
    parameter int unsigned Banks = 4,
    parameter int unsigned Words = 64,
    parameter int unsigned Width = 30,
    localparam int unsigned RowWidth = (Words > 1) ? $clog2(Words) : 1
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,

    input  logic                           read_i,
    input  logic [Banks-1:0][RowWidth-1:0] read_row_i,
    output logic [Banks-1:0][Width-1:0]    read_data_o,

    input  logic [Banks-1:0]               write_i,
    input  logic [Banks-1:0][RowWidth-1:0] write_row_i,
    input  logic [Banks-1:0][Width-1:0]    write_data_i
);
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    mem_1r1w #(
        .Words(Words),
        .Width(Width)
    ) i_bank (
        .clk_i,
        .rst_ni,
        .read_i,
        .read_address_i(read_row_i[b]),
        .read_data_o(read_data_o[b]),
        .write_i(write_i[b]),
        .write_address_i(write_row_i[b]),
        .write_data_i(write_data_i[b])
    );
  end
endmodule
