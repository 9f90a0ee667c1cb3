`include "assertions.svh"

/// The vector crossbar between the lanes and the banks (RPU, section IV-B4), and who goes through it
/// when several elements of a row lie in one bank.
///
/// In each cycle every bank serves the lowest-numbered of its elements that still waits, and with it
/// all that want the same word; a row therefore takes as many cycles as one bank holds different
/// words of it. Three parts, one for each moment at which a transfer passes:
///   schedule   which elements are served now, and what each bank is asked for
///   to_lanes   a cycle later: the banks' words to the elements that were served
///   to_banks   at a store's end: the elements' words to the banks
/// Timing: all combinational; who is served, in log2(`Hples`) steps and as many again for its word.
/// Area: per bank a priority encoder over the lanes and two multiplexers
/// (address and data) of `Hples` words; per lane one of `Banks` words and one of addresses.
module rpu_vbar #(
    parameter int unsigned Hples     = 8,
    parameter int unsigned Banks     = 8,
    parameter int unsigned Width     = 64,
    parameter int unsigned WordWidth = 8,
    localparam int unsigned BankWidth = $clog2(Banks),
    localparam int unsigned LaneWidth = (Hples > 1) ? $clog2(Hples) : 1
) (
    input  logic [Hples-1:0]                waiting_i,
    input  logic [Hples-1:0][BankWidth-1:0] bank_i,
    /// The word's number in its bank.
    input  logic [Hples-1:0][WordWidth-1:0] word_i,
    output logic [Hples-1:0]                served_o,
    output logic [Banks-1:0]                asked_o,
    output logic [Banks-1:0][LaneWidth-1:0] asker_o,
    output logic [Banks-1:0][WordWidth-1:0] asked_word_o,

    input  logic [Hples-1:0][BankWidth-1:0] lane_bank_i,
    input  logic [Banks-1:0][Width-1:0]     bank_data_i,
    output logic [Hples-1:0][Width-1:0]     lane_data_o,

    input  logic [Banks-1:0][LaneWidth-1:0] bank_lane_i,
    input  logic [Hples-1:0][Width-1:0]     lane_data_i,
    output logic [Banks-1:0][Width-1:0]     bank_data_o
);
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [Hples-1:0] wants, first;
    always_comb begin
      for (int unsigned j = 0; j < Hples; j++) begin
        wants[j] = waiting_i[j] & (bank_i[j] == BankWidth'(b));
      end
    end
    rpu_lowest #(
        .Count(Hples)
    ) i_first (
        .bits_i(wants),
        .any_o(asked_o[b]),
        .lowest_o(first),
        .number_o(asker_o[b])
    );
    // The word of the first; of nobody, word 0.
    always_comb begin
      asked_word_o[b] = '0;
      for (int unsigned j = 0; j < Hples; j++) begin
        asked_word_o[b] |= word_i[j] & {WordWidth{first[j]}};
      end
    end
    assign bank_data_o[b] = lane_data_i[bank_lane_i[b]];
  end

  for (genvar j = 0; j < Hples; j++) begin : gen_lane
    assign served_o[j]    = waiting_i[j] & (word_i[j] == asked_word_o[bank_i[j]]);
    assign lane_data_o[j] = bank_data_i[lane_bank_i[j]];
  end

  `RW_REQUIRE(rpu_vbar_sizes, Hples >= 1 && Banks >= 2)
endmodule
