`include "assertions.svh"

/// The arithmetic of `barrett_mul`, each product a `multiplier`: a slice of its second factor in every
/// stage, a plain number in every register.
///
/// Timing: of s = `Stages` - 1 stages `(s + 1) / 3` make z, `(s + 2) / 3` shift and make h, `s / 3` make
/// h q; one subtracts. With `Interval` 2 stages come in pairs, so `Stages` is odd, at least 7, and s
/// counts pairs.
module barrett_sliced #(
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
    $fatal(1, "barrett_sliced: Quotient is \"Full\" or \"WithoutLowHalf\", not \"%s\"", Quotient);
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

  // Top bits that are 0 by the ranges above, low bits below the quotient, a shift that is fixed.
  logic unused;
  assign unused = &{scaled, shifted, shift, reduced, subtrahend_valid};

  `RW_REQUIRE(barrett_sliced_interval, Interval == 1 || (Stages >= 7 && Stages % 2 == 1))
endmodule
