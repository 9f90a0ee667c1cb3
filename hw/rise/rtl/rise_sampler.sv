`include "registers.svh"
`include "assertions.svh"

/// The error sampling unit: SHAKE-256 and two samplers that take its blocks apart.
///
/// A message is the seed, then lanes of a small memory that hold the stream's name and the padding;
/// one lane of 64 bits is absorbed a cycle, `blocks_i` times 17 of them. Every permutation gives 1088
/// bits: 25 centred binomial samples of 42 bits (weight of the low 21 minus weight of the high 21),
/// or 136 bytes, of which 255 is skipped and any other gives (byte mod 3) - 1. While a block is taken
/// apart the next permutation runs. A polynomial can be added, one word per sample.
///
/// Timing: the first position of a block is written (or skipped) `blocks_i (17 + 24 /
/// RoundsPerCycle)` cycles after `start_i`, or when the first addend is there, whichever is later;
/// then one position a cycle. The time depends on N alone: a skipped byte takes its cycle, waits for
/// the addend like any other, and the bytes left when N words are written are passed over. (Too few
/// are accepted with probability below 2^-115.) Between message and bank lie two registers, the
/// block and the sample; the last lane goes straight into the permutation to make up for one.
/// Area: `keccak_f1600`, 1088 flip-flops for the block, 64 lanes of memory, two counts of 21 bits.
module rise_sampler #(
    parameter int unsigned WordBits       = 30,
    parameter int unsigned RoundsPerCycle = 1,
    parameter int unsigned LogNMax        = 14,
    localparam int unsigned LogNWidth     = $clog2(LogNMax + 1),
    localparam int unsigned MessageLanes  = 64,
    localparam int unsigned LaneWidth     = $clog2(MessageLanes)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,

    // The messages: seed, and half-lanes of what follows it.
    input  logic [3:0][63:0]     seed_i,
    input  logic                 message_write_i,
    input  logic [LaneWidth:0]   message_index_i,
    input  logic [31:0]          message_data_i,

    // What to draw; it must rest until the end but for `start_i`, `tail_i` and `blocks_i`.
    input  logic                 start_i,
    input  logic                 binomial_i,
    input  logic                 add_i,
    input  logic [LaneWidth-1:0] tail_i,
    input  logic [1:0]           blocks_i,
    input  logic [LogNWidth-1:0] log_n_i,
    input  logic [WordBits-1:0]  modulus_i,
    /// The last cycle.
    output logic                 done_o,

    input  logic                 addend_valid_i,
    output logic                 addend_ready_o,
    input  logic [WordBits-1:0]  addend_i,

    output logic                 write_o,
    output logic [LogNMax-1:0]   index_o,
    output logic [WordBits-1:0]  word_o
);
  localparam int unsigned RateLanes   = 17;
  localparam int unsigned SeedLanes   = 4;
  localparam int unsigned Rate        = 64 * RateLanes;
  localparam int unsigned Bytes       = Rate / 8;
  localparam int unsigned Half        = 21;
  localparam int unsigned Samples     = Rate / (2 * Half);
  localparam int unsigned PlacesWidth = $clog2(Bytes + 1);
  localparam int unsigned LeftWidth   = LogNMax + 2;
  typedef logic [PlacesWidth-1:0] places_t;
  typedef logic [LeftWidth-1:0] left_t;
  typedef logic [LogNMax:0] count_t;
  typedef logic [LogNWidth-1:0] log_n_t;

  typedef enum logic [1:0] {
    Idle,
    Absorb,
    Between,
    Squeeze
  } state_e;

  /// Bytes that are read for N ternary samples: whole blocks that hold enough of them.
  function automatic left_t ternary_places(int unsigned log_n);
    int unsigned n;
    n = 1 << log_n;
    return left_t'((n + n / 128 + 64 + Bytes - 1) / Bytes * Bytes);
  endfunction

  function automatic logic [1:0] mod_3(logic [7:0] value);
    // 4 is 1 modulo 3: the sum of the four digits, at most 12, then of its two.
    logic [3:0] digits, rest;
    digits = 4'(value[1:0]) + 4'(value[3:2]) + 4'(value[5:4]) + 4'(value[7:6]);
    rest   = 4'(digits[1:0]) + 4'(digits[3:2]);
    return (rest >= 4'd6) ? 2'(rest - 4'd6) : (rest >= 4'd3) ? 2'(rest - 4'd3) : rest[1:0];
  endfunction

  state_e state_d, state_q;
  logic absorb, last_lane, first_block_q, more_blocks;
  logic [4:0] lane_q;
  logic [1:0] blocks_q;

  logic permute, permute_ready, permuted, take;
  logic [1599:0] state_in, state_out;
  logic [Rate-1:0] block_d, block_q, block;

  logic extract, load, room;
  places_t in_block_d, in_block_q, per_block;
  left_t left_q, places;

  // What follows the seed; lanes are written when their high half is.
  logic [LaneWidth-1:0] tail_q;
  logic [31:0] low_q;
  logic [63:0] tail, lane;
  logic fetch;
  `RW_FFLNR(low_q, message_data_i, message_write_i & ~message_index_i[0])
  mem_1r1w #(
      .Words(MessageLanes),
      .Width(64)
  ) i_message (
      .clk_i,
      .rst_ni,
      .read_i(fetch),
      .read_address_i(tail_q),
      .read_data_o(tail),
      .write_i(message_write_i & message_index_i[0]),
      .write_address_i(message_index_i[LaneWidth:1]),
      .write_data_i({message_data_i, low_q})
  );
  assign lane  = (first_block_q && lane_q < 5'(SeedLanes)) ? seed_i[lane_q[1:0]] : tail;
  assign fetch = state_q == Absorb && !(first_block_q && lane_q < 5'(SeedLanes - 1));
  `RW_FFLNR(tail_q, start_i ? tail_i : tail_q + LaneWidth'(1), start_i | fetch)

  // Absorbing.
  assign absorb      = start_i || state_q == Absorb;
  assign last_lane   = lane_q == 5'(RateLanes - 1);
  assign more_blocks = blocks_q != 2'd1;
  `RW_FFL(lane_q, last_lane ? '0 : lane_q + 5'd1, absorb, '0)
  `RW_FFL(first_block_q, ~(absorb & last_lane), done_o | (absorb & last_lane), 1'b1)
  `RW_FFL(blocks_q, start_i ? blocks_i : blocks_q - 2'd1, start_i | (absorb & last_lane), '0)

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (start_i) state_d = Absorb;
      Absorb: if (last_lane) state_d = more_blocks ? Between : Squeeze;
      Between: if (permuted) state_d = Absorb;
      default: if (done_o) state_d = Idle;
    endcase
  end
  `RW_FF(state_q, state_d, Idle)

  // A block joins the state in the cycle of its last lane.
  always_comb begin
    state_in = state_out;
    if (absorb) begin
      if (first_block_q) state_in = '0;
      state_in[Rate-1:0] = state_in[Rate-1:0] ^ {lane, block_q[Rate-1:64]};
    end
  end
  assign permute = (absorb & last_lane) | (load & (left_q > left_t'(per_block)));
  assign take    = load | (absorb & last_lane);
  keccak_f1600 #(
      .RoundsPerCycle(RoundsPerCycle)
  ) i_keccak (
      .clk_i,
      .rst_ni,
      .valid_i(permute),
      .ready_o(permute_ready),
      .state_i(state_in),
      .valid_o(permuted),
      .ready_i(take),
      .state_o(state_out)
  );

  // Taking blocks apart: position by position, out of the permutation's result at first.
  assign per_block = binomial_i ? places_t'(Samples) : places_t'(Bytes);
  assign load      = extract && in_block_q == '0;
  assign extract   = state_q == Squeeze && left_q != '0 && room && (in_block_q != '0 || permuted);
  assign block     = (in_block_q == '0) ? state_out[Rate-1:0] : block_q;
  always_comb begin
    block_d = block >> 8;
    if (binomial_i) block_d = block >> (2 * Half);
    if (absorb) block_d = {lane, block_q[Rate-1:64]};
    in_block_d = in_block_q - places_t'(1);
    if (load) in_block_d = (left_q < left_t'(per_block) ? places_t'(left_q) : per_block) - places_t'(1);
  end
  always_comb begin
    places = left_t'(1) << log_n_i;
    for (int unsigned n = 1; n <= LogNMax; n++) begin
      if (!binomial_i && log_n_i == log_n_t'(n)) places = ternary_places(n);
    end
  end
  `RW_FFLNR(block_q, block_d, absorb | extract)
  `RW_FFL(in_block_q, in_block_d, extract, '0)
  `RW_FFL(left_q, start_i ? places : left_q - left_t'(1), start_i | extract, '0)

  // A sample: sign and magnitude.
  logic sample_valid_q, skip_d, skip_q, last_q, negative_d, negative_q, advance, complete;
  logic [4:0] magnitude_d, magnitude_q, low_weight, high_weight;
  logic [1:0] residue_3;
  count_t count_q;
  assign low_weight  = 5'($countones(block[Half-1:0]));
  assign high_weight = 5'($countones(block[2*Half-1:Half]));
  assign residue_3   = mod_3(block[7:0]);
  always_comb begin
    skip_d      = block[7:0] == 8'hff;
    negative_d  = residue_3 == 2'd0;
    magnitude_d = 5'(residue_3 != 2'd1);
    if (binomial_i) begin
      skip_d      = 1'b0;
      negative_d  = low_weight < high_weight;
      magnitude_d = negative_d ? high_weight - low_weight : low_weight - high_weight;
    end
  end
  assign complete = count_q[log_n_i];
  assign room     = ~sample_valid_q | advance;
  assign advance  = sample_valid_q & (~add_i | complete | addend_valid_i);
  `RW_FF(sample_valid_q, extract | (sample_valid_q & ~advance), 1'b0)
  `RW_FFLNR(skip_q, skip_d, extract)
  `RW_FFLNR(negative_q, negative_d, extract)
  `RW_FFLNR(magnitude_q, magnitude_d, extract)
  `RW_FFLNR(last_q, left_q == left_t'(1), extract)

  // A residue, and its sum with the addend.
  logic [WordBits-1:0] residue;
  assign residue = negative_q ? modulus_i - WordBits'(magnitude_q) : WordBits'(magnitude_q);
  mod_add #(
      .Width(WordBits)
  ) i_sum (
      .clk_i,
      .a_i(residue),
      .b_i(add_i ? addend_i : '0),
      .modulus_i,
      .sum_o(word_o)
  );
  assign write_o        = advance & ~skip_q & ~complete;
  assign addend_ready_o = write_o & add_i;
  assign index_o        = count_q[LogNMax-1:0];
  assign done_o         = advance & last_q;
  `RW_FFL(count_q, start_i ? '0 : count_q + count_t'(1), start_i | write_o, '0)

  `RW_ASSERT(rise_sampler_idle, !start_i || state_q == Idle)
  `RW_ASSERT(rise_sampler_permutes, !permute || permute_ready)
  `RW_ASSERT(rise_sampler_blocks, !start_i || blocks_i != '0)
endmodule
