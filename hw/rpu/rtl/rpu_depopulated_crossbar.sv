/// A crossbar between lanes and banks that joins what patterns of addresses ask for and no more
/// (TREBUCHET, section III-D: depopulated and hierarchical).
///
/// For rows whose banks are a pattern, turned by the bank of the first element
/// (`rpu_crosspoints_pkg`): a rotator, and behind it the pairs of lane and place that some pattern has.
///
/// Timing: combinational. Area: each way log2(`Banks`) multiplexers of two a bank, and about
/// 1.6 log2(`Banks`) crosspoints a lane.
module rpu_depopulated_crossbar
  import rpu_crosspoints_pkg::*;
#(
    parameter int unsigned Hples = 8,
    parameter int unsigned Banks = 8,
    parameter int unsigned Width = 64,
    localparam int unsigned BankWidth = $clog2(Banks),
    localparam int unsigned LaneWidth = (Hples > 1) ? $clog2(Hples) : 1
) (
    input  logic [Hples-1:0][BankWidth-1:0] lane_bank_i,
    input  logic [Banks-1:0][Width-1:0]     bank_data_i,
    output logic [Hples-1:0][Width-1:0]     lane_data_o,
    /// The bank of the row's first element.
    input  logic [BankWidth-1:0]            first_bank_i,
    input  logic [Banks-1:0][LaneWidth-1:0] bank_lane_i,
    input  logic [Hples-1:0][Width-1:0]     lane_data_i,
    output logic [Banks-1:0][Width-1:0]     bank_data_o
);
  // Words and lanes by their place: how far behind the first element's bank.
  logic [Banks-1:0][Width-1:0] loaded, stored;
  logic [Banks-1:0][LaneWidth-1:0] lane;

  rotator #(
      .Words(Banks),
      .Width(Width)
  ) i_loaded (
      .turn_i(lane_bank_i[0]),
      .data_i(bank_data_i),
      .data_o(loaded)
  );
  rotator #(
      .Words(Banks),
      .Width(LaneWidth)
  ) i_lane (
      .turn_i(first_bank_i),
      .data_i(bank_lane_i),
      .data_o(lane)
  );
  rotator #(
      .Words(Banks),
      .Width(Width),
      .Back(1'b1)
  ) i_stored (
      .turn_i(first_bank_i),
      .data_i(stored),
      .data_o(bank_data_o)
  );

  for (genvar j = 0; j < Hples; j++) begin : gen_lane
    logic [BankWidth-1:0] place;
    logic [Banks-1:0][Width-1:0] chosen;
    assign place = lane_bank_i[j] - lane_bank_i[0];
    for (genvar k = 0; k < Banks; k++) begin : gen_place
      if (is_used(Banks, j, k)) begin : gen_used
        assign chosen[k] = loaded[k] & {Width{place == BankWidth'(k)}};
      end else begin : gen_unused
        assign chosen[k] = '0;
      end
    end
    always_comb begin
      lane_data_o[j] = '0;
      for (int unsigned k = 0; k < Banks; k++) lane_data_o[j] |= chosen[k];
    end
  end
  for (genvar k = 0; k < Banks; k++) begin : gen_place
    logic [Hples-1:0][Width-1:0] chosen;
    for (genvar j = 0; j < Hples; j++) begin : gen_lane
      if (is_used(Banks, j, k)) begin : gen_used
        assign chosen[j] = lane_data_i[j] & {Width{lane[k] == LaneWidth'(j)}};
      end else begin : gen_unused
        assign chosen[j] = '0;
      end
    end
    always_comb begin
      stored[k] = '0;
      for (int unsigned j = 0; j < Hples; j++) stored[k] |= chosen[j];
    end
  end

  // Places that no lane meets.
  logic unused;
  assign unused = &{loaded, lane};
endmodule
