`include "registers.svh"

/// The multiply pipe of a core of 64 bits: RISC-V's Zmmul, and with `Modular` the instructions of
/// `spec/host/instructions.toml`, on the same multiplier.
///
/// Write q for the modulus, below 2^30. A butterfly's root w comes with w' = floor(2^32 w / q) above it
/// (Shoup), so one product b (2^32 w' + w) has both b w in its low bits and, from bit 64 on, a quotient:
/// b w / q less 1 for the bits that w' lacks, plus 1/16 for b w above 2^64. So b w less the quotient
/// times q is in [-q, 2q).
/// Modmul is Barrett's: p = a b below 2^64 times floor(2^64 / q) has the quotient of p in its high word,
/// short by one at most. That takes the multiplier a second time.
/// Both need quotient times q only in its low 32 bits, which is a small product of its own, and no
/// longer than the large one.
///
/// Timing: operands straight into the multiplier. `product_o` in the next cycle; `residue_o` in the one
/// after that. Behind a Modmul, `busy_o` tells in its own cycle that nothing may begin in the next one.
/// What begins without `valid_i` is not done, and may be anything.
module multiply_pipe
  import multiply_pkg::*;
#(
    parameter bit Modular = 1'b1
) (
    input  logic        clk_i,
    input  logic        rst_ni,

    input  logic [31:0] modulus_i,
    input  logic [63:0] reciprocal_i,

    input  logic        valid_i,
    input  operation_e  operation_i,
    /// The low 32 bits of the low word with their sign.
    input  logic        is_word_i,
    input  logic [63:0] a_i,
    input  logic [63:0] b_i,

    output logic        busy_o,
    output logic [63:0] product_o,
    output logic [31:0] residue_o
);
  logic signed [64:0] a, b;
  logic signed [129:0] product;
  assign product = a * b;

  logic [63:0] product_d;
  logic is_high, a_sign, b_sign;
  assign a_sign  = a_i[63] & (operation_i inside {High, HighSignedUnsigned});
  assign b_sign  = b_i[63] & (operation_i == High);
  assign is_high = operation_i inside {High, HighSignedUnsigned, HighUnsigned};
  always_comb begin
    product_d = is_high ? product[127:64] : product[63:0];
    if (is_word_i) product_d = {{32{product[31]}}, product[31:0]};
  end
  `RW_FFNR(product_o, product_d)

  if (!Modular) begin : gen_plain
    assign a         = {a_sign, a_i};
    assign b         = {b_sign, b_i};
    assign busy_o    = 1'b0;
    assign residue_o = '0;
    logic unused;
    assign unused = &{rst_ni, modulus_i, reciprocal_i, valid_i, product[129:128]};
  end else begin : gen_modular
    // First cycle: the product, or a second one of the Modmul before.
    logic is_butterfly, is_second_q, is_difference_q, is_difference_qq;
    logic [63:0] low_q;
    logic [31:0] high_q, added_q;
    assign is_butterfly = operation_i inside {ButterflySum, ButterflyDifference};
    assign busy_o  = valid_i & (operation_i == Modmul);
    always_comb begin
      a = {a_sign, is_butterfly ? 64'(a_i[63:32]) : a_i};
      b = {b_sign, b_i};
      if (is_second_q) begin
        a = {1'b0, low_q};
        b = {1'b0, reciprocal_i};
      end
    end
    `RW_FF(is_second_q, busy_o, 1'b0)
    `RW_FFNR(low_q, product[63:0])
    `RW_FFNR(high_q, product[95:64])
    `RW_FFNR(added_q, a_i[31:0])
    `RW_FFNR(is_difference_q, operation_i == ButterflyDifference)

    // Second cycle of a butterfly, third of a Modmul: what the quotient leaves, as two rows. The
    // product with -q is one with q's complement and once more the quotient.
    logic is_third_q;
    logic [31:0] low_qq, rest_qq, added_qq, rows[2], rest;
    // Wider by the bit that a product's last row begins at.
    logic [32:0] extra[2], wide_rows[2];
    `RW_FF(is_third_q, is_second_q, 1'b0)
    `RW_FFNR(low_qq, low_q[31:0])
    assign extra[0] = 33'(is_third_q ? low_qq : low_q[31:0]);
    assign extra[1] = 33'(high_q);
    assign rows[0]  = wide_rows[0][31:0];
    assign rows[1]  = wide_rows[1][31:0];
    compressed_product #(
        .AWidth(32),
        .BWidth(32),
        .ProductWidth(33),
        .Extra(2)
    ) i_rest (
        .clk_i,
        .rst_ni,
        .valid_i(1'b1),
        .a_i(~modulus_i),
        .b_i(high_q),
        .extra_i(extra),
        .sum_o(wide_rows[0]),
        .carry_o(wide_rows[1])
    );
    prefix_adder #(
        .Width(32)
    ) i_rest_sum (
        .clk_i,
        .a_i(rows[0]),
        .b_i(rows[1]),
        .sum_o(rest)
    );
    `RW_FFNR(rest_qq, rest)
    `RW_FFNR(added_qq, added_q)
    `RW_FFNR(is_difference_qq, is_difference_q)

    // Third cycle: a Modmul's residue, the rest or q less.
    logic [31:0] less_rows[3], less_sum, less_carry, less[2];
    logic [30:0] residue;
    assign less_rows[0] = rows[0];
    assign less_rows[1] = rows[1];
    assign less_rows[2] = ~modulus_i;
    compression_tree #(
        .Rows(3),
        .Width(32)
    ) i_less_rows (
        .clk_i,
        .rows_i(less_rows),
        .sum_o(less_sum),
        .carry_o(less_carry)
    );
    // A row of carries has no bit 0: there stands the 1 that ends a complement.
    assign less[0] = less_sum;
    assign less[1] = {less_carry[31:1], 1'b1};
    residue_choice #(
        .Width(31)
    ) i_residue (
        .clk_i,
        .x_i(less),
        .above_i(rows),
        .residue_o(residue)
    );

    // And a butterfly's: its rest into [0, q), then the addition.
    logic [31:0] less_rest, term, sum, difference, result;
    assign less_rest = rest_qq - modulus_i;
    always_comb begin
      if (rest_qq[31]) term = rest_qq + modulus_i;
      else term = less_rest[31] ? rest_qq : less_rest;
    end
    assign sum        = added_qq + term;
    assign difference = added_qq - term;
    always_comb begin
      if (is_difference_qq) result = difference[31] ? difference + modulus_i : difference;
      else result = (sum >= modulus_i) ? sum - modulus_i : sum;
    end
    assign residue_o = is_third_q ? 32'(residue) : result;

    logic unused;
    assign unused = &{product[129:128], wide_rows[0][32], wide_rows[1][32], less_carry[0]};
  end
endmodule
