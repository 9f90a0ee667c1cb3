`include "registers.svh"
`include "assertions.svh"

/// The computing side of RISE: two bank groups, P butterfly units with twiddle and reordering unit,
/// the computation controller, the call's constants.
///
/// The parameters are those of `spec/rise/params.toml`. An instruction takes what
/// `crates/target-rise` says: accepted in cycle t, it is the simulator's instruction with `start` =
/// t, and `done_o` is 1 in the cycle before the one that the simulator returns. DMA and sampler
/// reach the bank groups through one port each, beside an instruction that uses the other group.
///
/// Timing: cycle t decides and reads the banks, t + 1 has operands and factors at the butterfly
/// units, their results go through the reordering unit to the banks from t + 1 + `BfuLatency` on.
module rise_core
  import rise_pkg::*;
#(
    parameter int unsigned Bfus           = 1,
    parameter int unsigned WordBits       = 30,
    parameter int unsigned BankWords      = 4096,
    parameter int unsigned BfuLatency     = 9,
    parameter string       Products       = "Compressed",
    parameter int unsigned TwiddleBatches = 1,
    parameter int unsigned WriteBuffer    = 1,
    parameter int unsigned ReorderLatency = 0,
    parameter int unsigned QueuedCalls    = 1,
    /// Words per cycle of each external port and of the constants.
    parameter int unsigned PortWords      = 2,
    localparam int unsigned LogNMax            = $clog2(4 * Bfus * BankWords),
    localparam int unsigned LogNWidth          = $clog2(LogNMax + 1),
    localparam int unsigned AddressWidth       = LogNMax,
    localparam int unsigned ConstantWidth      = WordBits + 2,
    localparam int unsigned ConstantWords      = 2 * LogNMax + 4,
    localparam int unsigned ConstantIndexWidth = $clog2(ConstantWords)
) (
    input  logic                                          clk_i,
    input  logic                                          rst_ni,

    // The call's constants (`rise_constants`): a set rests while an instruction with it runs.
    input  logic                                          constant_valid_i,
    input  logic                                          constant_set_i,
    input  logic [ConstantIndexWidth-1:0]                 constant_index_i,
    input  logic [PortWords-1:0][ConstantWidth-1:0]       constant_data_i,

    // Instructions. The group is that of a transform.
    input  logic                                          instruction_valid_i,
    output logic                                          instruction_ready_o,
    input  op_e                                           instruction_op_i,
    input  logic                                          instruction_group_i,
    input  logic                                          instruction_set_i,
    input  logic [LogNWidth-1:0]                          instruction_log_n_i,
    output logic                                          done_o,

    // DMA and sampler, a port for each bank group: words of different banks, all read or all
    // written; read data in the next cycle.
    input  logic [1:0]                                    port_write_i,
    input  logic [1:0][PortWords-1:0]                     port_request_i,
    input  logic [1:0][PortWords-1:0][AddressWidth-1:0]   port_address_i,
    input  logic [1:0][PortWords-1:0][WordBits-1:0]       port_write_data_i,
    output logic [1:0][PortWords-1:0][WordBits-1:0]       port_read_data_o,

    /// The modulus of each set.
    output logic [QueuedCalls-1:0][WordBits-1:0]          modulus_o
);
  localparam int unsigned LogP            = $clog2(Bfus);
  localparam int unsigned LevelWidth      = (LogP > 0) ? LogP : 1;
  localparam int unsigned RowWidth        = $clog2(BankWords);
  localparam int unsigned PowerWidth      = $clog2(LogNMax);
  localparam int unsigned ReciprocalWidth = WordBits + 3;
  localparam int unsigned ShiftWidth      = $clog2(WordBits);

  typedef logic [WordBits-1:0] word_t;

  // ---- What runs ------------------------------------------------------------------------------

  op_e                  op;
  logic                 group, set;
  logic [LogNWidth-1:0] log_n;
  logic                 start, has, wants, factors, retire, operands, wide, written;
  logic [LevelWidth-1:0] spread, upper;
  bfu_op_e              bfu_op;
  logic [RowWidth-1:0]  read_row, write_row;
  logic [1:0]           read_quarter, write_quarter;
  rise_control #(
      .Bfus(Bfus),
      .BankWords(BankWords)
  ) i_control (
      .clk_i,
      .rst_ni,
      .valid_i(instruction_valid_i),
      .ready_o(instruction_ready_o),
      .op_i(instruction_op_i),
      .group_i(instruction_group_i),
      .set_i(instruction_set_i),
      .log_n_i(instruction_log_n_i),
      .done_o,
      .op_o(op),
      .group_o(group),
      .set_o(set),
      .log_n_o(log_n),
      .start_o(start),
      .has_i(has),
      .wants_i(wants),
      .factors_o(factors),
      .retire_o(retire),
      .spread_o(spread),
      .upper_o(upper),
      .operands_o(operands),
      .bfu_op_o(bfu_op),
      .read_row_o(read_row),
      .read_quarter_o(read_quarter),
      .wide_o(wide),
      .written_i(written),
      .write_row_o(write_row),
      .write_quarter_o(write_quarter)
  );

  // Beside the operands, one cycle behind the decision. `group` and `set` rest that long.
  logic    entered_q, factors_q, wide_q, set_q;
  bfu_op_e bfu_op_q;
  `RW_FF(entered_q, operands | factors, 1'b0)
  `RW_FFNR(factors_q, factors)
  `RW_FFNR(wide_q, wide)
  `RW_FFNR(set_q, set)
  `RW_FFL(bfu_op_q, bfu_op, operands | factors, BfuButterfly)

  // ---- Constants and factors ------------------------------------------------------------------

  word_t modulus, power, inverse_power;
  word_t [1:0] scale;
  logic [ReciprocalWidth-1:0] reciprocal;
  logic [ShiftWidth-1:0] shift;
  logic [PowerWidth-1:0] table_power;
  rise_constants #(
      .WordBits(WordBits),
      .LogNMax(LogNMax),
      .Sets(QueuedCalls),
      .PortWords(PortWords)
  ) i_constants (
      .clk_i,
      .rst_ni,
      .valid_i(constant_valid_i),
      .set_i(constant_set_i),
      .index_i(constant_index_i),
      .data_i(constant_data_i),
      .multiplier_set_i(set_q),
      .modulus_o(modulus),
      .reciprocal_o(reciprocal),
      .shift_o(shift),
      .table_set_i(set),
      .table_power_i(table_power),
      .scale_o(scale),
      .power_o(power),
      .inverse_power_o(inverse_power),
      .modulus_of_set_o(modulus_o)
  );

  word_t [Bfus-1:0] source, ratio, factor, product;
  logic factor_arrives;
  rise_twiddle_unit #(
      .Bfus(Bfus),
      .WordBits(WordBits),
      .LogNMax(LogNMax),
      .BfuLatency(BfuLatency),
      .Batches(TwiddleBatches)
  ) i_twiddle_unit (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .finish_i(done_o),
      .log_n_i(log_n),
      .inverse_i(op == OpInverse),
      .has_o(has),
      .wants_o(wants),
      .issue_i(factors),
      .retire_i(retire),
      .spread_i(spread),
      .upper_i(upper),
      .table_power_o(table_power),
      .scale_i(scale),
      .power_i(power),
      .inverse_power_i(inverse_power),
      .source_o(source),
      .ratio_o(ratio),
      .factor_o(factor),
      .product_valid_o(factor_arrives),
      .product_i(product)
  );

  // ---- Banks -----------------------------------------------------------------------------------

  word_t [1:0][2*Bfus-1:0] read_data;
  word_t [2*Bfus-1:0] write_data;
  logic [1:0] reads, writes, settled;
  always_comb begin
    for (int unsigned g = 0; g < 2; g++) begin
      reads[g]  = operands && (!is_transform(op) || group == 1'(g));
      writes[g] = written && (is_transform(op) ? group == 1'(g) : g == 1);
    end
  end
  for (genvar g = 0; g < 2; g++) begin : gen_group
    rise_bank_group #(
        .Bfus(Bfus),
        .WordBits(WordBits),
        .BankWords(BankWords),
        .WriteBuffer(WriteBuffer),
        .PortWords(PortWords)
    ) i_bank_group (
        .clk_i,
        .rst_ni,
        .read_i(reads[g]),
        .read_wide_i(wide),
        .read_row_i(read_row),
        .read_quarter_i(read_quarter),
        .read_data_o(read_data[g]),
        .write_i(writes[g]),
        .write_wide_i(wide),
        .write_row_i(write_row),
        .write_quarter_i(write_quarter),
        .write_data_i(write_data),
        .port_write_i(port_write_i[g]),
        .port_request_i(port_request_i[g]),
        .port_address_i(port_address_i[g]),
        .port_write_data_i(port_write_data_i[g]),
        .port_read_data_o(port_read_data_o[g]),
        .settled_o(settled[g])
    );
  end

  // ---- Butterfly units --------------------------------------------------------------------------

  word_t [Bfus-1:0] sum, difference;
  for (genvar lane = 0; lane < Bfus; lane++) begin : gen_bfu
    word_t a, b;
    always_comb begin
      a = read_data[0][lane];
      b = read_data[1][lane];
      if (is_transform(op)) begin
        a = wide_q ? read_data[group][2*lane] : read_data[group][lane];
        b = read_data[group][2*lane+1];
      end
      if (factors_q) a = source[lane];
    end
    rise_bfu #(
        .WordBits(WordBits),
        .BfuLatency(BfuLatency),
        .Products(Products)
    ) i_bfu (
        .clk_i,
        .rst_ni,
        .modulus_i(modulus),
        .reciprocal_i(reciprocal),
        .shift_i(shift),
        .valid_i(entered_q),
        .op_i(bfu_op_q),
        .a_i(a),
        .b_i(b),
        .factor_i(factors_q ? ratio[lane] : factor[lane]),
        .sum_o(sum[lane]),
        .difference_o(difference[lane]),
        .product_o(product[lane])
    );
  end

  // Results of operands that were read `BfuLatency` + 1 cycles ago.
  logic result, drained;
  valid_line #(
      .Stages(BfuLatency + 1)
  ) i_result (
      .clk_i,
      .rst_ni,
      .valid_i(operands),
      .valid_o(result),
      .empty_o(drained)
  );

  // ---- Results ------------------------------------------------------------------------------------

  logic reordered_valid;
  word_t [2*Bfus-1:0] reordered;
  rise_reordering_unit #(
      .Bfus(Bfus),
      .WordBits(WordBits),
      .Latency(ReorderLatency)
  ) i_reordering_unit (
      .clk_i,
      .rst_ni,
      .valid_i(result & wide),
      .sum_i(sum),
      .difference_i(difference),
      .valid_o(reordered_valid),
      .data_o(reordered)
  );
  assign written = wide ? reordered_valid : result;
  always_comb begin
    write_data = reordered;
    if (!wide) begin
      for (int unsigned lane = 0; lane < Bfus; lane++) begin
        write_data[lane] = (op == OpSubFrom0 || op == OpSubFrom1) ? difference[lane] : sum[lane];
      end
    end
  end

  logic unused;
  assign unused = &{settled, drained, factor_arrives};

  `RW_REQUIRE(rise_core_queued_calls, QueuedCalls >= 1 && QueuedCalls <= 2)
`ifndef SYNTHESIS
  logic done_last;
  `RW_FF(done_last, done_o, 1'b0)
  `RW_ASSERT(rise_core_drained, !done_last || drained)
  `RW_ASSERT(rise_core_settled, !done_last || settled == '1)
`endif
endmodule
