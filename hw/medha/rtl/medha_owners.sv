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

  function automatic logic same(held_t a, held_t b);
    return a.valid && b.valid && a.bank == b.bank && a.number == b.number;
  endfunction

  function automatic logic [Ports-1:0] read_ports(held_t [Reads-1:0] reads);
    read_ports = '0;
    for (int unsigned i = 0; i < Reads; i++) read_ports |= ports_of(reads[i]);
  endfunction

  // Owners one after the other: each sees those that hold, and those that just began.
  wrong_e wrong;
  held_t [Reads-1:0] reads;
  held_t write;
  always_comb begin
    wrong      = WrongNone;
    reads      = '0;
    write      = '0;
    active_d   = active_q & (~end_i | keep_i);
    new_active = '0;
    reads_d    = reads_q;
    write_d    = write_q;
    written_d  = written_q;
    allowed_o  = '0;
    wrong_o    = WrongNone;
    for (int unsigned o = 0; o < Owners; o++) begin
      if (active_q[o] && end_i[o] && write_q[o].valid) begin
        written_d[write_q[o].bank][write_q[o].number] = 1'b1;
      end
      if (keep_i[o]) reads_d[o] = '0;
    end
    for (int unsigned o = 0; o < Owners; o++) begin
      if (want_i[o]) begin
        wrong = WrongNone;
        for (int unsigned i = 0; i < Reads; i++) begin
          if (reads_i[o][i].valid && !written_q[reads_i[o][i].bank][reads_i[o][i].number]) begin
            wrong = WrongNotWritten;
          end
        end
        for (int unsigned p = 0; p < Owners; p++) begin
          if (p != o && (active_q[p] || new_active[p])) begin
            reads = new_active[p] ? reads_d[p] : reads_q[p];
            write = new_active[p] ? write_d[p] : write_q[p];
            for (int unsigned i = 0; i < Reads; i++) begin
              if (same(reads_i[o][i], write)) wrong = WrongNotWritten;
              if (same(write_i[o], reads[i])) wrong = WrongInUse;
            end
            if (same(write_i[o], write)) wrong = WrongInUse;
            if ((ports_of(write_i[o]) & ports_of(write)) != '0 ||
                (read_ports(reads_i[o]) & read_ports(reads)) != '0) begin
              wrong = WrongPort;
            end
          end
        end
        if (wrong == WrongNone) begin
          allowed_o[o]  = 1'b1;
          new_active[o] = 1'b1;
          reads_d[o]    = reads_i[o];
          write_d[o]    = write_i[o];
          if (write_i[o].valid) written_d[write_i[o].bank][write_i[o].number] = 1'b0;
        end else begin
          wrong_o = wrong;
        end
      end
    end
    active_d |= new_active;
  end
  `RW_FF(active_q, active_d, '0)
  `RW_FF(written_q, written_d, '0)
  `RW_FFNR(reads_q, reads_d)
  `RW_FFNR(write_q, write_d)

  for (genvar o = 0; o < Owners; o++) begin : gen_rule
    `RW_ASSERT(medha_owners_end, !end_i[o] || active_q[o])
  end
endmodule
