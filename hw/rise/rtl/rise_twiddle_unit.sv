`include "registers.svh"
`include "assertions.svh"

/// The twiddle unit: makes the factors of a transform batch by batch, on the fly.
///
/// It holds a ring of C = `Batches` batches of P factors and batch 0 of the newest stage. In a
/// cycle without butterflies the control unit may let a product in: the next batch, out of one in
/// the ring, or batch 0 of the next stage out of that of this one, times one or two words of the
/// call's constants (`crates/target-rise/src/twiddles.rs` has the table). Lane l of an issue of
/// butterflies takes factor (issue P + l) >> (L-1-stage): log2 P levels, of which each doubles the
/// lanes of one factor, spread a batch.
///
/// Timing: cycle t decides (`issue_i`, `retire_i`, from `has_o` and `wants_o`, which depend on
/// registers only); in t + 1 the source words and the factors are at the multipliers, straight from
/// the ring; `product_i` is due in t + `BfuLatency`, and butterflies of that cycle's decision may use
/// it. Area: (C + 1) P words of flip-flops, C-to-1 multiplexers twice, the spreading network.
module rise_twiddle_unit #(
    parameter int unsigned Bfus       = 1,
    parameter int unsigned WordBits   = 30,
    parameter int unsigned LogNMax    = 14,
    parameter int unsigned BfuLatency = 9,
    parameter int unsigned Batches    = 1,
    localparam int unsigned LogP       = $clog2(Bfus),
    localparam int unsigned LogNWidth  = $clog2(LogNMax + 1),
    localparam int unsigned PowerWidth = $clog2(LogNMax),
    localparam int unsigned LevelWidth = (LogP > 0) ? LogP : 1
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,

    /// The first cycle of a transform, and the one behind which nothing of it is left.
    input  logic                           start_i,
    input  logic                           finish_i,
    input  logic [LogNWidth-1:0]           log_n_i,
    input  logic                           inverse_i,

    // Decisions of this cycle.
    /// The batch of the next butterflies is there.
    output logic                           has_o,
    /// A product can enter.
    output logic                           wants_o,
    input  logic                           issue_i,
    /// The last butterflies of a batch enter.
    input  logic                           retire_i,
    /// Of the butterflies that enter: which levels spread, and which half each one takes.
    input  logic [LevelWidth-1:0]          spread_i,
    input  logic [LevelWidth-1:0]          upper_i,

    // The call's constants, in the same cycle.
    output logic [PowerWidth-1:0]          table_power_o,
    input  logic [1:0][WordBits-1:0]       scale_i,
    input  logic [WordBits-1:0]            power_i,
    input  logic [WordBits-1:0]            inverse_power_i,

    // At the multipliers, one cycle later.
    output logic [Bfus-1:0][WordBits-1:0]  source_o,
    output logic [Bfus-1:0][WordBits-1:0]  ratio_o,
    output logic [Bfus-1:0][WordBits-1:0]  factor_o,

    // What they made, `BfuLatency` cycles after the decision.
    output logic                           product_valid_o,
    input  logic [Bfus-1:0][WordBits-1:0]  product_i
);
  localparam int unsigned PlaceWidth = (Batches > 1) ? $clog2(Batches) : 1;
  localparam int unsigned CountWidth = $clog2(Batches + 1);
  localparam int unsigned BatchWidth = LogNMax + 1;

  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [CountWidth-1:0] count_t;

  /// A place of the ring, and the one so many places before it.
  function automatic place_t next(place_t place);
    return (Batches > 1) ? place + place_t'(1) : '0;
  endfunction
  function automatic place_t behind(place_t place, place_t distance);
    return (Batches > 1) ? place - distance : '0;
  endfunction

  // ---- The sequence of products --------------------------------------------------------------

  typedef struct packed {
    /// Of the next product: its stage, its batch there, the last batch there.
    logic [LogNWidth-1:0]  stage;
    logic [BatchWidth-1:0] batch;
    logic [BatchWidth-1:0] last_batch;
    /// log2 of how many batches before it its source lies.
    logic [LogNWidth-1:0]  log_distance;
    /// There is none.
    logic                  finished;
  } sequence_t;

  // Stage s has 2^(s - log2 P) batches if that is more than one.
  localparam sequence_t First = '{
    stage:      LogNWidth'(1),
    last_batch: (LogP == 0) ? BatchWidth'(1) : '0,
    default:    '0
  };
  sequence_t sequence_d, sequence_q;
  logic of_base, ends_stage, is_last;
  logic [LogNWidth-1:0] last_stage;
  assign last_stage = inverse_i ? log_n_i : log_n_i - LogNWidth'(1);
  assign of_base    = sequence_q.batch == '0;
  assign ends_stage = sequence_q.batch == sequence_q.last_batch;
  assign is_last    = ends_stage && sequence_q.stage == last_stage;

  always_comb begin
    sequence_d = sequence_q;
    if (issue_i) begin
      sequence_d.finished = is_last;
      if (ends_stage) begin
        sequence_d.stage = sequence_q.stage + LogNWidth'(1);
        sequence_d.batch = '0;
        if (32'(sequence_q.stage) + 1 > LogP) begin
          sequence_d.last_batch = {sequence_q.last_batch[BatchWidth-2:0], 1'b1};
        end
      end else begin
        sequence_d.batch = sequence_q.batch + BatchWidth'(1);
      end
      // The highest power of two in the batch's number, up to those that are held.
      if (sequence_d.batch <= BatchWidth'(1)) begin
        sequence_d.log_distance = '0;
      end else if ((sequence_d.batch & sequence_q.batch) == '0 &&
                   32'(sequence_q.log_distance) + 1 <= $clog2(Batches)) begin
        sequence_d.log_distance = sequence_q.log_distance + LogNWidth'(1);
      end
    end
    if (finish_i) sequence_d = First;
  end
  `RW_FF(sequence_q, sequence_d, First)

  // ---- What is there, and what is on its way -------------------------------------------------

  // Bit i: a product entered i + 1 cycles ago. It counts as there in the cycle in which it comes out
  // of the multipliers, for what that cycle decides uses it one later.
  logic [BfuLatency-1:0] line_q, base_line_q;
  logic arrives, base_arrives;
  `RW_FF(line_q, BfuLatency'({line_q, issue_i}), '0)
  `RW_FF(base_line_q, BfuLatency'({base_line_q, issue_i & of_base}), '0)
  assign arrives         = line_q[BfuLatency-2];
  assign base_arrives    = base_line_q[BfuLatency-2];
  assign product_valid_o = line_q[BfuLatency-1];

  // Batches held, with those on their way; those on their way; whether batch 0 is there.
  count_t held_d, held_q, flying_d, flying_q, distance;
  logic base_there_d, base_there_q;
  always_comb begin
    held_d       = held_q + count_t'(issue_i) - count_t'(retire_i);
    flying_d     = flying_q + count_t'(issue_i) - count_t'(arrives);
    base_there_d = (base_there_q & ~(issue_i & of_base)) | base_arrives;
    if (finish_i) begin
      held_d       = count_t'(1);
      flying_d     = '0;
      base_there_d = 1'b1;
    end
  end
  `RW_FF(held_q, held_d, count_t'(1))
  `RW_FF(flying_q, flying_d, '0)
  `RW_FF(base_there_q, base_there_d, 1'b1)

  assign distance = count_t'(1) << sequence_q.log_distance;
  assign has_o    = held_q != flying_q;
  assign wants_o  = !sequence_q.finished && 32'(held_q) < Batches &&
                    (of_base ? base_there_q : flying_q < distance);

  // Places of the next product, of the next one to arrive, of the batch in use.
  place_t issue_d, issue_q, arrive_d, arrive_q, use_d, use_q;
  always_comb begin
    issue_d  = issue_i ? next(issue_q) : issue_q;
    arrive_d = product_valid_o ? next(arrive_q) : arrive_q;
    use_d    = retire_i ? next(use_q) : use_q;
    if (finish_i) begin
      issue_d  = next('0);
      arrive_d = next('0);
      use_d    = '0;
    end
  end
  `RW_FF(issue_q, issue_d, next('0))
  `RW_FF(arrive_q, arrive_d, next('0))
  `RW_FF(use_q, use_d, '0)

  // ---- Words: the ring, and batch 0 of the newest stage --------------------------------------

  logic [WordBits-1:0] ring[Batches][Bfus];
  logic [WordBits-1:0] base[Bfus];
  logic [WordBits-1:0] first;
  place_t to;
  assign first = inverse_i ? WordBits'(1) : power_i;
  assign to    = start_i ? '0 : arrive_q;
  for (genvar j = 0; j < Bfus; j++) begin : gen_word
    logic [WordBits-1:0] word;
    assign word = start_i ? first : product_i[j];
    `RW_FFLNR(ring[to][j], word, start_i | product_valid_o)
    `RW_FFLNR(base[j], word, start_i | base_line_q[BfuLatency-1])
  end

  // ---- What multiplies ------------------------------------------------------------------------

  // Of even and odd lanes.
  logic [1:0][WordBits-1:0] ratio_d, ratio_q;
  logic [LogNWidth-1:0] left;  // stages behind the product's
  assign left = log_n_i - sequence_q.stage;
  always_comb begin
    if (start_i)       table_power_o = PowerWidth'(log_n_i) - PowerWidth'(1);
    else if (!of_base) table_power_o = PowerWidth'(left) + PowerWidth'(LogP) +
                                       PowerWidth'(sequence_q.log_distance);
    else               table_power_o = PowerWidth'(left) - PowerWidth'(!inverse_i);

    if (!of_base)         ratio_d = {2{inverse_i ? inverse_power_i : power_i}};
    else if (!inverse_i)  ratio_d = {power_i, inverse_power_i};
    else if (left == '0)  ratio_d = scale_i;
    else                  ratio_d = {inverse_power_i, WordBits'(1)};
  end

  place_t source_q, factor_q;
  logic of_base_q;
  logic [LevelWidth-1:0] spread_q, upper_q;
  `RW_FFLNR(ratio_q, ratio_d, issue_i)
  `RW_FFLNR(of_base_q, of_base, issue_i)
  `RW_FFLNR(source_q, behind(issue_q, place_t'(distance)), issue_i)
  `RW_FFNR(factor_q, use_q)
  `RW_FFNR(spread_q, spread_i)
  `RW_FFNR(upper_q, upper_i)

  always_comb begin
    for (int unsigned j = 0; j < Bfus; j++) begin
      source_o[j] = of_base_q ? base[j/2] : ring[source_q][j];
      ratio_o[j]  = ratio_q[j%2];
    end
  end

  // Each level takes one half of the factors, each for two lanes.
  for (genvar i = 0; i <= LogP; i++) begin : gen_level
    logic [Bfus-1:0][WordBits-1:0] words;
    for (genvar j = 0; j < Bfus; j++) begin : gen_lane
      if (i == 0) begin : gen_batch
        assign words[j] = ring[factor_q][j];
      end else begin : gen_half
        assign words[j] = !spread_q[i-1] ? gen_level[i-1].words[j] :
                          upper_q[i-1] ? gen_level[i-1].words[Bfus/2+j/2] :
                          gen_level[i-1].words[j/2];
      end
    end
  end
  assign factor_o = gen_level[LogP].words;
  if (LogP == 0) begin : gen_no_level
    logic unused;
    assign unused = &{spread_q, upper_q};
  end

  `RW_REQUIRE(rise_twiddle_unit_batches,
              Batches >= 1 && Batches <= 32 && (Batches & (Batches - 1)) == 0)
  `RW_REQUIRE(rise_twiddle_unit_latency, BfuLatency >= 2)
  `RW_ASSERT(rise_twiddle_unit_has, !retire_i || has_o)
  `RW_ASSERT(rise_twiddle_unit_wants, !issue_i || wants_o)
  `RW_ASSERT(rise_twiddle_unit_one, !(issue_i && retire_i))
  `RW_ASSERT(rise_twiddle_unit_all_used, !finish_i || flying_q == '0)
endmodule
