`include "registers.svh"
`include "assertions.svh"

/// What the host supplies for a call: the modulus with its reciprocal, and the table from which the
/// twiddle unit makes its factors.
///
/// Words, in this order: q; floor(2^(k-3 + W+5) / q) without its top bit, which is always 1 (k the
/// bits of q, W = `WordBits`; see `barrett_mul`); 1/N; psi^-1/N; then psi^(2^k), psi^-(2^k) for each
/// k from 0. The shift of the multipliers is found here, from the top bit of q. With `Sets` = 2 the
/// constants of a call are written while those of the one before are in use.
///
/// Timing: a written word counts in the next cycle; everything read is a multiplexer behind
/// registers. Area: `2 LogNMax + 4` words of flip-flops in each set.
module rise_constants #(
    parameter int unsigned WordBits  = 30,
    parameter int unsigned LogNMax   = 14,
    parameter int unsigned Sets      = 1,
    parameter int unsigned PortWords = 2,
    localparam int unsigned ConstantWidth   = WordBits + 2,
    localparam int unsigned Words           = 2 * LogNMax + 4,
    localparam int unsigned IndexWidth      = $clog2(Words),
    localparam int unsigned PowerWidth      = $clog2(LogNMax),
    localparam int unsigned ReciprocalWidth = WordBits + 3,
    localparam int unsigned ShiftWidth      = $clog2(WordBits)
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,

    // `PortWords` words from `index_i` on, a multiple of `PortWords`.
    input  logic                                    valid_i,
    input  logic                                    set_i,
    input  logic [IndexWidth-1:0]                   index_i,
    input  logic [PortWords-1:0][ConstantWidth-1:0] data_i,

    // For the multipliers.
    input  logic                                    multiplier_set_i,
    output logic [WordBits-1:0]                     modulus_o,
    output logic [ReciprocalWidth-1:0]              reciprocal_o,
    output logic [ShiftWidth-1:0]                   shift_o,

    // For the twiddle unit: 1/N and psi^-1/N, psi^(2^k) and psi^-(2^k).
    input  logic                                    table_set_i,
    input  logic [PowerWidth-1:0]                   table_power_i,
    output logic [1:0][WordBits-1:0]                scale_o,
    output logic [WordBits-1:0]                     power_o,
    output logic [WordBits-1:0]                     inverse_power_o,

    output logic [Sets-1:0][WordBits-1:0]           modulus_of_set_o
);
  localparam int unsigned FirstPower = 4;
  localparam int unsigned SetWidth = 1;

  logic [WordBits-1:0] words[Sets][Words];
  logic [ConstantWidth-1:0] reciprocals[Sets];
  logic [ShiftWidth-1:0] shifts[Sets];

  function automatic logic [ShiftWidth-1:0] shift_of(logic [WordBits-1:0] modulus);
    shift_of = '0;
    for (int unsigned k = 3; k <= WordBits; k++) begin
      if (modulus[k-1]) shift_of = ShiftWidth'(k - 3);
    end
  endfunction

  for (genvar set = 0; set < Sets; set++) begin : gen_set
    for (genvar i = 0; i < Words; i++) begin : gen_word
      localparam int unsigned Lane = i % PortWords;
      logic load;
      assign load = valid_i && set_i == 1'(set) && index_i == IndexWidth'(i - Lane);
      if (i == 1) begin : gen_reciprocal
        `RW_FFLNR(reciprocals[set], data_i[Lane], load)
        assign words[set][i] = '0;
      end else begin : gen_plain
        `RW_FFLNR(words[set][i], data_i[Lane][WordBits-1:0], load)
      end
      if (i == 0) begin : gen_shift
        `RW_FFLNR(shifts[set], shift_of(data_i[Lane][WordBits-1:0]), load)
      end
    end
    assign modulus_of_set_o[set] = words[set][0];
  end

  logic [SetWidth-1:0] multiplier_set, table_set;
  if (Sets == 1) begin : gen_one
    logic unused_sets;
    assign multiplier_set = '0;
    assign table_set      = '0;
    assign unused_sets    = multiplier_set_i ^ table_set_i;
  end else begin : gen_two
    assign multiplier_set = multiplier_set_i;
    assign table_set      = table_set_i;
  end

  assign modulus_o    = words[multiplier_set][0];
  assign reciprocal_o = {1'b1, reciprocals[multiplier_set]};
  assign shift_o      = shifts[multiplier_set];

  assign scale_o = {words[table_set][3], words[table_set][2]};
  always_comb begin
    power_o         = '0;
    inverse_power_o = '0;
    for (int unsigned k = 0; k < LogNMax; k++) begin
      if (table_power_i == PowerWidth'(k)) begin
        power_o         = words[table_set][FirstPower+2*k];
        inverse_power_o = words[table_set][FirstPower+2*k+1];
      end
    end
  end

  // The upper bits of all words but the reciprocal.
  logic unused;
  assign unused = &data_i;

  `RW_REQUIRE(rise_constants_sets, Sets == 1 || Sets == 2)
  `RW_REQUIRE(rise_constants_port_words, PortWords >= 1 && (PortWords & (PortWords - 1)) == 0)
  `RW_ASSERT(rise_constants_set, !valid_i || 32'(set_i) < Sets)
  `RW_ASSERT(rise_constants_index, !valid_i || 32'(index_i) % PortWords == 0)
endmodule
