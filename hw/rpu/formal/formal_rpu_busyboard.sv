`include "assertions.svh"
`include "formal.svh"
`include "registers.svh"

/// The busyboard with pipes that take any time: a register never has two writers in flight, nor is
/// it written while one reads it; and no instruction waits for ever.
///
/// Instructions are any sets of registers. Each slot of the environment is an instruction in flight,
/// with sources and destinations it still holds; it gives sources and destinations back when it
/// likes, but within `Patience` cycles of its issue. Registers are given back through the slot's own
/// masks, as the pipes do.
module formal_rpu_busyboard #(
    parameter int unsigned Registers = 3,
    parameter int unsigned Slots     = 3,
    parameter int unsigned Patience  = 3,
    parameter string       Rule      = "shared_reads"
) (
    input logic                 clk_i,
    input logic [Registers-1:0] reads_i,
    input logic [Registers-1:0] writes_i,
    /// Whether the front end would issue, if it may.
    input logic                 willing_i,
    /// Slots whose sources or destinations are given back.
    input logic [Slots-1:0]     read_out_i,
    input logic [Slots-1:0]     end_i
);
  localparam int unsigned AgeWidth = $clog2(Patience + 2);
  localparam int unsigned SlotWidth = $clog2(Slots);

  logic rst_ni;
  `RW_RESET_ONCE(rst_ni)

  // ---- Instructions in flight.
  logic [Slots-1:0][Registers-1:0] reads_q, writes_q, read_clear, write_clear;
  logic [Slots-1:0] free;
  logic [SlotWidth-1:0] next;
  logic hit, issue, room;
  for (genvar s = 0; s < Slots; s++) begin : gen_slot
    logic [AgeWidth-1:0] age_d, age_q;
    logic take, reading, writing;
    assign free[s]        = (reads_q[s] | writes_q[s]) == '0;
    assign take           = issue & (next == SlotWidth'(s));
    assign reading        = read_out_i[s] & ~free[s];
    assign writing        = end_i[s] & ~free[s];
    assign read_clear[s]  = reading ? reads_q[s] : '0;
    assign write_clear[s] = writing ? writes_q[s] : '0;
    assign age_d          = (take | free[s]) ? '0 : age_q + AgeWidth'(1);
    `RW_FF(reads_q[s], take ? reads_i : reads_q[s] & ~read_clear[s], '0)
    `RW_FF(writes_q[s], take ? writes_i : writes_q[s] & ~write_clear[s], '0)
    `RW_FF(age_q, age_d, '0)
    // Pipes complete.
    `RW_ASSUME(completes, 32'(age_q) < Patience || (read_out_i[s] && end_i[s]))
    `RW_ASSERT(completed, free[s] || 32'(age_q) <= Patience)
  end
  always_comb begin
    next = '0;
    for (int s = Slots - 1; s >= 0; s--) if (free[s]) next = SlotWidth'(s);
  end
  assign room  = free != '0;
  assign issue = willing_i & room & ~hit;

  rpu_busyboard #(
      .Registers(Registers),
      .Pipes(Slots),
      .MaxReaders(Slots),
      .Rule(Rule)
  ) i_board (
      .clk_i,
      .rst_ni,
      .reads_i,
      .writes_i,
      .hit_o(hit),
      .issue_i(issue),
      .release_reads_i(read_clear),
      .release_writes_i(write_clear)
  );

  // ---- No register is in use in two ways that clash; the board knows exactly those in use.
  for (genvar r = 0; r < Registers; r++) begin : gen_register
    logic [Slots-1:0] readers, writers;
    logic [31:0] count;
    always_comb begin
      count = '0;
      for (int s = 0; s < Slots; s++) begin
        readers[s] = reads_q[s][r];
        writers[s] = writes_q[s][r];
        count += 32'(readers[s]);
      end
    end
    `RW_ASSERT(one_writer, $onehot0(writers))
    // Its own instruction may read what it writes.
    `RW_ASSERT(no_reader_of_another, writers == '0 || (readers & ~writers) == '0)
    `RW_ASSERT(knows_the_writer, i_board.written_q[r] == (writers != '0))
    `RW_ASSERT(knows_the_readers, 32'(i_board.gen_readers[r].readers_q) == count)
    if (Rule == "one_bit") begin : gen_one_bit
      `RW_ASSERT(one_user, $onehot0(readers | writers))
    end
  end

  // ---- Whoever waits with nobody else issuing gets through: an instruction that stays in decode
  // waits for what is in flight now, and all of that completes.
  logic [Registers-1:0] reads_before, writes_before;
  logic waits, waits_q;
  logic [31:0] waited_d, waited_q;
  assign waits    = willing_i & ~issue;
  assign waited_d = waits ? waited_q + 32'd1 : '0;
  `RW_FF(waits_q, waits, 1'b0)
  `RW_FF(waited_q, waited_d, '0)
  `RW_FF(reads_before, reads_i, '0)
  `RW_FF(writes_before, writes_i, '0)
  `RW_ASSUME(stays_in_decode, !waits_q || !rst_ni ||
             (willing_i && reads_i == reads_before && writes_i == writes_before))
  `RW_ASSERT(no_deadlock, waited_q <= Patience + 1)
  // Whoever is in flight has been so for as long as one has waited.
  for (genvar s = 0; s < Slots; s++) begin : gen_wait
    `RW_ASSERT(older_than_the_wait, free[s] || waited_q <= 32'(gen_slot[s].age_q))
  end
endmodule
