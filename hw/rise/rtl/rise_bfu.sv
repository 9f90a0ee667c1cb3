`include "assertions.svh"

/// One butterfly unit: `butterfly` of `hw/common`, its operands chosen for all that RISE computes.
///
/// The multiplier serves butterflies, products, the pass behind an inverse transform, and the
/// twiddle unit; sums and differences go through it with a factor of 1, so everything takes as long.
///
/// Timing: `sum_o` and `difference_o` exactly `BfuLatency` cycles after the operands, one set a
/// cycle; `product_o`, what the multiplier made of them, one cycle earlier. Area: a `butterfly`, and
/// two-to-four-way multiplexers at its operands.
module rise_bfu
  import rise_pkg::*;
#(
    parameter int unsigned WordBits   = 30,
    parameter int unsigned BfuLatency = 9,
    parameter string       Products   = "Compressed",
    localparam int unsigned ReciprocalWidth = WordBits + 3,
    localparam int unsigned ShiftWidth      = $clog2(WordBits)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,

    input  logic [WordBits-1:0]        modulus_i,
    input  logic [ReciprocalWidth-1:0] reciprocal_i,
    input  logic [ShiftWidth-1:0]      shift_i,

    input  logic                       valid_i,
    input  bfu_op_e                    op_i,
    input  logic [WordBits-1:0]        a_i,
    input  logic [WordBits-1:0]        b_i,
    input  logic [WordBits-1:0]        factor_i,

    output logic [WordBits-1:0]        sum_o,
    output logic [WordBits-1:0]        difference_o,
    output logic [WordBits-1:0]        product_o
);
  logic [WordBits-1:0] left, right, factor;
  always_comb begin
    left   = a_i;
    right  = b_i;
    factor = WordBits'(1);
    unique case (op_i)
      BfuButterfly: factor = factor_i;
      BfuScale: begin
        left   = '0;
        right  = a_i;
        factor = factor_i;
      end
      BfuMul: begin
        left   = '0;
        factor = a_i;
      end
      BfuSubReversed: begin
        left  = b_i;
        right = a_i;
      end
      default: ;
    endcase
  end

  logic unused_valid;
  butterfly #(
      .Width(WordBits),
      .MulStages(BfuLatency - 1),
      .Products(Products)
  ) i_butterfly (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .reciprocal_i,
      .shift_i,
      .valid_i,
      .a_i(left),
      .b_i(right),
      .factor_i(factor),
      .valid_o(unused_valid),
      .a_o(sum_o),
      .b_o(difference_o),
      .product_o
  );

  `RW_REQUIRE(rise_bfu_word_bits, WordBits >= 20 && WordBits <= 60)
  `RW_REQUIRE(rise_bfu_latency, BfuLatency >= 2 && BfuLatency <= 32)
endmodule
