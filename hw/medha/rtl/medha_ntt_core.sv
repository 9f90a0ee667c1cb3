`include "registers.svh"
`include "assertions.svh"

/// Transforms a tower of 2^log_n words, k butterflies a cycle, out of 2k banks and back: all stages, the
/// first alone, whose results may go into another memory, or the rest.
///
/// With B = log2(2k), word i lies in row i >> B of the bank whose number is the exclusive or of the
/// digits of i in base 2k. A stage pairs words that differ in bit p, its `pair`: from log_n - 1 down
/// to 0 forward, up inverse. A row of a stage is 2k words that differ in p and in the low bits but
/// m = p mod B. Say lane l has bit p in its place m and the other low bits in theirs; then the word
/// of lane l lies in bank l ^ c, where c is the same for the whole row. So a row takes each bank
/// once, and the words go to their butterflies by one exclusive or and one rotation of a bit.
///
/// Timing: a row is read in a cycle, its words come in the next one, and so do the factors, and they
/// are written `MulStages + 3` cycles after the read. With rows = 2^log_n / 2k a stage begins
/// max(rows, rows/2 + 1 + Latency) cycles after the one before, which is when what it reads first is
/// written; Latency = MulStages + 4 is from a read until its results can be read. The first read is in
/// the cycle after `start_i`; `done_o` is 1 in the cycle of the last write. Of the first stage alone it is 1
/// `IssueCycles` before the cycle in which the rest may be started, the last of `busy_o`, so that who
/// needs so many cycles for a start loses none. `stages_i`, `inverse_i` and `log_n_i` are taken with
/// `start_i`.
module medha_ntt_core
  import medha_pkg::*;
