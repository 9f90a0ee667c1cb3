`include "assertions.svh"
`include "formal.svh"
`include "registers.svh"

/// Both results of every butterfly leave reduced and on time, for every odd modulus that fits.
module formal_butterfly #(
    parameter int unsigned Width          = 5,
    parameter int unsigned MulStages      = 2,
    parameter int unsigned MinModulusBits = 3,
    parameter string       Form           = "CooleyTukey",
    parameter string       Products       = "Sliced"
) (
    input logic                     clk_i,
    input logic                     valid_i,
    input logic [Width-1:0]         a_i,
    input logic [Width-1:0]         b_i,
    input logic [Width-1:0]         factor_i,
    input logic [Width-1:0]         modulus_i,
    input logic [Width+2:0]         reciprocal_i,
    input logic [$clog2(Width)-1:0] shift_i
);
  localparam int unsigned Latency = MulStages + 1;
  typedef logic [2*Width:0] wide_t;

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
  `RW_ASSUME(reduced, a_i < modulus_i && b_i < modulus_i && factor_i < modulus_i)

  logic valid;
  logic [Width-1:0] a, b;
  butterfly #(
      .Width(Width),
      .MulStages(MulStages),
      .MinModulusBits(MinModulusBits),
      .Form(Form),
      .Products(Products)
  ) i_butterfly (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .reciprocal_i,
      .shift_i,
      .valid_i,
      .a_i,
      .b_i,
      .factor_i,
      .valid_o(valid),
      .a_o(a),
      .b_o(b),
      .product_o()
  );

  // The definition, as late as the results.
  wide_t q, turned, sum, difference;
  assign q = wide_t'(modulus_i);
  if (Form == "CooleyTukey") begin : gen_cooley_tukey
    assign turned     = (wide_t'(factor_i) * wide_t'(b_i)) % q;
    assign sum        = (wide_t'(a_i) + turned) % q;
    assign difference = (wide_t'(a_i) + q - turned) % q;
  end else begin : gen_gentleman_sande
    assign turned     = (wide_t'(a_i) + q - wide_t'(b_i)) % q;
    assign sum        = (wide_t'(a_i) + wide_t'(b_i)) % q;
    assign difference = (turned * wide_t'(factor_i)) % q;
  end

  logic [Width-1:0] expected_a, expected_b;
  logic expected_valid, unused_empty;
  delay_line #(
      .Width(2 * Width),
      .Stages(Latency)
  ) i_expected (
      .clk_i,
      .data_i({Width'(sum), Width'(difference)}),
      .data_o({expected_a, expected_b})
  );
  valid_line #(
      .Stages(Latency)
  ) i_expected_valid (
      .clk_i,
      .rst_ni,
      .valid_i,
      .valid_o(expected_valid),
      .empty_o(unused_empty)
  );

  `RW_ASSERT(on_time, valid == expected_valid)
  `RW_ASSERT(right, !valid || (a == expected_a && b == expected_b))
endmodule
