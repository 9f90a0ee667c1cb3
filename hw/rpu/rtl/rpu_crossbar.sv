/// A crossbar between lanes and banks that joins each with each.
///
/// Timing: combinational. Area: per lane a multiplexer of `Banks` words, per bank one of `Hples`.
module rpu_crossbar #(
    parameter int unsigned Hples = 8,
    parameter int unsigned Banks = 8,
    parameter int unsigned Width = 64,
    localparam int unsigned BankWidth = $clog2(Banks),
    localparam int unsigned LaneWidth = (Hples > 1) ? $clog2(Hples) : 1
) (
    input  logic [Hples-1:0][BankWidth-1:0] lane_bank_i,
    input  logic [Banks-1:0][Width-1:0]     bank_data_i,
    output logic [Hples-1:0][Width-1:0]     lane_data_o,
    input  logic [Banks-1:0][LaneWidth-1:0] bank_lane_i,
    input  logic [Hples-1:0][Width-1:0]     lane_data_i,
    output logic [Banks-1:0][Width-1:0]     bank_data_o
);
  for (genvar j = 0; j < Hples; j++) begin : gen_lane
    assign lane_data_o[j] = bank_data_i[lane_bank_i[j]];
  end
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    assign bank_data_o[b] = lane_data_i[bank_lane_i[b]];
  end
endmodule
