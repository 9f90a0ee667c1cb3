`include "registers.svh"
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
/// Timing: exactly `MulStages + 2` cycles from operands to results: a register behind the first
/// adder and subtractor, the multiplier, a register behind the second ones. Every operation takes
/// the same way, so that any may follow any other in the next cycle; a multiplier that Cooley-Tukey
/// enters a cycle earlier than Gentleman-Sande would be one cycle shorter and would have to keep
/// them apart. The published engine has one adder and one subtractor: Gentleman-Sande, our
/// addition, costs the second pair.
/// Area: the multiplier, its constants and the operand beside it at every stage.
module rpu_law
  import rpu_isa_pkg::*;
#(
    parameter int unsigned Width     = 63,
    parameter int unsigned MulStages = 7,
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
  // What becomes of the product and of the word beside it.
  typedef enum logic [1:0] {TakeBeside, TakeProduct, Combine, TakeBoth} way_e;

  typedef struct packed {
    way_e way;
    logic [Width-1:0] modulus;
    logic [Width-1:0] beside;
  } beside_t;

  logic [Width-1:0] sum, difference;
  mod_add #(
      .Width(Width)
  ) i_sum (
      .a_i,
      .b_i,
      .modulus_i,
      .sum_o(sum)
  );
  mod_sub #(
      .Width(Width)
  ) i_difference (
      .a_i,
      .b_i,
      .modulus_i,
      .difference_o(difference)
  );

  beside_t before_d, before_q, after;
  logic [Width-1:0] left_d, left_q, right_d, right_q;
  logic multiply_d, multiply_q;
  always_comb begin
    before_d   = '{way: TakeBeside, modulus: modulus_i, beside: b_i};
    left_d     = a_i;
    right_d    = b_i;
    multiply_d = 1'b0;
    unique case (operation_i)
      OpVadd: before_d.beside = sum;
      OpVsub: before_d.beside = difference;
      OpVmul: begin
        before_d.way = TakeProduct;
        multiply_d   = 1'b1;
      end
      OpBfly: begin
        before_d.way    = gentleman_sande_i ? TakeBoth : Combine;
        before_d.beside = gentleman_sande_i ? sum : a_i;
        left_d          = gentleman_sande_i ? difference : b_i;
        right_d         = c_i;
        multiply_d      = 1'b1;
      end
      default: ;
    endcase
  end
  `RW_FFNR(before_q, before_d)
  `RW_FFNR(left_q, left_d)
  `RW_FFNR(right_q, right_d)
  `RW_FF(multiply_q, multiply_d & valid_i, 1'b0)

  logic [ReciprocalWidth-1:0] reciprocal_q;
  logic [ShiftWidth-1:0] shift_q;
  `RW_FFNR(reciprocal_q, reciprocal_i)
  `RW_FFNR(shift_q, shift_i)

  logic [Width-1:0] product;
  logic unused_multiplied;
  barrett_mul #(
      .Width(Width),
      .Stages(MulStages),
      .ConstantsTravel(1'b1)
  ) i_mul (
      .clk_i,
      .rst_ni,
      .modulus_i(before_q.modulus),
      .reciprocal_i(reciprocal_q),
      .shift_i(shift_q),
      .valid_i(multiply_q),
      .a_i(left_q),
      .b_i(right_q),
      .valid_o(unused_multiplied),
      .product_o(product)
  );
  delay_line #(
      .data_t(beside_t),
      .Stages(MulStages)
  ) i_beside (
      .clk_i,
      .data_i(before_q),
      .data_o(after)
  );

  logic [Width-1:0] combined_sum, combined_difference, first_d, second_d;
  mod_add #(
      .Width(Width)
  ) i_combined_sum (
      .a_i(after.beside),
      .b_i(product),
      .modulus_i(after.modulus),
      .sum_o(combined_sum)
  );
  mod_sub #(
      .Width(Width)
  ) i_combined_difference (
      .a_i(after.beside),
      .b_i(product),
      .modulus_i(after.modulus),
      .difference_o(combined_difference)
  );
  always_comb begin
    first_d  = after.beside;
    second_d = product;
    unique case (after.way)
      TakeProduct: first_d = product;
      Combine: begin
        first_d  = combined_sum;
        second_d = combined_difference;
      end
      default: ;
    endcase
  end
  `RW_FFNR(first_o, first_d)
  `RW_FFNR(second_o, second_d)

  `RW_REQUIRE(rpu_law_stages, MulStages >= 1)
  `RW_ASSERT(rpu_law_b_reduced, !valid_i || operation_i == OpVbcast || b_i < modulus_i)
  `RW_ASSERT(rpu_law_a_reduced,
             !valid_i || (operation_i == OpVmul || operation_i == OpVbcast) || a_i < modulus_i)
  `RW_ASSERT(rpu_law_c_reduced, !valid_i || operation_i != OpBfly || c_i < modulus_i)
endmodule
