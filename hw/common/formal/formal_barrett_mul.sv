`include "assertions.svh"
`include "formal.svh"
`include "registers.svh"

/// Every product of a word and a reduced word leaves reduced and on time, for every odd modulus that
/// fits, with a reciprocal that may lack its last bit.
module formal_barrett_mul #(
    parameter int unsigned Width          = 8,
    parameter int unsigned Stages         = 4,
    parameter int unsigned Interval       = 1,
    parameter int unsigned MinModulusBits = 3,
    parameter string       Products       = "Compressed",
    parameter string       Quotient       = "Full"
) (
    input logic                     clk_i,
    input logic                     valid_i,
    input logic [Width-1:0]         a_i,
    input logic [Width-1:0]         b_i,
    input logic [Width-1:0]         modulus_i,
    input logic [Width+2:0]         reciprocal_i,
    input logic [$clog2(Width)-1:0] shift_i
);
  logic rst_ni;
  `RW_RESET_ONCE(rst_ni)

  formal_modulus #(
      .Width(Width),
      .MinModulusBits(MinModulusBits)
  ) i_modulus (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .reciprocal_i,
      .shift_i
  );
  `RW_ASSUME(reduced, b_i < modulus_i)

  logic valid_q;
  logic [Width-1:0] a_q, b_q;
  `RW_FF(valid_q, valid_i, 1'b0)
  `RW_FFNR(a_q, a_i)
  `RW_FFNR(b_q, b_i)
  `RW_ASSUME(spaced, Interval == 1 || !(valid_q && valid_i))
  `RW_ASSUME(operands_rest, Interval == 1 || !valid_q || (a_i == a_q && b_i == b_q))

  logic valid;
  logic [Width-1:0] product;
  barrett_mul #(
      .Width(Width),
      .Stages(Stages),
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
      .valid_i,
      .a_i,
      .b_i,
      .valid_o(valid),
      .product_o(product)
  );

  // The definition, as late as the result.
  logic [2*Width-1:0] z;
  logic [Width-1:0] expected;
  logic expected_valid, unused_empty;
  assign z = a_i * b_i;
  delay_line #(
      .Width(Width),
      .Stages(Stages)
  ) i_expected (
      .clk_i,
      .data_i(Width'(z % (2 * Width)'(modulus_i))),
      .data_o(expected)
  );
  valid_line #(
      .Stages(Stages)
  ) i_expected_valid (
      .clk_i,
      .rst_ni,
      .valid_i,
      .valid_o(expected_valid),
      .empty_o(unused_empty)
  );

  `RW_ASSERT(on_time, valid == expected_valid)
  `RW_ASSERT(right, !valid || product == expected)
endmodule
