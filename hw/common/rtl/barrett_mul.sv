`include "assertions.svh"
`include "registers.svh"

/// a b modulo q by Barrett's reduction (CRYPTO '86), one product every `Interval` cycles, for any odd
/// q of `MinModulusBits` to `Width` bits given at run time.
///
/// Write W for `Width` and k for the bits of q, so 2^(k-1) < q < 2^k. The constants of q are
///   shift      = k - 3
///   reciprocal = floor(2^(k-3 + W+5) / q)   < 2^(W+3).
/// With z = a b < q^2 take top = floor(z / 2^shift) < 2^(W+3) and
/// h = floor(top * reciprocal / 2^(W+5)). Then z/q - h is at least 0 and below
///   1 (the floor) + 2^(k-3)/q < 1/4 (bits of z shifted out) + top/2^(W+5) < 1/4 (reciprocal),
/// so z - h q < 2q and a single conditional subtraction ends it. The textbook's k - 1 leaves 3q and
/// a second subtraction; the two guard bits on either factor are cheaper. z - h q needs only its
/// low W + 1 bits, hence only the low half of h q.
///
/// Nothing above needs a < q: z < 2^W q is enough, so a may be any word, which is how a word is
/// brought under another modulus; b must be reduced. And the last bit of the reciprocal may be 0
/// whatever it should be: another 1/4. So W + 1 of its bits suffice, below the leading 1 that it
/// always has.
///
/// `Quotient` chooses how top * reciprocal is made:
///   "Full"            all of it
///   "WithoutLowHalf"  without the product of the low halves (together W + 3 bits): a quarter of
///                     the rows, for an error below 1/4 that still leaves z - h q below 2q. Our
///                     reading of the "half-size multiplication" that TREBUCHET removes.
///
/// Timing: `product_o` and `valid_o` exactly `Stages` cycles after the operands, `Stages` >= 1, the
/// operands straight into the first multiplier, the result from a register. Of s = `Stages` - 1
/// stages `(s + 1) / 3` make z, `(s + 2) / 3` shift and make h, `s / 3` make h q; one subtracts.
/// With `Interval` 2 every multiplier has half the rows; stages come in pairs, so `Stages` is odd, at
/// least 7, s counts pairs, and the operands rest in the cycle after `valid_i`.
/// Area: grows with W^2; the shifter disappears where `MinModulusBits` equals `Width`.
/// `ConstantsTravel` = 0: the constants are not pipelined and must rest while an operation is inside
/// (asserted). 1: they belong to the operands beside them and are delayed along with them, so the
/// modulus may change from product to product, for about `Stages` more words of flip-flops.
module barrett_mul #(
    parameter int unsigned Width          = 30,
    parameter int unsigned Stages         = 8,
    parameter int unsigned Interval       = 1,
    parameter int unsigned MinModulusBits = 3,
    parameter string       Quotient       = "Full",
    parameter bit          ConstantsTravel = 1'b0,
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

    output logic                       valid_o,
    output logic [Width-1:0]           product_o
);
  localparam int unsigned Steps = (Stages > 0 && Interval > 0) ? (Stages - 1) / Interval : 0;
  localparam int unsigned ProductStages   = Interval * ((Steps + 1) / 3);
  localparam int unsigned QuotientStages  = Interval * ((Steps + 2) / 3);
  localparam int unsigned RemainderStages = Interval * (Steps / 3);

  localparam int unsigned TopWidth = Width + 3;
  localparam int unsigned LowWidth = Width + 1;
  localparam int unsigned MinShift = MinModulusBits - 3;
  localparam int unsigned MaxShift = Width - 3;

  // The constants where each is needed: beside z, beside the quotient, beside z - h q.
  logic [ReciprocalWidth-1:0] reciprocal;
  logic [ShiftWidth-1:0] shift;
  logic [Width-1:0] modulus, modulus_last;
  delay_line #(
      .Width(ReciprocalWidth + ShiftWidth),
      .Stages(ConstantsTravel ? ProductStages : 0)
  ) i_reciprocal (
      .clk_i,
      .data_i({reciprocal_i, shift_i}),
      .data_o({reciprocal, shift})
  );
  delay_line #(
      .Width(Width),
      .Stages(ConstantsTravel ? ProductStages + QuotientStages : 0)
  ) i_modulus (
      .clk_i,
      .data_i(modulus_i),
      .data_o(modulus)
  );
  delay_line #(
      .Width(Width),
      .Stages(ConstantsTravel ? RemainderStages : 0)
  ) i_modulus_last (
      .clk_i,
      .data_i(modulus),
      .data_o(modulus_last)
  );

  // Beside the data: when z, h and h q are new.
  logic z_valid, h_valid, subtrahend_valid;

  // z = a b.
  logic [2*Width-1:0] z;
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

  // top = floor(z / 2^shift): the fixed part of the shift is a wire.
  logic [2*Width-1-MinShift:0] shifted;
  logic [TopWidth-1:0] top;
  if (MinShift == MaxShift) begin : gen_fixed_shift
    assign shifted = z[2*Width-1:MinShift];
  end else begin : gen_shifter
    assign shifted = z[2*Width-1:MinShift] >> (shift - ShiftWidth'(MinShift));
  end
  assign top = TopWidth'(shifted);

  // h = floor(top * reciprocal / 2^(W + 5)).
  logic [TopWidth+ReciprocalWidth-1:0] scaled;
  if (Quotient == "Full" || Quotient == "WithoutLowHalf") begin : gen_quotient
    localparam bit Halved = Quotient == "WithoutLowHalf";
    multiplier #(
        .AWidth(ReciprocalWidth),
        .BWidth(TopWidth),
        .Stages(QuotientStages),
        .Interval(Interval),
        .ADropped(Halved ? TopWidth / 2 : 0),
        .BDropped(Halved ? TopWidth - TopWidth / 2 : 0)
    ) i_quotient (
        .clk_i,
        .rst_ni,
        .valid_i(z_valid),
        .a_i(reciprocal),
        .b_i(top),
        .valid_o(h_valid),
        .product_o(scaled)
    );
  end else begin : gen_unknown
    $fatal(1, "barrett_mul: Quotient is \"Full\" or \"WithoutLowHalf\", not \"%s\"", Quotient);
  end
  logic [Width-1:0] quotient;
  assign quotient = scaled[Width+5+:Width];

  // The low bits of h q, and of z beside it.
  logic [LowWidth-1:0] subtrahend, z_low;
  multiplier #(
      .AWidth(Width),
      .BWidth(Width),
      .ProductWidth(LowWidth),
      .Stages(RemainderStages),
      .Interval(Interval)
  ) i_remainder (
      .clk_i,
      .rst_ni,
      .valid_i(h_valid),
      .a_i(modulus),
      .b_i(quotient),
      .valid_o(subtrahend_valid),
      .product_o(subtrahend)
  );
  delay_line #(
      .Width(LowWidth),
      .Stages(QuotientStages + RemainderStages)
  ) i_z_low (
      .clk_i,
      .data_i(z[LowWidth-1:0]),
      .data_o(z_low)
  );

  // z - h q lies in [0, 2q).
  logic [LowWidth-1:0] remainder, reduced;
  logic below;
  assign remainder        = z_low - subtrahend;
  assign {below, reduced} = {1'b0, remainder} - {2'b0, modulus_last};
  delay_line #(
      .Width(Width),
      .Stages(1)
  ) i_result (
      .clk_i,
      .data_i(Width'(below ? remainder : reduced)),
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

  // Top bits that are 0 by the ranges above, low bits below the quotient, a shift that is fixed.
  logic unused;
  assign unused = &{scaled, shifted, shift, reduced, empty, subtrahend_valid};

  `RW_REQUIRE(barrett_mul_width, Width >= 3 && Width <= 128)
  `RW_REQUIRE(barrett_mul_stages, Stages >= 1)
  `RW_REQUIRE(barrett_mul_interval, Interval == 1 || (Stages >= 7 && Stages % 2 == 1))
  `RW_REQUIRE(barrett_mul_modulus_bits, MinModulusBits >= 3 && MinModulusBits <= Width)
  `RW_ASSERT(barrett_mul_reduced, !valid_i || b_i < modulus_i)
  `RW_ASSERT(barrett_mul_bits, !valid_i || (modulus_i >> (MinModulusBits - 1)) != '0)
  `RW_ASSERT(barrett_mul_shift, !valid_i || (modulus_i >> shift_i) >> 2 == Width'(1))
`ifndef SYNTHESIS
  logic [Width-1:0] modulus_before, a_before, b_before;
  logic [ReciprocalWidth-1:0] reciprocal_before;
  logic valid_before;
  `RW_FF(valid_before, valid_i, 1'b0)
  always_ff @(posedge clk_i) begin
    modulus_before    <= modulus_i;
    reciprocal_before <= reciprocal_i;
    a_before          <= a_i;
    b_before          <= b_i;
  end
  `RW_ASSERT(barrett_mul_too_soon, Interval == 1 || !(valid_i && valid_before))
  `RW_ASSERT(barrett_mul_operands_rest,
             Interval == 1 || !valid_before ||
             (a_i == a_before && b_i == b_before && modulus_i == modulus_before))
  `RW_ASSERT(barrett_mul_constants_rest,
             empty || ConstantsTravel ||
             (modulus_i == modulus_before && reciprocal_i == reciprocal_before))
`endif
endmodule
