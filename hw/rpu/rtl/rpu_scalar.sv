`include "registers.svh"
`include "assertions.svh"

/// The scalar data memory and the three files that are loaded from it: scalars (SRF), moduli (MRF)
/// and addresses (ARF), 64 entries each (RPU, section IV-B5).
///
/// A load names an address; an entry of the MRF is made of two words, the modulus q at that address
/// and at the next one R = floor(2^(k + W) / q) - 2^W with k the bits of q: below its leading 1 the
/// reciprocal that `barrett_mul` wants, all but the last bit. Even and odd addresses lie in two
/// memories, so both words come in one cycle. The shift is made here, from q.
///
/// An entry is busy from the issue of its load to its end; who names it in between waits. The
/// values leave with the instruction that issues, so a later load need not wait for its readers.
/// Timing: `read_i` in one cycle, `write_i` in the next or any later one (the words stay), the new
/// value in the file after it. Lookups are combinational. Area: 64 (3 W + 32) flip-flops, three
/// 64-to-1 multiplexers, the memories.
module rpu_scalar #(
    parameter int unsigned SdmWords  = 64,
    parameter int unsigned WordBits  = 64,
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

    /// The controlling core's way into the memory; only while no program runs.
    input  logic                    host_request_i,
    input  logic                    host_write_i,
    input  logic [AddressWidth-1:0] host_address_i,
    input  logic [WordBits-1:0]     host_data_i,
    output logic [WordBits-1:0]     host_data_o
);
  localparam int unsigned LineWidth = AddressWidth - 1;

  // Two memories: the words at even and at odd addresses.
  logic [1:0][WordBits-1:0] word;
  logic [AddressWidth-1:0] address, after;
  logic odd_q;
  assign address = read_i ? read_address_i : host_address_i;
  assign after   = address + AddressWidth'(1);
  `RW_FFLNR(odd_q, address[0], read_i | (host_request_i & ~host_write_i))
  for (genvar odd = 0; odd < 2; odd++) begin : gen_memory
    mem_1rw #(
        .Words(SdmWords / 2),
        .Width(WordBits)
    ) i_words (
        .clk_i,
        .rst_ni,
        .request_i(read_i | (host_request_i & (address[0] == 1'(odd)))),
        .write_i(host_write_i & ~read_i),
        // An even word has its successor beside it, an odd one in the next line.
        .address_i((odd == 0) ? LineWidth'(after >> 1) : LineWidth'(address >> 1)),
        .write_data_i(host_data_i),
        .read_data_o(word[odd])
    );
  end
  logic [WordBits-1:0] first, second;
  assign first       = word[odd_q];
  assign second      = word[~odd_q];
  assign host_data_o = first;

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
  assign unused = &{decoded_i, after};

  `RW_REQUIRE(rpu_scalar_words, SdmWords >= 4 && SdmWords % 2 == 0)
  `RW_ASSERT(rpu_scalar_host, !(host_request_i & read_i))
endmodule
