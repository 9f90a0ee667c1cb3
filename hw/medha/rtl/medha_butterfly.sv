`include "registers.svh"
`include "assertions.svh"

/// One butterfly of a transform in either direction every cycle, modulo any odd q given at run time.
///
///   forward  (a, b) -> (a + w b, a - w b)
///   inverse  (a, b) -> ((a + b) / 2, (a - b) w)    w is half the factor, so that no pass scales
///
/// The direction comes with the operands, so a transform may follow one of the other direction. The
/// constants of q, and `Products`, are those of `barrett_mul`; they rest while an operation is inside.
///
/// Timing: results and `valid_o` exactly `MulStages + 2` cycles after the operands: a register
/// behind what stands before the multiplier, the multiplier, a register behind what stands after it.
/// Area: one multiplier, two adders and two subtractors.
module medha_butterfly #(
    parameter int unsigned Width     = 30,
    parameter int unsigned MulStages = 8,
    parameter string       Products  = "Compressed",
    localparam int unsigned ReciprocalWidth = Width + 3,
    localparam int unsigned ShiftWidth      = $clog2(Width)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,

    input  logic [Width-1:0]           modulus_i,
    input  logic [ReciprocalWidth-1:0] reciprocal_i,
    input  logic [ShiftWidth-1:0]      shift_i,

    input  logic                       valid_i,
    input  logic                       inverse_i,
    input  logic [Width-1:0]           a_i,
    input  logic [Width-1:0]           b_i,
    input  logic [Width-1:0]           factor_i,

    output logic                       valid_o,
    output logic [Width-1:0]           a_o,
    output logic [Width-1:0]           b_o
);
  // Before the multiplier.
  logic [Width-1:0] sum, difference, half;
  mod_add #(
      .Width(Width)
  ) i_sum (
      .clk_i,
      .a_i,
      .b_i,
      .modulus_i,
      .sum_o(sum)
  );
  mod_sub #(
      .Width(Width)
  ) i_difference (
      .clk_i,
      .a_i,
      .b_i,
      .modulus_i,
      .difference_o(difference)
  );
  // An odd sum is half of itself and q.
  assign half = Width'(((Width + 1)'(sum) + (sum[0] ? (Width + 1)'(modulus_i) : '0)) >> 1);

  logic [Width-1:0] multiplicand_q, beside_q, factor_q;
  logic inverse_q, valid_q;
  `RW_FF(valid_q, valid_i, 1'b0)
  `RW_FFNR(multiplicand_q, inverse_i ? difference : b_i)
  `RW_FFNR(beside_q, inverse_i ? half : a_i)
  `RW_FFNR(factor_q, factor_i)
  `RW_FFNR(inverse_q, inverse_i)

  logic [Width-1:0] product, beside;
  logic inverse, multiplied;
  barrett_mul #(
      .Width(Width),
      .Stages(MulStages),
      .Products(Products)
  ) i_mul (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .reciprocal_i,
      .shift_i,
      .valid_i(valid_q),
      .a_i(multiplicand_q),
      .b_i(factor_q),
      .valid_o(multiplied),
      .product_o(product)
  );
  delay_line #(
      .Width(Width + 1),
      .Stages(MulStages)
  ) i_beside (
      .clk_i,
      .data_i({inverse_q, beside_q}),
      .data_o({inverse, beside})
  );

  // Behind it.
  logic [Width-1:0] above, below;
  mod_add #(
      .Width(Width)
  ) i_above (
      .clk_i,
      .a_i(beside),
      .b_i(product),
      .modulus_i,
      .sum_o(above)
  );
  mod_sub #(
      .Width(Width)
  ) i_below (
      .clk_i,
      .a_i(beside),
      .b_i(product),
      .modulus_i,
      .difference_o(below)
  );
  logic [Width-1:0] a_q, b_q;
  logic made_q;
  `RW_FF(made_q, multiplied, 1'b0)
  `RW_FFNR(a_q, inverse ? beside : above)
  `RW_FFNR(b_q, inverse ? product : below)
  assign valid_o = made_q;
  assign a_o     = a_q;
  assign b_o     = b_q;

  `RW_ASSERT(medha_butterfly_reduced,
             !valid_i || (a_i < modulus_i && b_i < modulus_i && factor_i < modulus_i))
endmodule
