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
/// With `Map` "modulo" (`rpu_address_generator`) few lanes meet few banks, and data pass a crossbar of
/// those crosspoints alone where it is the smaller (`rpu_depopulated_crossbar`).
///
/// Timing: all combinational; who is served, in log2(`Hples`) steps and as many again for its word.
/// Area: the crossbar of data; per bank a priority encoder over the lanes and a multiplexer of
/// `Hples` addresses; per lane one of `Banks` addresses.
module rpu_vbar #(
    parameter int unsigned Hples     = 8,
    parameter int unsigned Banks     = 8,
    parameter int unsigned Width     = 64,
    parameter int unsigned WordWidth = 8,
    parameter string       Map       = "skewed",
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
    /// Every lane can meet its bank; for assertions.
    output logic                            possible_o,

    input  logic [Hples-1:0][BankWidth-1:0] lane_bank_i,
    input  logic [Banks-1:0][Width-1:0]     bank_data_i,
    output logic [Hples-1:0][Width-1:0]     lane_data_o,

    /// The bank of the row's first element.
    input  logic [BankWidth-1:0]            first_bank_i,
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
  end

  for (genvar j = 0; j < Hples; j++) begin : gen_lane
    assign served_o[j] = waiting_i[j] & (word_i[j] == asked_word_o[bank_i[j]]);
  end

  if (Map == "modulo" && rpu_crosspoints_pkg::are_few(Hples, Banks)) begin : gen_depopulated
    rpu_depopulated_crossbar #(
        .Hples(Hples),
        .Banks(Banks),
        .Width(Width)
    ) i_data (
        .lane_bank_i,
        .bank_data_i,
        .lane_data_o,
        .first_bank_i,
        .bank_lane_i,
        .lane_data_i,
        .bank_data_o
    );
    logic [Hples-1:0] possible;
    for (genvar j = 0; j < Hples; j++) begin : gen_possible
      logic [BankWidth-1:0] place;
      assign place = bank_i[j] - bank_i[0];
      always_comb begin
        possible[j] = 1'b0;
        for (int unsigned k = 0; k < Banks; k++) begin
          possible[j] |= rpu_crosspoints_pkg::is_used(Banks, j, k) & (place == BankWidth'(k));
        end
      end
    end
    assign possible_o = &possible;
  end else begin : gen_full
    rpu_crossbar #(
        .Hples(Hples),
        .Banks(Banks),
        .Width(Width)
    ) i_data (
        .lane_bank_i,
        .bank_data_i,
        .lane_data_o,
        .bank_lane_i,
        .lane_data_i,
        .bank_data_o
    );
    assign possible_o = 1'b1;
    logic unused;
    assign unused = &first_bank_i;
  end

  `RW_REQUIRE(rpu_vbar_sizes, Hples >= 1 && Banks >= 2)
endmodule
