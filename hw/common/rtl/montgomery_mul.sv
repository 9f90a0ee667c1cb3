`include "assertions.svh"
`include "registers.svh"

/// a b / 2^W modulo q by Montgomery's reduction (Math. Comp. 44, 1985), W = `Width`, one product
/// every `Interval` cycles, for any odd q below 2^W given at run time.
///
/// The constant of q is inverse = q^-1 mod 2^W. With z = a b = (high, low) take
/// m = low * inverse mod 2^W: the low words of z and m q are equal, and high - floor(m q / 2^W)
/// lies in (-q, q), so a single conditional addition ends it. No shifter and no reciprocal beyond
/// W bits: smaller than Barrett, for operands that stay in Montgomery form.
///
/// Timing: `product_o` and `valid_o` exactly `Stages` cycles after the operands, `Stages` >= 1, the
/// operands straight into the first multiplier, the result from a register. Of s = `Stages` - 1
/// stages `(s + 2) / 3` make z, `s / 3` make m (half a product), `(s + 1) / 3` make m q, one adds.
/// With `Interval` 2 every multiplier has half the rows; stages come in pairs, so `Stages` is odd, at
/// least 7, s counts pairs, and the operands rest in the cycle after `valid_i`.
/// Area: grows with W^2. The constants are not pipelined: they must rest while an operation is
/// inside (asserted).
module montgomery_mul #(
    parameter int unsigned Width    = 30,
    parameter int unsigned Stages   = 8,
    parameter int unsigned Interval = 1
) (
    input  logic             clk_i,
    input  logic             rst_ni,

    input  logic [Width-1:0] modulus_i,
    input  logic [Width-1:0] inverse_i,

    input  logic             valid_i,
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,

    output logic             valid_o,
    output logic [Width-1:0] product_o
);
  localparam int unsigned Steps = (Stages > 0 && Interval > 0) ? (Stages - 1) / Interval : 0;
  localparam int unsigned ProductStages = Interval * ((Steps + 2) / 3);
  localparam int unsigned FactorStages  = Interval * (Steps / 3);
  localparam int unsigned CancelStages  = Interval * ((Steps + 1) / 3);

  // Beside the data: when z, m and m q are new.
  logic z_valid, factor_valid, cancelled_valid;

  logic [2*Width-1:0] z, cancelled;
  logic [Width-1:0] factor, high;

  multiplier #(
      .AWidth(Width),
      .BWidth(Width),
      .Stages(ProductStages),
      .Interval(Interval)
  ) i_product (
      .clk_i,
      .rst_ni,
      .valid_i,
      .a_i,
      .b_i,
      .valid_o(z_valid),
      .product_o(z)
  );

  // m = low * inverse mod 2^W.
  multiplier #(
      .AWidth(Width),
      .BWidth(Width),
      .ProductWidth(Width),
      .Stages(FactorStages),
      .Interval(Interval)
  ) i_factor (
      .clk_i,
      .rst_ni,
      .valid_i(z_valid),
      .a_i(inverse_i),
      .b_i(z[Width-1:0]),
      .valid_o(factor_valid),
      .product_o(factor)
  );

  multiplier #(
      .AWidth(Width),
      .BWidth(Width),
      .Stages(CancelStages),
      .Interval(Interval)
  ) i_cancelled (
      .clk_i,
      .rst_ni,
      .valid_i(factor_valid),
      .a_i(modulus_i),
      .b_i(factor),
      .valid_o(cancelled_valid),
      .product_o(cancelled)
  );
  delay_line #(
      .Width(Width),
      .Stages(FactorStages + CancelStages)
  ) i_high (
      .clk_i,
      .data_i(z[2*Width-1:Width]),
      .data_o(high)
  );

  logic [Width-1:0] product;
  mod_sub #(
      .Width(Width)
  ) i_subtract (
      .clk_i,
      .a_i(high),
      .b_i(cancelled[2*Width-1:Width]),
      .modulus_i,
      .difference_o(product)
  );
  delay_line #(
      .Width(Width),
      .Stages(1)
  ) i_result (
      .clk_i,
      .data_i(product),
      .data_o(product_o)
  );

  logic empty;
  valid_line #(
      .Stages(Stages)
  ) i_valid (
      .clk_i,
      .rst_ni,
      .valid_i,
      .valid_o,
      .empty_o(empty)
  );

  // The low word of m q equals that of z; only its carry would count, and it is none.
  logic unused;
  assign unused = &{cancelled[Width-1:0], empty, cancelled_valid};

  `RW_REQUIRE(montgomery_mul_width, Width >= 2 && Width <= 128)
  `RW_REQUIRE(montgomery_mul_stages, Stages >= 1)
  `RW_REQUIRE(montgomery_mul_interval, Interval == 1 || (Stages >= 7 && Stages % 2 == 1))
  `RW_ASSERT(montgomery_mul_reduced, !valid_i || (a_i < modulus_i && b_i < modulus_i))
  `RW_ASSERT(montgomery_mul_inverse, !valid_i || (modulus_i * inverse_i) == Width'(1))
`ifndef SYNTHESIS
  logic [Width-1:0] modulus_last, a_last, b_last;
  logic valid_last;
  `RW_FF(valid_last, valid_i, 1'b0)
  always_ff @(posedge clk_i) begin
    modulus_last <= modulus_i;
    a_last       <= a_i;
    b_last       <= b_i;
  end
  `RW_ASSERT(montgomery_mul_too_soon, Interval == 1 || !(valid_i && valid_last))
  `RW_ASSERT(montgomery_mul_operands_rest,
             Interval == 1 || !valid_last || (a_i == a_last && b_i == b_last))
  `RW_ASSERT(montgomery_mul_constants_rest, empty || modulus_i == modulus_last)
`endif
endmodule
