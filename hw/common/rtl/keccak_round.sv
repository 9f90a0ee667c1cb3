/// One round of Keccak-f[1600] (FIPS 202, section 3.3): iota(chi(pi(rho(theta(state))))).
///
/// Lane (x, y) is `state[64 * (5 * y + x) +: 64]`. Timing: combinational, about six gates deep.
/// Area: 1600 (two 5-input parities' share, one AND, two XORs) and wires.
module keccak_round (
    input  logic [1599:0] state_i,
    input  logic [63:0]   constant_i,
    output logic [1599:0] state_o
);
  typedef logic [4:0][4:0][63:0] lanes_t;  // [y][x]

  // Offsets of rho, [y][x]; both count down.
  localparam logic [4:0][4:0][5:0] Rotation = {
    6'd14, 6'd56, 6'd61, 6'd2, 6'd18,
    6'd8, 6'd21, 6'd15, 6'd45, 6'd41,
    6'd39, 6'd25, 6'd43, 6'd10, 6'd3,
    6'd20, 6'd55, 6'd6, 6'd44, 6'd36,
    6'd27, 6'd28, 6'd62, 6'd1, 6'd0
  };

  lanes_t a, theta, moved, chi;
  logic [4:0][63:0] parity;
  assign a = state_i;

  for (genvar x = 0; x < 5; x++) begin : gen_parity
    assign parity[x] = a[0][x] ^ a[1][x] ^ a[2][x] ^ a[3][x] ^ a[4][x];
  end

  for (genvar y = 0; y < 5; y++) begin : gen_row
    for (genvar x = 0; x < 5; x++) begin : gen_lane
      localparam int unsigned R = 32'(Rotation[y][x]);
      logic [63:0] next;
      assign next = parity[(x+1)%5];
      assign theta[y][x] = a[y][x] ^ parity[(x+4)%5] ^ {next[62:0], next[63]};
      // rho, and pi: lane (x, y) goes to (y, 2x + 3y).
      if (R == 0) begin : gen_still
        assign moved[(2*x+3*y)%5][y] = theta[y][x];
      end else begin : gen_rotated
        assign moved[(2*x+3*y)%5][y] = {theta[y][x][63-R:0], theta[y][x][63-:R]};
      end
      assign chi[y][x] = moved[y][x] ^ (~moved[y][(x+1)%5] & moved[y][(x+2)%5]);
    end
  end

  assign state_o = {chi[4:1], chi[0][4:1], chi[0][0] ^ constant_i};
endmodule
