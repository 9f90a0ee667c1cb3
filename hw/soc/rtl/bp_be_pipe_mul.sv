/// The multiplier that BlackParrot of 2020 leaves empty: RISC-V's Zmmul, in the core's pipe of two cycles.
///
/// The decoder gives funct3 as the operation (`hw/harness/soc/blackparrot.py`): 0 the low word of the
/// product, 1, 2 and 3 the high one of two signed, a signed and an unsigned, two unsigned factors; with
/// `opw_v` the low 32 bits of the low word, with their sign.
/// Timing: the product of a cycle's factors is there in the next one.
module bp_be_pipe_mul
  import bp_be_pkg::*;
  import bp_common_rv64_pkg::*;
#(
    localparam decode_width_lp   = `bp_be_decode_width,
    localparam reg_data_width_lp = rv64_reg_data_width_gp
) (
    input  logic                         clk_i,
    input  logic                         reset_i,
    input  logic [decode_width_lp-1:0]   decode_i,
    input  logic [reg_data_width_lp-1:0] rs1_i,
    input  logic [reg_data_width_lp-1:0] rs2_i,
    output logic [reg_data_width_lp-1:0] data_o
);
  bp_be_decode_s decode;
  assign decode = decode_i;
  logic [1:0] operation;
  assign operation = decode.fu_op[1:0];

  logic signed [64:0] a, b;
  logic signed [129:0] product;
  logic [63:0] data_d;
  assign a       = {rs1_i[63] & (operation != 2'd3), rs1_i};
  assign b       = {rs2_i[63] & (operation == 2'd1), rs2_i};
  assign product = a * b;
  always_comb begin
    data_d = (operation == 2'd0) ? product[63:0] : product[127:64];
    if (decode.opw_v) data_d = {{32{product[31]}}, product[31:0]};
  end
  always_ff @(posedge clk_i) data_o <= data_d;
endmodule
