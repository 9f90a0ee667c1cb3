`include "registers.svh"
`include "assertions.svh"

/// a b, and further numbers, as two numbers with the same sum modulo 2^`ProductWidth`: `booth_rows` and
/// a `compression_tree`, registers inside.
///
/// Bits of rows below `Dropped` are left out: the sum is short by less than `Rows` + 4 times
/// 2^`Dropped`, `Rows` being `BWidth` / 2 + 2.
/// With `Interval` 2 the lower digits of b enter with `valid_i`, the upper ones in the next cycle:
/// half the tree, and two levels that bring both together. The operands need not rest.
/// Timing: `pipeline_pkg::product_units` from `First` on of a chain of `Total` units with `Stages`
/// registers; with `Interval` 2 one cycle more.
module compressed_product
  import pipeline_pkg::*;
#(
    parameter int unsigned AWidth       = 16,
    parameter int unsigned BWidth       = 16,
    parameter int unsigned ProductWidth = AWidth + BWidth,
    parameter int unsigned Extra        = 0,
    parameter int unsigned Dropped      = 0,
    parameter int unsigned Interval     = 1,
    parameter int unsigned First        = 0,
    parameter int unsigned Total        = product_units(BWidth, Extra, Interval),
    parameter int unsigned Stages       = 0,
    localparam int unsigned Extras      = (Extra > 0) ? Extra : 1
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    valid_i,
    input  logic [AWidth-1:0]       a_i,
    input  logic [BWidth-1:0]       b_i,
    /// Added to the product; without `Extra` not looked at.
    input  logic [ProductWidth-1:0] extra_i[Extras],
    output logic [ProductWidth-1:0] sum_o,
    output logic [ProductWidth-1:0] carry_o
);
  typedef logic [ProductWidth-1:0] row_t;
  // Digits of a pass, and the bits of b that they take; rows of a pass.
  localparam int unsigned Digits  = pass_digits(BWidth, Interval);
  localparam int unsigned Advance = 2 * Digits;
  localparam int unsigned Padded  = Advance * Interval + 1;
  localparam int unsigned Rows    = Digits + 1 + Extra;
  // In the second pass bit 0 is bit `Advance` of the product.
  localparam int unsigned Low     =
      (Interval == 1) ? Dropped : (Dropped > Advance) ? Dropped - Advance : 0;
  localparam int unsigned Tree    = First + DigitUnits + RowUnits;
  localparam int unsigned Join    = Tree + tree_units(Rows);

  // The factors of this pass, b above a 0.
  logic [AWidth-1:0] a;
  logic [Padded-1:0] padded;
  logic [Advance:0] digits;
  logic first;
  assign padded = Padded'({b_i, 1'b0});
  if (Interval == 1) begin : gen_one_pass
    assign a      = a_i;
    assign digits = padded;
    assign first  = 1'b1;
    logic unused;
    assign unused = &{rst_ni, valid_i};
  end else if (Interval == 2) begin : gen_two_passes
    logic second_q;
    logic [AWidth-1:0] a_q;
    logic [Advance:0] upper_q;
    `RW_FF(second_q, valid_i, 1'b0)
    `RW_FFNR(a_q, a_i)
    `RW_FFNR(upper_q, padded[Padded-1:Advance])
    assign a      = second_q ? a_q : a_i;
    assign digits = second_q ? upper_q : padded[Advance:0];
    assign first  = ~second_q;
  end else begin : gen_unknown
    $fatal(1, "compressed_product: Interval is 1 or 2, not %0d", Interval);
  end

  row_t multiples[Digits+1], rows[Rows];
  booth_rows #(
      .Width(AWidth),
      .Digits(Digits),
      .RowWidth(ProductWidth),
      .Dropped(Low),
      .First(First),
      .Total(Total),
      .Stages(Stages)
  ) i_multiples (
      .clk_i,
      .a_i(a),
      .digits_i(digits),
      .rows_o(multiples)
  );
  for (genvar i = 0; i <= Digits; i++) begin : gen_multiple
    assign rows[i] = multiples[i];
  end
  for (genvar i = 0; i < Extra; i++) begin : gen_extra
    delay_line #(
        .Width(ProductWidth),
        .Stages(registers(First, Tree, Total, Stages))
    ) i_extra (
        .clk_i,
        .data_i(first ? extra_i[i] : '0),
        .data_o(rows[Digits+1+i])
    );
  end

  row_t sum, carry;
  compression_tree #(
      .Rows(Rows),
      .Width(ProductWidth),
      .First(Tree),
      .Total(Total),
      .Stages(Stages)
  ) i_tree (
      .clk_i,
      .rows_i(rows),
      .sum_o(sum),
      .carry_o(carry)
  );

  if (Interval == 1) begin : gen_alone
    assign sum_o   = sum;
    assign carry_o = carry;
  end else begin : gen_joined
    // The first pass waits for the second.
    row_t both[4], sum_first, carry_first;
    delay_line #(
        .Width(2 * ProductWidth),
        .Stages(1)
    ) i_first (
        .clk_i,
        .data_i({sum, carry}),
        .data_o({sum_first, carry_first})
    );
    assign both[0] = sum_first >> Dropped << Dropped;
    assign both[1] = carry_first >> Dropped << Dropped;
    assign both[2] = sum << Advance;
    assign both[3] = carry << Advance;
    compression_tree #(
        .Rows(4),
        .Width(ProductWidth),
        .First(Join),
        .Total(Total),
        .Stages(Stages)
    ) i_join (
        .clk_i,
        .rows_i(both),
        .sum_o,
        .carry_o
    );
  end

  if (Extra == 0) begin : gen_no_extra
    logic unused;
    assign unused = &{extra_i[0], first};
  end

  // What the last digit lacks stands below the constants.
  `RW_REQUIRE(compressed_product_widths, Interval == 1 || Advance <= AWidth + 2)
endmodule
