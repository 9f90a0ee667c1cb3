`include "assertions.svh"
`include "formal.svh"
`include "registers.svh"

/// A write buffer never overflows under the machine's order of accesses, and whatever is written
/// reaches the bank once, in order, with its row, for any order of accesses that leaves it room.
///
/// **The order of accesses** (`crates/target-rise/src/write_buffers.rs`): in a stage the halves of
/// the banks take turns, so one bank is read in every second cycle at most; the reordering unit
/// sends half-rows to the halves in turn, so one bank is written in every second cycle at most. In
/// a pass a bank is read and written in every fourth cycle at most, which is seldomer.
/// `Spaced` = 1 assumes that and proves that `Depth` = 1 is enough, and that a word waits one cycle
/// at most. `Spaced` = 0 assumes of a write only that there is room, and proves the rest.
///
/// One word is chosen freely among all that are written and followed through: how many are ahead of
/// it.
module formal_rise_write_buffer #(
    parameter int unsigned Depth    = 1,
    parameter bit          Spaced   = 1,
    parameter int unsigned RowWidth = 2,
    parameter int unsigned Width    = 3
) (
    input logic                clk_i,
    input logic                read_i,
    input logic [RowWidth-1:0] read_row_i,
    input logic                write_i,
    input logic [RowWidth-1:0] write_row_i,
    input logic [Width-1:0]    write_data_i,
    /// Follows the word that is written in this cycle, if none was followed before.
    input logic                follow_i
);
  localparam int unsigned UsageWidth = (Depth > 0) ? $clog2(Depth + 1) : 1;

  logic rst_ni;
  `RW_RESET_ONCE(rst_ni)

  logic request, write;
  logic [RowWidth-1:0] row;
  logic [Width-1:0] data;
  logic [UsageWidth-1:0] usage;
  rise_write_buffer #(
      .Depth(Depth),
      .RowWidth(RowWidth),
      .Width(Width)
  ) i_buffer (
      .clk_i,
      .rst_ni,
      .read_i,
      .read_row_i,
      .write_i,
      .write_row_i,
      .write_data_i,
      .request_o(request),
      .write_o(write),
      .row_o(row),
      .data_o(data),
      .usage_o(usage)
  );

  // ---- What is assumed ------------------------------------------------------------------------

  // The reader knows which words wait: no butterfly of a stage reads what the stage writes. The
  // buffer asserts that too; it is its environment's promise.
  for (genvar i = 0; i < Depth; i++) begin : gen_fresh
    `RW_ASSUME(fresh, !(read_i && 32'(usage) > i && i_buffer.gen_words.words_q[i].row == read_row_i))
  end
  if (Spaced) begin : gen_spaced
    logic read_last, write_last;
    `RW_FF(read_last, read_i, 1'b0)
    `RW_FF(write_last, write_i, 1'b0)
    `RW_ASSUME(reads_are_apart, !(read_i && read_last))
    `RW_ASSUME(writes_are_apart, !(write_i && write_last))
    // A word waits one cycle at most: what holds the induction together.
    logic waited;
    `RW_FF(waited, usage != '0, 1'b0)
    `RW_ASSERT(waits_one_cycle, !waited || usage == '0)
    `RW_ASSERT(waits_for_a_read, usage == '0 || (read_last && write_last))
  end else begin : gen_room
    `RW_ASSUME(room, !write_i || !read_i || 32'(usage) < Depth)
  end

  // ---- Never overflows --------------------------------------------------------------------------

  `RW_ASSERT(never_overflows, 32'(usage) <= Depth)
  `RW_ASSERT(one_access, request == (read_i || write) && !(read_i && write))
  `RW_ASSERT(reads_come_first, !read_i || row == read_row_i)

  // ---- Never loses, never reorders --------------------------------------------------------------

  logic chosen_q, inside_d, inside_q, start, leaves;
  logic [RowWidth+Width-1:0] word, word_q;
  logic [UsageWidth-1:0] ahead, ahead_q;
  assign word     = start ? {write_row_i, write_data_i} : word_q;
  assign start    = write_i & follow_i & ~chosen_q;
  assign ahead    = start ? usage : ahead_q;
  assign leaves   = (start | inside_q) & write & (ahead == '0);
  assign inside_d = (start | inside_q) & ~leaves;
  `RW_FF(chosen_q, chosen_q | start, 1'b0)
  `RW_FF(inside_q, inside_d, 1'b0)
  `RW_FF(word_q, word, '0)
  `RW_FF(ahead_q, ahead - UsageWidth'(write && ahead != '0), '0)

  `RW_ASSERT(never_loses, !inside_q || ahead_q < usage)
  `RW_ASSERT(leaves_as_it_came, !leaves || {row, data} == word)
  `RW_ASSERT(counts, write == (!read_i && (usage != '0 || write_i)))
  // What holds the induction together: the followed word lies where it is said to.
  `RW_ASSERT(lies_there, !inside_q || i_buffer.gen_words.words_q[ahead_q] == word_q)
endmodule
