`include "assertions.svh"

/// One butterfly of a number-theoretic transform every `Interval` cycles, modulo any odd q given at
/// run time.
///
/// `Form` is one of
///   "CooleyTukey"    (a, b) -> (a + w b, a - w b)     decimation in time
///   "GentlemanSande" (a, b) -> (a + b, (a - b) w)     decimation in frequency
/// The constants of q, `Products` and `Quotient` are those of `barrett_mul`.
///
/// Timing: both results exactly `MulStages + 1` cycles after the operands, in either form: the
/// multiplier, and one register behind (before) the adder and the subtractor. With `Interval` 2
/// operands rest in the cycle after `valid_i`, and `MulStages` is as `barrett_mul` says. Area: the
/// multiplier, one `mod_add`, one `mod_sub`, and `MulStages` words for the operand that is not multiplied.
module butterfly #(
    parameter int unsigned Width          = 30,
    parameter int unsigned MulStages      = 8,
    parameter int unsigned Interval       = 1,
    parameter int unsigned MinModulusBits = 3,
    parameter string       Form           = "CooleyTukey",
    parameter string       Products       = "Compressed",
    parameter string       Quotient       = "Full",
    localparam int unsigned ReciprocalWidth = Width + 3,
    localparam int unsigned ShiftWidth      = $clog2(Width)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,

    input  logic [Width-1:0]           modulus_i,
    input  logic [ReciprocalWidth-1:0] reciprocal_i,
    input  logic [ShiftWidth-1:0]      shift_i,

    input  logic                       valid_i,
    input  logic [Width-1:0]           a_i,
    input  logic [Width-1:0]           b_i,
    input  logic [Width-1:0]           factor_i,

    output logic                       valid_o,
    output logic [Width-1:0]           a_o,
    output logic [Width-1:0]           b_o,
    /// What leaves the multiplier: w b a cycle before the results, (a - b) w with them.
    output logic [Width-1:0]           product_o
);
  localparam int unsigned AddStages = 1;

  // Operands of the adder and the subtractor, and of the multiplier.
  logic [Width-1:0] left, right, sum, difference;
  logic [Width-1:0] multiplicand, factor, product;
  logic multiply, multiplied, unused_empty;

  mod_add #(
      .Width(Width)
  ) i_add (
      .clk_i,
      .a_i(left),
      .b_i(right),
      .modulus_i,
      .sum_o(sum)
  );
  mod_sub #(
      .Width(Width)
  ) i_sub (
      .clk_i,
      .a_i(left),
      .b_i(right),
      .modulus_i,
      .difference_o(difference)
  );
  barrett_mul #(
      .Width(Width),
      .Stages(MulStages),
      .Interval(Interval),
      .MinModulusBits(MinModulusBits),
      .Products(Products),
      .Quotient(Quotient)
  ) i_mul (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .reciprocal_i,
      .shift_i,
      .valid_i(multiply),
      .a_i(multiplicand),
      .b_i(factor),
      .valid_o(multiplied),
      .product_o(product)
  );

  assign product_o = product;
  if (Form == "CooleyTukey") begin : gen_cooley_tukey
    assign multiply     = valid_i;
    assign multiplicand = b_i;
    assign factor       = factor_i;
    assign right        = product;
    delay_line #(
        .Width(Width),
        .Stages(MulStages)
    ) i_a (
        .clk_i,
        .data_i(a_i),
        .data_o(left)
    );
    delay_line #(
        .Width(2 * Width),
        .Stages(AddStages)
    ) i_result (
        .clk_i,
        .data_i({sum, difference}),
        .data_o({a_o, b_o})
    );
    valid_line #(
        .Stages(AddStages)
    ) i_valid (
        .clk_i,
        .rst_ni,
        .valid_i(multiplied),
        .valid_o,
        .empty_o(unused_empty)
    );
  end else if (Form == "GentlemanSande") begin : gen_gentleman_sande
    assign left    = a_i;
    assign right   = b_i;
    assign b_o     = product;
    assign valid_o = multiplied;
    delay_line #(
        .Width(Width),
        .Stages(AddStages + MulStages)
    ) i_sum (
        .clk_i,
        .data_i(sum),
        .data_o(a_o)
    );
    delay_line #(
        .Width(2 * Width),
        .Stages(AddStages)
    ) i_operands (
        .clk_i,
        .data_i({difference, factor_i}),
        .data_o({multiplicand, factor})
    );
    valid_line #(
        .Stages(AddStages)
    ) i_valid (
        .clk_i,
        .rst_ni,
        .valid_i,
        .valid_o(multiply),
        .empty_o(unused_empty)
    );
  end else begin : gen_unknown
    $fatal(1, "butterfly: Form is \"CooleyTukey\" or \"GentlemanSande\", not \"%s\"", Form);
  end

  `RW_ASSERT(butterfly_reduced,
             !valid_i || (a_i < modulus_i && b_i < modulus_i && factor_i < modulus_i))
endmodule
