`include "registers.svh"
`include "assertions.svh"

/// Who holds what in an RPAU, and whether one more may begin.
///
/// An owner that would begin says which slots it reads and which one it writes. It may, unless a slot
/// that it reads has not been written, another owner writes a slot that it reads or writes, another reads
/// what it writes, or has a port that it needs; of owners that would begin at once the lower ones come
/// first. What it holds it holds until `end_i`, from the cycle after on; it may begin again then. With `keep_i`
/// it keeps what it writes, and its port, until its next one ends: words of a first stage are on their way.
///
/// `wrong_o` says why one may not, in the cycle in which it would begin: it is an error of the microcode,
/// for its waits should have made it later.
module medha_owners
  import medha_pkg::*;
  import medha_isa_pkg::MostSlots;
#(
    parameter int unsigned Owners = 8,
    localparam int unsigned Reads = 3
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,

    input  logic [Owners-1:0]             want_i,
    input  held_t [Owners-1:0][Reads-1:0] reads_i,
    input  held_t [Owners-1:0]            write_i,
    input  logic [Owners-1:0]             end_i,
    input  logic [Owners-1:0]             keep_i,
    output logic [Owners-1:0]             allowed_o,
    output wrong_e                        wrong_o
);
  logic [Owners-1:0] active_d, active_q, new_active;
  held_t [Owners-1:0][Reads-1:0] reads_d, reads_q;
  held_t [Owners-1:0] write_d, write_q;
  // By memory and slot; of memories that there are not, nothing is written.
  logic [7:0][MostSlots-1:0] written_d, written_q;

  /// What an owner holds or would hold, and the memories whose ports that takes.
  typedef struct packed {
    held_t [Reads-1:0] reads;
    held_t             write;
    logic [Ports-1:0]  read_ports;
    logic [Ports-1:0]  write_ports;
  } claim_t;

  function automatic claim_t claim(held_t [Reads-1:0] reads, held_t write);
    claim = '{reads: reads, write: write, read_ports: '0, write_ports: ports_of(write)};
    for (int unsigned i = 0; i < Reads; i++) claim.read_ports |= ports_of(reads[i]);
  endfunction

  /// Why one may not begin beside another who holds.
  function automatic wrong_e clash(claim_t one, claim_t other);
    clash = WrongNone;
    for (int unsigned i = 0; i < Reads; i++) begin
      if (other.write.valid && one.reads[i] == other.write) clash = WrongNotWritten;
      if (one.write.valid && one.write == other.reads[i]) clash = WrongInUse;
    end
    if (one.write.valid && one.write == other.write) clash = WrongInUse;
    if (((one.write_ports & other.write_ports) | (one.read_ports & other.read_ports)) != '0) begin
      clash = WrongPort;
    end
  endfunction

  // Of each owner with each other, where that one holds, and where it begins in the same cycle.
  claim_t [Owners-1:0] wanted, held;
  wrong_e [Owners-1:0][Owners-1:0] with_held, with_wanted;
  // A slot that an owner would read has not been written.
  logic [Owners-1:0] too_early;
  for (genvar o = 0; o < Owners; o++) begin : gen_owner
    logic [Reads-1:0] missing;
    assign wanted[o] = claim(reads_i[o], write_i[o]);
    assign held[o]   = claim(reads_q[o], write_q[o]);
    for (genvar i = 0; i < Reads; i++) begin : gen_read
      assign missing[i] = reads_i[o][i].valid && !written_q[reads_i[o][i].bank][reads_i[o][i].number];
    end
    assign too_early[o] = |missing;
    for (genvar p = 0; p < Owners; p++) begin : gen_other
      if (p != o) begin : gen_held
        assign with_held[o][p] = clash(wanted[o], held[p]);
      end else begin : gen_itself
        assign with_held[o][p] = WrongNone;
      end
      if (p < o) begin : gen_wanted
        assign with_wanted[o][p] = clash(wanted[o], wanted[p]);
      end else begin : gen_later
        assign with_wanted[o][p] = WrongNone;
      end
    end
  end

  // Owners one after the other: each sees those that hold, and those that just began.
  wrong_e wrong, other;
  always_comb begin
    wrong      = WrongNone;
    other      = WrongNone;
    new_active = '0;
    written_d  = written_q;
    wrong_o    = WrongNone;
    for (int unsigned o = 0; o < Owners; o++) begin
      if (active_q[o] && end_i[o] && write_q[o].valid) begin
        written_d[write_q[o].bank][write_q[o].number] = 1'b1;
      end
    end
    for (int unsigned o = 0; o < Owners; o++) begin
      if (want_i[o]) begin
        wrong = too_early[o] ? WrongNotWritten : WrongNone;
        for (int unsigned p = 0; p < Owners; p++) begin
          other = new_active[p] ? with_wanted[o][p] : active_q[p] ? with_held[o][p] : WrongNone;
          if (other != WrongNone) wrong = other;
        end
        if (wrong == WrongNone) begin
          new_active[o] = 1'b1;
          if (write_i[o].valid) written_d[write_i[o].bank][write_i[o].number] = 1'b0;
        end else begin
          wrong_o = wrong;
        end
      end
    end
  end
  assign allowed_o = new_active;
  assign active_d  = (active_q & (~end_i | keep_i)) | new_active;
  for (genvar o = 0; o < Owners; o++) begin : gen_held
    assign reads_d[o] = new_active[o] ? reads_i[o] : keep_i[o] ? '0 : reads_q[o];
    assign write_d[o] = new_active[o] ? write_i[o] : write_q[o];
  end
  `RW_FF(active_q, active_d, '0)
  `RW_FF(written_q, written_d, '0)
  `RW_FFNR(reads_q, reads_d)
  `RW_FFNR(write_q, write_d)

  for (genvar o = 0; o < Owners; o++) begin : gen_rule
    `RW_ASSERT(medha_owners_end, !end_i[o] || active_q[o])
  end
endmodule
