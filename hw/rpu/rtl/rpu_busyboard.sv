`include "registers.svh"
`include "assertions.svh"

/// Which vector registers are in use by instructions in flight (RPU, section IV-A).
///
/// A register has at most one writer in flight and any number of readers, or readers without a
/// writer. `Rule` is one of
///   "shared_reads"  an instruction waits for the writer of each of its registers, and for the
///                   readers of those that it writes
///   "one_bit"       it waits for any user of any of its registers: the paper's bit array
/// One instruction asks and is answered in the same cycle; with `issue_i` it becomes a user in the
/// next. A pipe gives registers back in the last cycle of their use, each pipe through a mask of its
/// own. An instruction that reads a register in two places is one reader.
/// Timing: `hit_o` depends on the masks in the same cycle: two ANDs and an OR over `Registers`.
/// Area: a bit and a counter of readers per register; with "one_bit" two bits.
module rpu_busyboard #(
    parameter int unsigned Registers  = 64,
    parameter int unsigned Pipes      = 4,
    /// Most readers that one register can have at once.
    parameter int unsigned MaxReaders = 48,
    parameter string       Rule       = "shared_reads"
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,

    input  logic [Registers-1:0]            reads_i,
    input  logic [Registers-1:0]            writes_i,
    output logic                            hit_o,
    /// Only without a hit.
    input  logic                            issue_i,

    input  logic [Pipes-1:0][Registers-1:0] release_reads_i,
    input  logic [Pipes-1:0][Registers-1:0] release_writes_i
);
  localparam bit OneBit = Rule == "one_bit";
  localparam int unsigned CountWidth = OneBit ? 1 : $clog2(MaxReaders + 1);
  typedef logic [CountWidth-1:0] count_t;

  logic [Registers-1:0] written_d, written_q, read_q, released;

  if (Rule == "shared_reads") begin : gen_shared_reads
    assign hit_o = |((reads_i | writes_i) & written_q) | (|(writes_i & read_q));
  end else if (Rule == "one_bit") begin : gen_one_bit
    assign hit_o = |((reads_i | writes_i) & (written_q | read_q));
  end else begin : gen_unknown
    $fatal(1, "rpu_busyboard: Rule is \"shared_reads\" or \"one_bit\", not \"%s\"", Rule);
  end

  always_comb begin
    released = '0;
    for (int p = 0; p < Pipes; p++) released |= release_writes_i[p];
  end
  assign written_d = (written_q & ~released) | (issue_i ? writes_i : '0);

  for (genvar r = 0; r < Registers; r++) begin : gen_readers
    count_t readers_d, readers_q;
    always_comb begin
      readers_d = readers_q + count_t'({issue_i & reads_i[r]});
      for (int p = 0; p < Pipes; p++) readers_d -= count_t'(release_reads_i[p][r]);
    end
    `RW_FF(readers_q, readers_d, '0)
    assign read_q[r] = readers_q != '0;
  end

  `RW_FF(written_q, written_d, '0)

  `RW_REQUIRE(rpu_busyboard_sizes, Registers >= 1 && Pipes >= 1 && MaxReaders >= 1)
  `RW_ASSERT(rpu_busyboard_issue, !(issue_i & hit_o))
  `RW_ASSERT(rpu_busyboard_release, (released & ~written_q) == '0)
endmodule
