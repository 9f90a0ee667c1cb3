/// The multiplier that BlackParrot of 2020 leaves empty: our `multiply_pipe` in the core's pipe of two
/// cycles, and for what is modulo a prime in the place of the one for floating point, which it lacks, of three.
/// The decoder gives `multiply_pkg::operation_e` (`hw/harness/soc/blackparrot.py`).
module bp_be_pipe_mul
  import bp_be_pkg::*;
  import bp_common_rv64_pkg::*;
  import multiply_pkg::*;
#(
    localparam decode_width_lp   = `bp_be_decode_width,
    localparam reg_data_width_lp = rv64_reg_data_width_gp
) (
    input  logic                         clk_i,
    input  logic                         reset_i,
    input  logic                         valid_i,
    input  logic [reg_data_width_lp-1:0] modulus_i,
    input  logic [reg_data_width_lp-1:0] reciprocal_i,
    input  logic [decode_width_lp-1:0]   decode_i,
    input  logic [reg_data_width_lp-1:0] rs1_i,
    input  logic [reg_data_width_lp-1:0] rs2_i,
    output logic                         busy_o,
    output logic [reg_data_width_lp-1:0] data_o,
    output logic [reg_data_width_lp-1:0] residue_o
);
  bp_be_decode_s decode;
  assign decode = decode_i;
  logic [31:0] residue;
  multiply_pipe i_pipe (
      .clk_i,
      .rst_ni(!reset_i),
      .modulus_i(modulus_i[31:0]),
      .reciprocal_i,
      .valid_i(valid_i & (decode.pipe_mul_v | decode.pipe_fp_v)),
      .operation_i(operation_e'(decode.fu_op[2:0])),
      .is_word_i(decode.opw_v),
      .a_i(rs1_i),
      .b_i(rs2_i),
      .busy_o,
      .product_o(data_o),
      .residue_o(residue)
  );
  assign residue_o = reg_data_width_lp'(residue);
endmodule
