`include "rise_core_probes.svh"

/// `rise_core` with probes (`rise_core_probes`), behind the two vectors through which a lockstep run
/// drives a design. Everything lies in slots of 64 bits.
module lockstep_rise_core
  import rise_pkg::*;
#(
    parameter int unsigned Bfus           = 1,
    parameter int unsigned WordBits       = 30,
    parameter int unsigned BankWords      = 1024,
    parameter int unsigned BfuLatency     = 9,
    parameter string       Products       = "Sliced",
    parameter int unsigned TwiddleBatches = 1,
    parameter int unsigned WriteBuffer    = 1,
    parameter int unsigned ReorderLatency = 0,
    parameter int unsigned QueuedCalls    = 1,
    parameter int unsigned PortWords      = 2,
    localparam int unsigned InSlots  = 1 + 5 * PortWords,
    localparam int unsigned OutSlots = 1 + 2 * PortWords
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    /// Slot 0: [0] instruction, [3:1] op, [4] group, [5] set, [15:8] log2 N; [16] constants, [17]
    /// set, [31:24] index; [32], [33] port of BG0, BG1 writes. Then, `PortWords` slots each:
    /// constants; of BG0, then of BG1, addresses with bit 63 for a request, and words.
    input  logic [InSlots-1:0][63:0]  in_i,
    /// Slot 0: [0] ready, [1] done. Then the words read from BG0 and from BG1.
    output logic [OutSlots-1:0][63:0] out_o
);
  localparam int unsigned LogNMax            = $clog2(4 * Bfus * BankWords);
  localparam int unsigned LogNWidth          = $clog2(LogNMax + 1);
  localparam int unsigned ConstantWidth      = WordBits + 2;
  localparam int unsigned ConstantIndexWidth = $clog2(2 * LogNMax + 4);

  logic [PortWords-1:0][ConstantWidth-1:0] constant_data;
  logic [1:0] port_write;
  logic [1:0][PortWords-1:0] port_request;
  logic [1:0][PortWords-1:0][LogNMax-1:0] port_address;
  logic [1:0][PortWords-1:0][WordBits-1:0] port_write_data, port_read_data;
  for (genvar y = 0; y < PortWords; y++) begin : gen_lane
    assign constant_data[y] = in_i[1+y][ConstantWidth-1:0];
    for (genvar g = 0; g < 2; g++) begin : gen_group
      localparam int unsigned Address = 1 + (1 + 2 * g) * PortWords + y;
      assign port_request[g][y]    = in_i[Address][63];
      assign port_address[g][y]    = in_i[Address][LogNMax-1:0];
      assign port_write_data[g][y] = in_i[Address+PortWords][WordBits-1:0];
      assign out_o[1+g*PortWords+y] = 64'(port_read_data[g][y]);
    end
  end
  assign port_write = in_i[0][33:32];

  logic ready, done;
  logic [QueuedCalls-1:0][WordBits-1:0] modulus;
  assign out_o[0] = 64'({done, ready});
  rise_core #(
      .Bfus(Bfus),
      .WordBits(WordBits),
      .BankWords(BankWords),
      .BfuLatency(BfuLatency),
      .Products(Products),
      .TwiddleBatches(TwiddleBatches),
      .WriteBuffer(WriteBuffer),
      .ReorderLatency(ReorderLatency),
      .QueuedCalls(QueuedCalls),
      .PortWords(PortWords)
  ) i_core (
      .clk_i,
      .rst_ni,
      .constant_valid_i(in_i[0][16]),
      .constant_set_i(in_i[0][17]),
      .constant_index_i(in_i[0][24+:ConstantIndexWidth]),
      .constant_data_i(constant_data),
      .instruction_valid_i(in_i[0][0]),
      .instruction_ready_o(ready),
      .instruction_op_i(op_e'(in_i[0][3:1])),
      .instruction_group_i(in_i[0][4]),
      .instruction_set_i(in_i[0][5]),
      .instruction_log_n_i(in_i[0][8+:LogNWidth]),
      .done_o(done),
      .port_write_i(port_write),
      .port_request_i(port_request),
      .port_address_i(port_address),
      .port_write_data_i(port_write_data),
      .port_read_data_o(port_read_data),
      .modulus_o(modulus)
  );

  logic unused;
  assign unused = &{in_i, modulus};
endmodule
