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
/// always has. The last quarter is for low digits of top * reciprocal that nobody computes.
///
/// `Products` says how the three products are made:
///   "Compressed"  `barrett_compressed`: rows, full adders and carries with registers between them,
///                 as many as `Stages` asks for. Without the low columns of top * reciprocal.
///   "Sliced"      `barrett_sliced`: a `multiplier` each, registers between its slices. Smaller in
///                 flip-flops and quicker to simulate; a carry chain of W bits stays in every stage.
/// `Quotient` is for "Sliced" alone:
///   "Full"            all of top * reciprocal
///   "WithoutLowHalf"  without the product of the low halves (together W + 3 bits): a quarter of
///                     the rows. Our reading of the "half-size multiplication" that TREBUCHET removes.
///
/// Timing: `product_o` and `valid_o` exactly `Stages` cycles after the operands, `Stages` >= 1, the
/// operands straight into the first product, the result from a register. With `Interval` 2 products
/// have half the rows, and the operands rest in the cycle after `valid_i`; `Stages` is at least 4
/// with "Compressed", and as `barrett_sliced` says with "Sliced".
/// A caller with "Compressed" may lay it into a chain of its own, `Interval` 1: from unit `First` on of
/// `Total` units with `Stages` registers, see `pipeline_pkg`.
/// Area: grows with W^2; the shifter disappears where `MinModulusBits` equals `Width`.
/// `ConstantsTravel` = 0: the constants are not pipelined and must rest while an operation is inside
/// (asserted). 1: they belong to the operands beside them and are delayed along with them, so the
/// modulus may change from product to product, for about `Stages` more words of flip-flops.
module barrett_mul
  import pipeline_pkg::*;
#(
    parameter int unsigned Width           = 30,
    parameter int unsigned Stages          = 8,
    parameter int unsigned Interval        = 1,
    parameter int unsigned MinModulusBits  = 3,
    parameter string       Products        = "Compressed",
    parameter string       Quotient        = "Full",
    parameter bit          ConstantsTravel = 1'b0,
    parameter int unsigned First           = 0,
    parameter int unsigned Total           = barrett_units(Width, MinModulusBits, Interval),
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
  localparam int unsigned Units = barrett_units(Width, MinModulusBits, Interval);
  localparam bit          Whole = First == 0 && Total == Units;
  // Cycles from operands to result; less than one only where a longer chain has its registers
  // elsewhere.
  localparam int unsigned Latency =
      Whole ? Stages : registers(First, First + Units, Total, Stages);

  // Bit i: operands came i cycles ago.
  logic [Latency:0] valid;
  logic empty;
  assign valid[0] = valid_i;
  if (Latency > 0) begin : gen_valid
    logic [Latency-1:0] valid_q;
    `RW_FF(valid_q, valid[Latency-1:0], '0)
    assign valid[Latency:1] = valid_q;
    assign empty            = valid_q == '0;
  end else begin : gen_no_valid
    assign empty = 1'b1;
  end
  assign valid_o = valid[Latency];

  if (Products == "Compressed" && Quotient == "Full") begin : gen_compressed
    // One of two passes waits for the other in each product.
    barrett_compressed #(
        .Width(Width),
        .Interval(Interval),
        .MinModulusBits(MinModulusBits),
        .ConstantsTravel(ConstantsTravel),
        .First(First),
        .Total(Total),
        .Stages(Stages - 3 * (Interval - 1))
    ) i_arithmetic (
        .clk_i,
        .rst_ni,
        .modulus_i,
        .reciprocal_i,
        .shift_i,
        .valid_i(valid),
        .a_i,
        .b_i,
        .product_o
    );
    `RW_REQUIRE(barrett_mul_compressed, Interval == 1 || (Whole && Stages >= 4))
  end else if (Products == "Sliced") begin : gen_sliced
    barrett_sliced #(
        .Width(Width),
        .Stages(Stages),
        .Interval(Interval),
        .MinModulusBits(MinModulusBits),
        .Quotient(Quotient),
        .ConstantsTravel(ConstantsTravel)
    ) i_arithmetic (
        .clk_i,
        .rst_ni,
        .modulus_i,
        .reciprocal_i,
        .shift_i,
        .valid_i,
        .a_i,
        .b_i,
        .product_o
    );
    `RW_REQUIRE(barrett_mul_sliced, Whole)
  end else begin : gen_unknown
    $fatal(1, "barrett_mul: Products is \"Compressed\", with a Quotient that is \"Full\", or \"Sliced\", not \"%s\"",
           Products);
  end

  `RW_REQUIRE(barrett_mul_width, Width >= 3 && Width <= 128)
  `RW_REQUIRE(barrett_mul_stages, Stages >= 1)
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
