`include "assertions.svh"

/// The large-arithmetic-word engine of a lane: one operation or butterfly a cycle, modulo a modulus
/// that may change every cycle (RPU, section IV-B1).
///
///   OpVadd a + b     OpVsub a - b     OpVmul a b     OpVbcast b          -> first
///   OpBfly           Cooley-Tukey     a + b c,  a - b c                 -> first, second
///                    Gentleman-Sande  a + b,   (a - b) c                -> first, second
/// Operands are below the modulus, but for the a of a product: any word below 2^`Width`. The modulus
/// is odd, of 3 to `Width` bits; the reciprocal is that of `barrett_mul` and may lack its last bit.
///
/// Timing: exactly `Latency` cycles from operands to results. Every operation takes the same way, so
/// that any may follow any other in the next cycle; a multiplier that Cooley-Tukey enters a cycle
/// earlier than Gentleman-Sande would be one cycle shorter and would have to keep them apart.
/// `Products` as in `barrett_mul`. With "Compressed" everything is one chain of adders, multiplier and
/// adders, in which `Latency` registers stand where it is narrow, nearly at equal distances
/// (`rpu_spacing_pkg`); with "Sliced" one stands behind either pair of adder and subtractor and the
/// multiplier between has all others.
/// The published engine has one adder and one subtractor: Gentleman-Sande, our addition, costs the
/// second pair.
/// Area: the multiplier, its constants and the operand beside it at every stage.
module rpu_law
  import pipeline_pkg::*;
  import rpu_isa_pkg::*;
  import rpu_spacing_pkg::*;
#(
    parameter int unsigned Width    = 63,
    parameter int unsigned Latency  = 9,
    parameter string       Products = "Compressed",
    localparam int unsigned ReciprocalWidth = Width + 3,
    localparam int unsigned ShiftWidth      = $clog2(Width)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,

    input  logic                       valid_i,
    /// A vector operation, without its form with a scalar.
    input  op_e                  operation_i,
    input  logic                       gentleman_sande_i,
    input  logic [Width-1:0]           modulus_i,
    input  logic [ReciprocalWidth-1:0] reciprocal_i,
    input  logic [ShiftWidth-1:0]      shift_i,
    input  logic [Width-1:0]           a_i,
    input  logic [Width-1:0]           b_i,
    input  logic [Width-1:0]           c_i,

    output logic [Width-1:0]           first_o,
    output logic [Width-1:0]           second_o
);
  // The chain: adders, choice of operands, multiplier, adders, choice of results.
  localparam bit Spread = Products == "Compressed";
  localparam spacing_t Spacing = Spread ? spacing(Width, Latency) : '{total: 1, phase: 0};
  localparam int unsigned Total    = Spacing.total;
  localparam int unsigned Begin    = Spacing.phase;
  localparam ends_t At = ends(Width);
  localparam int unsigned Operands = Begin + At.operands;
  localparam int unsigned Multiply = Begin + At.choice;
  localparam int unsigned Combined = Begin + At.product_done;
  localparam int unsigned Results  = Begin + At.results;
  // The registers of each part; only those of the multiplier are more than these where they are
  // not spread.
  localparam int unsigned Stages = Spread ? Latency : 0;
  localparam int unsigned InOperands = registers(Begin, Operands, Total, Stages);
  localparam int unsigned AtMultiply = Spread ? registers(Operands, Multiply, Total, Stages) : 1;
  localparam int unsigned InMultiply =
      Spread ? registers(Multiply, Combined, Total, Stages) : Latency - 2;
  localparam int unsigned InResults  = registers(Combined, Results, Total, Stages);
  localparam int unsigned AtEnd      = Spread ? Latency - registers(Begin, Results, Total, Stages) : 1;

  // What becomes of the product and of the word beside it.
  typedef enum logic [1:0] {TakeBeside, TakeProduct, Combine, TakeBoth} way_e;

  typedef struct packed {
    op_e operation;
    logic gentleman_sande;
    logic [Width-1:0] modulus;
    logic [ReciprocalWidth-1:0] reciprocal;
    logic [ShiftWidth-1:0] shift;
    logic [Width-1:0] a;
    logic [Width-1:0] b;
    logic [Width-1:0] c;
  } operands_t;

  // What enters the multiplier.
  typedef struct packed {
    logic [ReciprocalWidth-1:0] reciprocal;
    logic [ShiftWidth-1:0] shift;
    logic [Width-1:0] left;
    logic [Width-1:0] right;
  } factors_t;

  typedef struct packed {
    way_e way;
    logic [Width-1:0] modulus;
    logic [Width-1:0] word;
  } beside_t;

  // ---- The first adder and subtractor, the operands beside them.
  operands_t given, operands;
  logic [Width-1:0] sum, difference;
  assign given = '{
          operation: operation_i,
          gentleman_sande: gentleman_sande_i,
          modulus: modulus_i,
          reciprocal: reciprocal_i,
          shift: shift_i,
          a: a_i,
          b: b_i,
          c: c_i
      };
  delay_line #(
      .data_t(operands_t),
      .Stages(InOperands)
  ) i_operands (
      .clk_i,
      .data_i(given),
      .data_o(operands)
  );
  mod_add #(
      .Width(Width),
      .First(Begin),
      .Total(Total),
      .Stages(Stages)
  ) i_sum (
      .clk_i,
      .a_i,
      .b_i,
      .modulus_i,
      .sum_o(sum)
  );
  mod_sub #(
      .Width(Width),
      .First(Begin),
      .Total(Total),
      .Stages(Stages)
  ) i_difference (
      .clk_i,
      .a_i,
      .b_i,
      .modulus_i,
      .difference_o(difference)
  );

  // ---- The multiplier's operands, and what waits for its product.
  beside_t beside_d, beside, after, after_late;
  factors_t factors_d, factors;
  always_comb begin
    beside_d  = '{way: TakeBeside, modulus: operands.modulus, word: operands.b};
    factors_d = '{
        reciprocal: operands.reciprocal,
        shift: operands.shift,
        left: operands.a,
        right: operands.b
    };
    unique case (operands.operation)
      OpVadd: beside_d.word = sum;
      OpVsub: beside_d.word = difference;
      OpVmul: beside_d.way = TakeProduct;
      OpBfly: begin
        beside_d.way    = operands.gentleman_sande ? TakeBoth : Combine;
        beside_d.word   = operands.gentleman_sande ? sum : operands.a;
        factors_d.left  = operands.gentleman_sande ? difference : operands.b;
        factors_d.right = operands.c;
      end
      default: ;
    endcase
  end
  delay_line #(
      .data_t(beside_t),
      .Stages(AtMultiply)
  ) i_waiting (
      .clk_i,
      .data_i(beside_d),
      .data_o(beside)
  );
  delay_line #(
      .data_t(factors_t),
      .Stages(AtMultiply)
  ) i_factors (
      .clk_i,
      .data_i(factors_d),
      .data_o(factors)
  );
  // The multiplier checks operands that are multiplied.
  logic multiply;
  if (InOperands + AtMultiply > 0) begin : gen_multiply
    logic unused_empty;
    valid_line #(
        .Stages(InOperands + AtMultiply)
    ) i_multiply (
        .clk_i,
        .rst_ni,
        .valid_i(valid_i & (operation_i == OpVmul || operation_i == OpBfly)),
        .valid_o(multiply),
        .empty_o(unused_empty)
    );
  end else begin : gen_multiply_now
    assign multiply = valid_i & (operation_i == OpVmul || operation_i == OpBfly);
  end

  logic [Width-1:0] product, product_late;
  logic unused_multiplied;
  barrett_mul #(
      .Width(Width),
      .Stages(Spread ? Latency : InMultiply),
      .Products(Products),
      .ConstantsTravel(1'b1),
      .First(Spread ? Multiply : 0),
      .Total(Spread ? Total : barrett_units(Width, 3, 1))
  ) i_mul (
      .clk_i,
      .rst_ni,
      .modulus_i(beside.modulus),
      .reciprocal_i(factors.reciprocal),
      .shift_i(factors.shift),
      .valid_i(multiply),
      .a_i(factors.left),
      .b_i(factors.right),
      .valid_o(unused_multiplied),
      .product_o(product)
  );
  delay_line #(
      .data_t(beside_t),
      .Stages(InMultiply)
  ) i_beside (
      .clk_i,
      .data_i(beside),
      .data_o(after)
  );

  // ---- The second adder and subtractor, product and word beside them.
  logic [Width-1:0] combined_sum, combined_difference, first_d, second_d;
  mod_add #(
      .Width(Width),
      .First(Combined),
      .Total(Total),
      .Stages(Stages)
  ) i_combined_sum (
      .clk_i,
      .a_i(after.word),
      .b_i(product),
      .modulus_i(after.modulus),
      .sum_o(combined_sum)
  );
  mod_sub #(
      .Width(Width),
      .First(Combined),
      .Total(Total),
      .Stages(Stages)
  ) i_combined_difference (
      .clk_i,
      .a_i(after.word),
      .b_i(product),
      .modulus_i(after.modulus),
      .difference_o(combined_difference)
  );
  delay_line #(
      .Width($bits(beside_t) + Width),
      .Stages(InResults)
  ) i_late (
      .clk_i,
      .data_i({after, product}),
      .data_o({after_late, product_late})
  );
  always_comb begin
    first_d  = after_late.word;
    second_d = product_late;
    unique case (after_late.way)
      TakeProduct: first_d = product_late;
      Combine: begin
        first_d  = combined_sum;
        second_d = combined_difference;
      end
      default: ;
    endcase
  end
  delay_line #(
      .Width(2 * Width),
      .Stages(AtEnd)
  ) i_results (
      .clk_i,
      .data_i({first_d, second_d}),
      .data_o({first_o, second_o})
  );

  logic unused;
  assign unused = &after_late.modulus;

  `RW_REQUIRE(rpu_law_products, Spread || Latency >= 3)
  `RW_REQUIRE(rpu_law_latency,
              InOperands + AtMultiply + InMultiply + InResults + AtEnd == Latency)
  `RW_ASSERT(rpu_law_b_reduced, !valid_i || operation_i == OpVbcast || b_i < modulus_i)
  `RW_ASSERT(rpu_law_a_reduced,
             !valid_i || (operation_i == OpVmul || operation_i == OpVbcast) || a_i < modulus_i)
  `RW_ASSERT(rpu_law_c_reduced, !valid_i || operation_i != OpBfly || c_i < modulus_i)
endmodule
