/// `barrett_mul` with a probe, behind the two vectors through which a lockstep run drives a design.
module lockstep_barrett_mul #(
    parameter int unsigned Width  = 60,
    parameter int unsigned Stages = 8
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    /// [63:0] a, [127:64] b, [191:128] modulus, [255:192] reciprocal, [263:256] shift, [264] valid.
    input  logic [287:0] in_i,
    /// [63:0] product, [64] valid.
    output logic [95:0]  out_o
);
  logic valid;
  logic [Width-1:0] product;

  barrett_mul #(
      .Width(Width),
      .Stages(Stages)
  ) i_mul (
      .clk_i,
      .rst_ni,
      .modulus_i(in_i[128+:Width]),
      .reciprocal_i(in_i[192+:Width+3]),
      .shift_i(in_i[256+:$clog2(Width)]),
      .valid_i(in_i[264]),
      .a_i(in_i[0+:Width]),
      .b_i(in_i[64+:Width]),
      .valid_o(valid),
      .product_o(product)
  );
  assign out_o = 96'({valid, 64'(product)});

  lockstep_probe #(
      .Unit("barrett_mul"),
      .Event("product")
  ) i_product (
      .clk_i,
      .rst_ni,
      .fire_i(valid),
      .destination_i('0),
      .value_i(128'(product))
  );

  logic unused;
  assign unused = &in_i;
endmodule
