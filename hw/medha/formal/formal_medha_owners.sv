`include "assertions.svh"
`include "formal.svh"
`include "registers.svh"

/// Whatever microinstructions would begin, whenever they end: no word has two owners of whom one writes it,
/// no port has two, and nobody reads what was not written.
///
/// An owner may begin when it holds nothing, or when it has kept what its first stage writes.
module formal_medha_owners
  import medha_pkg::*;
#(
    parameter int unsigned Owners = 3,
    localparam int unsigned Reads = 3
) (
    input logic                          clk_i,
    input logic [Owners-1:0]             want_i,
    input held_t [Owners-1:0][Reads-1:0] reads_i,
    input held_t [Owners-1:0]            write_i,
    input logic [Owners-1:0]             end_i,
    input logic [Owners-1:0]             keep_i
);
  logic rst_ni;
  `RW_RESET_ONCE(rst_ni)

  logic [Owners-1:0] allowed, active, kept_q;
  wrong_e wrong;
  medha_owners #(
      .Owners(Owners)
  ) i_owners (
      .clk_i,
      .rst_ni,
      .want_i,
      .reads_i,
      .write_i,
      .end_i,
      .keep_i,
      .allowed_o(allowed),
      .wrong_o(wrong)
  );
  assign active = i_owners.active_q;

  function automatic logic same(held_t a, held_t b);
    return a.valid && b.valid && a.bank == b.bank && a.number == b.number;
  endfunction

  for (genvar o = 0; o < Owners; o++) begin : gen_owner
    `RW_FF(kept_q[o], (end_i[o] & keep_i[o]) | (kept_q[o] & ~allowed[o]), 1'b0)
    `RW_ASSUME(ends_what_it_holds, !end_i[o] || (active[o] && !kept_q[o]))
    `RW_ASSUME(keeps_at_an_end, !keep_i[o] || end_i[o])
    `RW_ASSUME(begins_alone, !want_i[o] || !active[o] || kept_q[o])
    `RW_ASSERT(keeps_what_it_holds, !kept_q[o] || active[o])
    for (genvar i = 0; i < Reads; i++) begin : gen_read
      // Nothing in place of it begins: an end and a beginning are cycles apart.
      `RW_ASSERT(reads_what_is_written,
                 !(allowed[o] && reads_i[o][i].valid) ||
                 i_owners.written_q[reads_i[o][i].bank][reads_i[o][i].number])
    end
    for (genvar p = 0; p < o; p++) begin : gen_other
      logic [Ports-1:0] own, other;
      always_comb begin
        own   = '0;
        other = '0;
        for (int unsigned i = 0; i < Reads; i++) begin
          own   |= ports_of(i_owners.reads_q[o][i]);
          other |= ports_of(i_owners.reads_q[p][i]);
        end
      end
      `RW_ASSERT(port_to_read_has_one, !active[o] || !active[p] || (own & other) == '0)
      `RW_ASSERT(port_to_write_has_one,
                 !active[o] || !active[p] ||
                 (ports_of(i_owners.write_q[o]) & ports_of(i_owners.write_q[p])) == '0)
      `RW_ASSERT(word_has_one_writer,
                 !active[o] || !active[p] || !same(i_owners.write_q[o], i_owners.write_q[p]))
      for (genvar i = 0; i < Reads; i++) begin : gen_reader
        `RW_ASSERT(nobody_reads_what_another_writes,
                   !active[o] || !active[p] ||
                   (!same(i_owners.write_q[o], i_owners.reads_q[p][i]) &&
                    !same(i_owners.write_q[p], i_owners.reads_q[o][i])))
      end
    end
  end

  logic unused;
  assign unused = ^wrong;
endmodule
