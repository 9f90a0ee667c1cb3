`include "registers.svh"
`include "assertions.svh"

/// One word of a dyadic operation every cycle, modulo any odd q given at run time: x y + z, where the
/// function says what x, y and z are of the operands a, b, c and the constant s.
///
///   Zero 0                    Mul a b                 SubMulScalar (a - b) s
///   Add a + b                 MulAdd a b + c          SubMulScalarAdd (a - b) s + c
///   Sub a - b                 MulScalar a s           Reduce a, any word
///   Neg -a                    AddScalar a + s         Centre a, an integer around 0 modulo another prime
///                             AddMulScalar a + b s
/// For `Centre`, s is that prime modulo q and `half_i` its half, rounded down: what is above stands for
/// itself less the prime.
///
/// The constants of q, and `Products`, are those of `barrett_mul`; they and s rest while an operation is
/// inside, and so does the function. Of `Reduce` and `Centre` a may be any word, of `AddMulScalar` b.
///
/// Timing: result and `valid_o` exactly `MulStages + 2` cycles after the operands.
/// Area: one multiplier, one adder, one subtractor.
module medha_dyadic_lane
  import medha_pkg::*;
#(
    parameter int unsigned Width     = 30,
    parameter int unsigned MulStages = 8,
    parameter string       Products  = "Compressed",
    localparam int unsigned ReciprocalWidth = Width + 3,
    localparam int unsigned ShiftWidth      = $clog2(Width)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,

    input  logic [Width-1:0]           modulus_i,
    input  logic [ReciprocalWidth-1:0] reciprocal_i,
    input  logic [ShiftWidth-1:0]      shift_i,
    input  logic [Width-1:0]           constant_i,
    input  logic [Width-1:0]           half_i,
    input  function_t                  function_i,

    input  logic                       valid_i,
    input  logic [Width-1:0]           a_i,
    input  logic [Width-1:0]           b_i,
    input  logic [Width-1:0]           c_i,

    output logic                       valid_o,
    output logic [Width-1:0]           result_o
);
  // A difference is of reduced words; -a is 0 - a.
  logic [Width-1:0] minuend, subtrahend, difference;
  assign minuend    = function_i == Neg ? '0 : a_i;
  assign subtrahend = function_i == Neg ? a_i : b_i;
  mod_sub #(
      .Width(Width)
  ) i_difference (
      .clk_i,
      .a_i(minuend),
      .b_i(subtrahend),
      .modulus_i,
      .difference_o(difference)
  );

  // A prime that is 0 modulo q would be q itself.
  logic [Width-1:0] x, y, z, less;
  assign less = constant_i == '0 ? '0 : modulus_i - constant_i;
  always_comb begin
    x = a_i;
    y = Width'(1);
    z = '0;
    unique case (function_i)
      Zero: x = '0;
      Add: z = b_i;
      Sub, Neg: x = difference;
      Mul: y = b_i;
      MulAdd: begin
        y = b_i;
        z = c_i;
      end
      MulScalar: y = constant_i;
      AddScalar: z = constant_i;
      AddMulScalar: begin
        x = b_i;
        y = constant_i;
        z = a_i;
      end
      SubMulScalar: begin
        x = difference;
        y = constant_i;
      end
      SubMulScalarAdd: begin
        x = difference;
        y = constant_i;
        z = c_i;
      end
      Reduce: ;
      Centre: z = a_i > half_i ? less : '0;
      default: ;
    endcase
  end

  logic [Width-1:0] x_q, y_q, z_q, product, beside, sum, result_q;
  logic valid_q, multiplied, made_q;
  `RW_FF(valid_q, valid_i, 1'b0)
  `RW_FFNR(x_q, x)
  `RW_FFNR(y_q, y)
  `RW_FFNR(z_q, z)
  barrett_mul #(
      .Width(Width),
      .Stages(MulStages),
      .Products(Products)
  ) i_mul (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .reciprocal_i,
      .shift_i,
      .valid_i(valid_q),
      .a_i(x_q),
      .b_i(y_q),
      .valid_o(multiplied),
      .product_o(product)
  );
  delay_line #(
      .Width(Width),
      .Stages(MulStages)
  ) i_beside (
      .clk_i,
      .data_i(z_q),
      .data_o(beside)
  );
  mod_add #(
      .Width(Width)
  ) i_sum (
      .clk_i,
      .a_i(product),
      .b_i(beside),
      .modulus_i,
      .sum_o(sum)
  );
  `RW_FF(made_q, multiplied, 1'b0)
  `RW_FFNR(result_q, sum)
  assign valid_o  = made_q;
  assign result_o = result_q;
endmodule