#(
    parameter int unsigned Butterflies = 2,
    parameter int unsigned LogMaxN     = 8,
    parameter int unsigned Width       = 30,
    parameter int unsigned MulStages   = 8,
    parameter int unsigned IssueCycles = 2,
    parameter string       Products    = "Compressed",
    localparam int unsigned Banks           = 2 * Butterflies,
    localparam int unsigned LogBanks        = $clog2(Banks),
    localparam int unsigned RowWidth        = LogMaxN - LogBanks,
    localparam int unsigned BitWidth        = $clog2(LogMaxN + 2),
    localparam int unsigned ReciprocalWidth = Width + 3,
    localparam int unsigned ShiftWidth      = $clog2(Width)
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,

    input  logic [Width-1:0]                 modulus_i,
    input  logic [ReciprocalWidth-1:0]       reciprocal_i,
    input  logic [ShiftWidth-1:0]            shift_i,

    input  logic                             start_i,
    input  stages_e                          stages_i,
    input  logic                             inverse_i,
    input  logic [BitWidth-1:0]              log_n_i,
    output logic                             busy_o,
    output logic                             done_o,

    /// A row of a stage: where its word is in each bank.
    output logic                             read_o,
    output logic [Banks-1:0][RowWidth-1:0]   read_row_o,
    input  logic [Banks-1:0][Width-1:0]      read_data_i,
    /// Numbers of its butterflies' factors, and to which table they belong.
    output logic                             inverse_o,
    output logic [Butterflies-1:0][LogMaxN-1:0] factor_o,
    input  logic [Butterflies-1:0][Width-1:0]   factor_i,

    output logic                             write_o,
    output logic [Banks-1:0][RowWidth-1:0]   write_row_o,
    output logic [Banks-1:0][Width-1:0]      write_data_o
);
  localparam int unsigned Latency  = MulStages + 4;
  localparam int unsigned Inside   = MulStages + 2;
  localparam int unsigned PlaceWidth = (LogBanks > 1) ? $clog2(LogBanks) : 1;
  // Cycles of a stage.
  localparam int unsigned CountWidth = $clog2((1 << RowWidth) + Latency + 2);

  typedef logic [LogBanks-1:0] lane_t;
  typedef logic [RowWidth-1:0] row_t;
  typedef logic [BitWidth-1:0] bit_t;
  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [CountWidth-1:0] count_t;
  // Where the words of a row are: of lane l in bank l ^ c and, where its bit m is 1, in another row.
  typedef struct packed {
    lane_t  c;
    place_t m;
    row_t   row;
    row_t   other;
    logic   last;
  } where_t;

  // p mod B.
  function automatic place_t place_of(bit_t pair);
    place_of = '0;
    for (int unsigned p = 0; p < LogMaxN; p++) begin
      if (pair == bit_t'(p)) place_of = place_t'(p % LogBanks);
    end
  endfunction

  // The exclusive or of a row's digits.
  function automatic lane_t folded(row_t row);
    folded = '0;
    for (int unsigned i = 0; i < RowWidth; i++) begin
      folded[i%LogBanks] ^= row[i];
    end
  endfunction

  // The lane of a butterfly's upper or lower operand: its number with a bit put in at place m.
  function automatic lane_t lane_of(lane_t number, place_t m, logic upper);
    lane_t below;
    below   = lane_t'((32'd1 << m) - 1);
    lane_of = lane_t'({number & ~below, 1'b0}) | (number & below);
    lane_of[m] = upper;
  endfunction

  // The stage at work.
  logic busy_d, busy_q, inverse_d, inverse_q;
  stages_e stages_d, stages_q;
  bit_t log_n_d, log_n_q, pair_d, pair_q;
  count_t count_d, count_q;
  count_t rows, period;
  logic stage_ends, is_last_stage, is_first_alone, issue;
  assign rows          = count_t'(32'd1 << (log_n_q - bit_t'(LogBanks)));
  assign period        = (rows >= (rows >> 1) + count_t'(Latency + 1)) ?
                         rows : (rows >> 1) + count_t'(Latency + 1);
  assign is_first_alone = stages_q == StagesFirst;
  assign is_last_stage  = is_first_alone || (inverse_q ? pair_q == log_n_q - 1'b1 : pair_q == '0);
  assign issue          = busy_q && count_q < rows;
  // Nothing follows the last stage of a transform that waits for it.
  assign stage_ends     = count_q + 1'b1 == (is_last_stage && !is_first_alone ? rows : period);

  always_comb begin
    busy_d    = busy_q;
    stages_d  = stages_q;
    inverse_d = inverse_q;
    log_n_d   = log_n_q;
    pair_d    = pair_q;
    count_d   = count_q;
    if (start_i) begin
      busy_d    = 1'b1;
      stages_d  = stages_i;
      inverse_d = inverse_i;
      log_n_d   = log_n_i;
      pair_d    = inverse_i ? bit_t'(stages_i == StagesRest) :
                              log_n_i - 1'b1 - bit_t'(stages_i == StagesRest);
      count_d   = '0;
    end else if (busy_q) begin
      count_d = stage_ends ? '0 : count_q + 1'b1;
      if (stage_ends) begin
        busy_d = !is_last_stage;
        pair_d = inverse_q ? pair_q + 1'b1 : pair_q - 1'b1;
      end
    end
  end
  `RW_FF(busy_q, busy_d, 1'b0)
  `RW_FF(inverse_q, inverse_d, 1'b0)
  `RW_FF(stages_q, stages_d, StagesAll)
  `RW_FF(log_n_q, log_n_d, bit_t'(LogBanks))
  `RW_FF(pair_q, pair_d, '0)
  `RW_FF(count_q, count_d, '0)

  // Where the words of this row are.
  where_t here;
  logic high;
  bit_t split;
  row_t counted;
  always_comb begin
    high    = pair_q >= bit_t'(LogBanks);
    split   = high ? pair_q - bit_t'(LogBanks) : '0;
    here.m  = place_of(pair_q);
    // Of a high pair, the first bit that counts is the one at place m; bit p is left out.
    counted = high ? row_t'(count_q >> 1) : row_t'(count_q);
    if (high) begin
      here.row   = ((counted >> split) << (split + 1'b1)) |
                   (counted & row_t'((32'd1 << split) - 1));
      here.other = row_t'(32'd1 << split);
    end else begin
      here.row   = counted;
      here.other = '0;
    end
    here.c = folded(here.row);
    if (high) here.c[here.m] ^= count_q[0];
    here.last = issue && stage_ends && is_last_stage && !is_first_alone;
  end

  assign read_o    = issue;
  assign inverse_o = inverse_q;
  for (genvar b = 0; b < Banks; b++) begin : gen_read
    lane_t lane;
    assign lane          = lane_t'(b) ^ here.c;
    assign read_row_o[b] = here.row | (lane[here.m] ? here.other : '0);
  end
  for (genvar j = 0; j < Butterflies; j++) begin : gen_factor
    logic [LogMaxN-1:0] word;
    // Low bits that a high pair shifts away may be anything.
    assign word        = {here.row, lane_of(lane_t'(j), here.m, 1'b0)};
    assign factor_o[j] = LogMaxN'(32'd1 << (log_n_q - 1'b1 - pair_q)) + (word >> (pair_q + 1'b1));
  end

  // A cycle later the words are there.
  where_t arrived_q, leaves;
  logic arrived_valid_q, arrived_inverse_q;
  `RW_FF(arrived_valid_q, issue, 1'b0)
  `RW_FFNR(arrived_q, here)
  `RW_FFNR(arrived_inverse_q, inverse_q)
  delay_line #(
      .Width($bits(where_t)),
      .Stages(Inside)
  ) i_where (
      .clk_i,
      .data_i(arrived_q),
      .data_o(leaves)
  );

  logic [Butterflies-1:0] made;
  logic [Butterflies-1:0][Width-1:0] upper, lower;
  for (genvar j = 0; j < Butterflies; j++) begin : gen_butterfly
    lane_t a, b;
    assign a = lane_of(lane_t'(j), arrived_q.m, 1'b0) ^ arrived_q.c;
    assign b = lane_of(lane_t'(j), arrived_q.m, 1'b1) ^ arrived_q.c;
    medha_butterfly #(
        .Width(Width),
        .MulStages(MulStages),
        .Products(Products)
    ) i_butterfly (
        .clk_i,
        .rst_ni,
        .modulus_i,
        .reciprocal_i,
        .shift_i,
        .valid_i(arrived_valid_q),
        .inverse_i(arrived_inverse_q),
        .a_i(read_data_i[a]),
        .b_i(read_data_i[b]),
        .factor_i(factor_i[j]),
        .valid_o(made[j]),
        .a_o(upper[j]),
        .b_o(lower[j])
    );
  end

  assign write_o = made[0];
  assign done_o  = (made[0] && leaves.last) ||
                   (busy_q && is_first_alone && count_q + count_t'(IssueCycles + 1) == period);
  for (genvar b = 0; b < Banks; b++) begin : gen_write
    lane_t lane, below, number;
    assign lane            = lane_t'(b) ^ leaves.c;
    assign below           = lane_t'((32'd1 << leaves.m) - 1);
    // The lane without its bit m.
    assign number          = (lane_t'({1'b0, lane} >> 1) & ~below) | (lane & below);
    assign write_row_o[b]  = leaves.row | (lane[leaves.m] ? leaves.other : '0);
    if (Butterflies == 1) begin : gen_one
      assign write_data_o[b] = lane[leaves.m] ? lower[0] : upper[0];
      logic unused_number;
      assign unused_number = ^number;
    end else begin : gen_many
      logic [LogBanks-2:0] which;
      assign which           = number[LogBanks-2:0];
      assign write_data_o[b] = lane[leaves.m] ? lower[which] : upper[which];
      logic unused_number;
      assign unused_number = number[LogBanks-1];
    end
  end
  if (Butterflies > 1) begin : gen_alike
    logic unused_made;
    assign unused_made = ^made[Butterflies-1:1];
  end

  // A start may come with the last read; the words inside are on their way.
  assign busy_o = busy_q;

  `RW_REQUIRE(medha_ntt_core_butterflies, Butterflies >= 1 && (Butterflies & (Butterflies - 1)) == 0)
  `RW_REQUIRE(medha_ntt_core_degree, LogMaxN > LogBanks)
  `RW_REQUIRE(medha_ntt_core_issue, IssueCycles >= 1 && IssueCycles <= Latency)
  `RW_ASSERT(medha_ntt_core_start, !start_i || !busy_q || (stage_ends && is_last_stage))
  `RW_ASSERT(medha_ntt_core_log_n,
             !start_i || (32'(log_n_i) > LogBanks && 32'(log_n_i) <= LogMaxN))
endmodule
