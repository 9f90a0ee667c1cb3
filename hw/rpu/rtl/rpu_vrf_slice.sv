/// A lane's part of the vector register file: 16 memories with one port (RPU, section IV-B1).
///
/// What each memory does comes from `rpu_vrf`; here are the words and the ways to them.
/// Timing: `read_data_o` one cycle after the request, chosen by `read_memory_i` of that later cycle.
/// Area: the memories, a 4-to-1 multiplexer before each, a 16-to-1 multiplexer per read port.
module rpu_vrf_slice #(
    parameter int unsigned Words = 32,
    parameter int unsigned Width = 64,
    localparam int unsigned Memories     = 16,
    localparam int unsigned ReadPorts    = 6,
    localparam int unsigned WritePorts   = 4,
    localparam int unsigned AddressWidth = (Words > 1) ? $clog2(Words) : 1
) (
    input  logic                                  clk_i,
    input  logic                                  rst_ni,

    input  logic [Memories-1:0]                   request_i,
    input  logic [Memories-1:0]                   write_i,
    input  logic [Memories-1:0][AddressWidth-1:0] address_i,
    /// Which write port the word comes from.
    input  logic [Memories-1:0][1:0]              writer_i,
    input  logic [WritePorts-1:0][Width-1:0]      write_data_i,

    input  logic [ReadPorts-1:0][3:0]             read_memory_i,
    output logic [ReadPorts-1:0][Width-1:0]       read_data_o
);
  logic [Memories-1:0][Width-1:0] word;
  for (genvar m = 0; m < Memories; m++) begin : gen_memory
    mem_1rw #(
        .Words(Words),
        .Width(Width)
    ) i_words (
        .clk_i,
        .rst_ni,
        .request_i(request_i[m]),
        .write_i(write_i[m]),
        .address_i(address_i[m]),
        .write_data_i(write_data_i[writer_i[m]]),
        .read_data_o(word[m])
    );
  end
  for (genvar p = 0; p < ReadPorts; p++) begin : gen_read
    assign read_data_o[p] = word[read_memory_i[p]];
  end
endmodule
