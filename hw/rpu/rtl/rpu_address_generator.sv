`include "assertions.svh"

/// The addresses of one row of a vector load or store, and where they lie in the banks.
///
/// Element i of a vector is word base + f(i): i, i 2^v, blocks of 2^v words with gaps as long, or
/// the first 2^v words over and over (`mode_e`). `Map` is one of
///   "modulo"  bank(a) = a mod `Banks`
///   "skewed"  bank(a) = the sum of the digits of a to the base `Banks`, mod `Banks`: rows at a
///             stride that is a power of two spread over all banks when they are aligned
/// In either the word is number a / `Banks` of its bank.
/// Timing: combinational; a shifter, an adder, with "skewed" a few short adders more, per element.
module rpu_address_generator
  import rpu_isa_pkg::*;
#(
    parameter int unsigned Hples    = 8,
    parameter int unsigned Beats    = 8,
    parameter int unsigned Banks    = 8,
    parameter int unsigned VdmWords = 2048,
    parameter string       Map      = "skewed",
    localparam int unsigned BeatWidth    = (Beats > 1) ? $clog2(Beats) : 1,
    localparam int unsigned BankWidth    = $clog2(Banks),
    localparam int unsigned VdmWidth = $clog2(VdmWords)
) (
    input  logic [31:0]                         base_i,
    input  mode_e                               mode_i,
    input  logic [ValueWidth-1:0]               value_i,
    input  logic [BeatWidth-1:0]                row_i,
    output logic [Hples-1:0][VdmWidth-1:0]  address_o,
    output logic [Hples-1:0][BankWidth-1:0]     bank_o,
    /// Every address lies in the memory.
    output logic                                fits_o
);
  logic [31:0] block;
  assign block = (32'd1 << value_i) - 32'd1;

  logic [Hples-1:0] fits;
  for (genvar j = 0; j < Hples; j++) begin : gen_element
    logic [31:0] index, offset, address;
    assign index = 32'(row_i) * 32'(Hples) + 32'(j);
    always_comb begin
      unique case (mode_i)
        ModeLinear:   offset = index;
        ModeStrided:  offset = index << value_i;
        ModeStridedSkip:     offset = ((index >> value_i) << value_i << 1) | (index & block);
        ModeRepeated: offset = index & block;
        default:      offset = 'x;
      endcase
    end
    assign address      = base_i + offset;
    assign address_o[j] = VdmWidth'(address);
    assign fits[j]    = address < 32'(VdmWords);
    rpu_bank_of #(
        .Banks(Banks),
        .AddressWidth(VdmWidth),
        .Map(Map)
    ) i_bank_of (
        .address_i(address_o[j]),
        .bank_o(bank_o[j])
    );
  end
  assign fits_o = &fits;
endmodule
