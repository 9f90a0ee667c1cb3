`include "formal.svh"
`include "registers.svh"

/// Assumes an odd modulus with the constants that `barrett_mul` asks for, at rest; the reciprocal may
/// be short by one.
module formal_modulus #(
    parameter int unsigned Width          = 8,
    parameter int unsigned MinModulusBits = 3
) (
    input logic                     clk_i,
    input logic                     rst_ni,
    input logic [Width-1:0]         modulus_i,
    input logic [Width+2:0]         reciprocal_i,
    input logic [$clog2(Width)-1:0] shift_i
);
  localparam int unsigned WideWidth = 2 * Width + 4;
  logic [WideWidth-1:0] dividend, quotient_floor;
  assign dividend       = WideWidth'(1) << (32'(shift_i) + Width + 5);
  assign quotient_floor = WideWidth'(reciprocal_i) * WideWidth'(modulus_i);
  `RW_ASSUME(odd, modulus_i[0])
  `RW_ASSUME(bits, (modulus_i >> (MinModulusBits - 1)) != '0)
  `RW_ASSUME(shift, (modulus_i >> shift_i) >> 2 == Width'(1))
  `RW_ASSUME(reciprocal, quotient_floor <= dividend && dividend - quotient_floor < WideWidth'(modulus_i) << 1)

  logic [Width-1:0] modulus_q;
  logic [Width+2:0] reciprocal_q;
  logic [$clog2(Width)-1:0] shift_q;
  `RW_FFNR(modulus_q, modulus_i)
  `RW_FFNR(reciprocal_q, reciprocal_i)
  `RW_FFNR(shift_q, shift_i)
  `RW_ASSUME(constants_rest, !rst_ni ||
             (modulus_i == modulus_q && reciprocal_i == reciprocal_q && shift_i == shift_q))
endmodule
