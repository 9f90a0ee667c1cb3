`include "registers.svh"
`include "assertions.svh"

/// The scalar data memory and the three files that are loaded from it: scalars (SRF), moduli (MRF)
/// and addresses (ARF), 64 entries each (RPU, section IV-B5).
///
/// A load names an address; an entry of the MRF is made of two words, the modulus q at that address
/// and at the next one R = floor(2^(k + W) / q) - 2^W with k the bits of q: below its leading 1 the
/// reciprocal that `barrett_mul` wants, all but the last bit. Consecutive addresses lie in different
/// memories (`rpu_line_memory`), so both words come in one cycle. The shift is made here, from q.
///
/// Words come into the memory by the line, also while a program runs: those of a later one.
///
/// An entry is busy from the issue of its load to its end; who names it in between waits. The
/// values leave with the instruction that issues, so a later load need not wait for its readers.
/// Timing: `read_i` in one cycle, `write_i` in the next or any later one (the words stay), the new
/// value in the file after it. Lookups are combinational. Area: 64 (3 W + 32) flip-flops, three
/// 64-to-1 multiplexers, the memories.
module rpu_scalar #(
    parameter int unsigned SdmWords  = 64,
    parameter int unsigned WordBits  = 64,
    parameter int unsigned Lanes     = 4,
    localparam int unsigned Entries       = 64,
    localparam int unsigned AddressWidth  = $clog2(SdmWords),
    localparam int unsigned ModulusWidth  = WordBits - 1,
    localparam int unsigned ShiftWidth    = $clog2(ModulusWidth)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    /// The instruction in decode: what it names, and whether an entry of it is busy.
    input  rpu_isa_pkg::decoded_t decoded_i,
    output logic                    hit_o,
    /// Only without a hit.
    input  logic                    issue_i,
    output logic [WordBits-1:0]     scalar_o,
    output logic [31:0]             address_o,
    output logic [ModulusWidth-1:0] modulus_o,
    output logic [WordBits-1:0]     reciprocal_o,
    output logic [ShiftWidth-1:0]   shift_o,

    /// A load reads the memory.
    input  logic                    read_i,
    input  logic [AddressWidth-1:0] read_address_i,
    /// It writes its entry: what was read last.
    input  logic                    write_scalar_i,
    input  logic                    write_modulus_i,
    input  logic                    write_address_i,
    input  logic [5:0]              write_entry_i,

    /// The way into the memory; reads only while no program runs.
    input  logic                    move_read_i,
    input  logic                    move_write_i,
    input  logic [AddressWidth-1:0] move_address_i,
    input  logic [Lanes-1:0]        move_enable_i,
    input  logic [Lanes-1:0][WordBits-1:0] move_data_i,
    /// The word at the address.
    output logic [WordBits-1:0]     move_data_o
);
  logic [1:0][WordBits-1:0] word;
  rpu_line_memory #(
      .Words(SdmWords),
      .Width(WordBits),
      .Lanes(Lanes),
      .Reads(2)
  ) i_memory (
      .clk_i,
      .rst_ni,
      .read_i(read_i | move_read_i),
      .read_address_i(read_i ? read_address_i : move_address_i),
      .read_data_o(word),
      .write_i(move_write_i),
      .write_address_i(move_address_i),
      .write_enable_i(move_enable_i),
      .write_data_i(move_data_i)
  );
  logic [WordBits-1:0] first, second;
  assign first       = word[0];
  assign second      = word[1];
  assign move_data_o = first;

  // bits(q) - 3.
  logic [ShiftWidth-1:0] shift;
  always_comb begin
    shift = '0;
    for (int unsigned bits = 3; bits <= ModulusWidth; bits++) begin
      if (first[bits-1]) shift = ShiftWidth'(bits - 3);
    end
  end

  logic [WordBits-1:0] srf_q[Entries];
  logic [31:0] arf_q[Entries];
  logic [ModulusWidth-1:0] moduli_q[Entries];
  logic [WordBits-1:0] reciprocals_q[Entries];
  logic [ShiftWidth-1:0] shifts_q[Entries];
  `RW_FFLNR(srf_q[write_entry_i], first, write_scalar_i)
  `RW_FFLNR(arf_q[write_entry_i], 32'(first), write_address_i)
  `RW_FFLNR(moduli_q[write_entry_i], ModulusWidth'(first), write_modulus_i)
  `RW_FFLNR(reciprocals_q[write_entry_i], second, write_modulus_i)
  `RW_FFLNR(shifts_q[write_entry_i], shift, write_modulus_i)

  assign scalar_o     = srf_q[decoded_i.rt];
  assign address_o    = arf_q[decoded_i.rm];
  assign modulus_o    = moduli_q[decoded_i.rm];
  assign reciprocal_o = reciprocals_q[decoded_i.rm];
  assign shift_o      = shifts_q[decoded_i.rm];

  // Busy entries.
  logic [Entries-1:0] scalar_d, scalar_q, modulus_d, modulus_q, address_d, address_q;
  logic [Entries-1:0] loaded, done;
  assign loaded    = issue_i ? Entries'(1) << decoded_i.rt : '0;
  assign done      = Entries'(1) << write_entry_i;
  assign scalar_d  = (scalar_q & ~(write_scalar_i ? done : '0)) |
                     (decoded_i.writes_scalar ? loaded : '0);
  assign modulus_d = (modulus_q & ~(write_modulus_i ? done : '0)) |
                     (decoded_i.writes_modulus ? loaded : '0);
  assign address_d = (address_q & ~(write_address_i ? done : '0)) |
                     (decoded_i.writes_address ? loaded : '0);
  `RW_FF(scalar_q, scalar_d, '0)
  `RW_FF(modulus_q, modulus_d, '0)
  `RW_FF(address_q, address_d, '0)

  assign hit_o = ((decoded_i.reads_scalar | decoded_i.writes_scalar) & scalar_q[decoded_i.rt]) |
                 (decoded_i.reads_modulus & modulus_q[decoded_i.rm]) |
                 (decoded_i.writes_modulus & modulus_q[decoded_i.rt]) |
                 (decoded_i.reads_address & address_q[decoded_i.rm]) |
                 (decoded_i.writes_address & address_q[decoded_i.rt]);

  logic unused;
  assign unused = &decoded_i;

  `RW_REQUIRE(rpu_scalar_words, SdmWords >= 4 && SdmWords % 2 == 0)
  `RW_ASSERT(rpu_scalar_move, !(move_read_i & read_i))
endmodule
