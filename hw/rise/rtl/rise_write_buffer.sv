`include "registers.svh"
`include "assertions.svh"

/// The port of one bank, and the words that wait for it.
///
/// A read takes the port. A write takes it if there is no read and nothing waits; else it waits
/// here, and leaves, oldest first, in the first cycle without a read (RACE section IV-C2:
/// "opportunistically"). There is no way back to the writer: what finds no room is lost, so the
/// machine's order of accesses must leave room (asserted; `crates/target-rise/src/write_buffers.rs`
/// says why one word is enough, and `formal_rise_write_buffer` proves it).
///
/// Timing: combinational from the requests to the bank's port. Area: `Depth` rows and words of
/// flip-flops, each with a two-to-one multiplexer, for they move up when one leaves.
module rise_write_buffer #(
    parameter int unsigned Depth    = 1,
    parameter int unsigned RowWidth = 12,
    parameter int unsigned Width    = 30,
    localparam int unsigned UsageWidth = (Depth > 0) ? $clog2(Depth + 1) : 1
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,

    input  logic                  read_i,
    input  logic [RowWidth-1:0]   read_row_i,

    input  logic                  write_i,
    input  logic [RowWidth-1:0]   write_row_i,
    input  logic [Width-1:0]      write_data_i,

    // To the bank.
    output logic                  request_o,
    output logic                  write_o,
    output logic [RowWidth-1:0]   row_o,
    output logic [Width-1:0]      data_o,

    /// Words that wait.
    output logic [UsageWidth-1:0] usage_o
);
  typedef struct packed {
    logic [RowWidth-1:0] row;
    logic [Width-1:0]    data;
  } word_t;

  word_t incoming, leaving;
  logic  waits;
  assign incoming = '{row: write_row_i, data: write_data_i};

  assign write_o   = ~read_i & (waits | write_i);
  assign request_o = read_i | write_o;
  assign row_o     = read_i ? read_row_i : leaving.row;
  assign data_o    = leaving.data;

  if (Depth == 0) begin : gen_none
    assign waits   = 1'b0;
    assign leaving = incoming;
    assign usage_o = '0;
    `RW_ASSERT(rise_write_buffer_room, !(read_i && write_i))
  end else begin : gen_words
    word_t [Depth-1:0] words_d, words_q;
    logic [UsageWidth-1:0] usage_d, usage_q, place;
    logic push, pop;

    assign waits   = usage_q != '0;
    assign leaving = waits ? words_q[0] : incoming;
    assign usage_o = usage_q;

    assign pop     = waits & ~read_i;
    assign push    = write_i & (read_i | waits);
    assign place   = usage_q - UsageWidth'(pop);
    assign usage_d = place + UsageWidth'(push);

    for (genvar i = 0; i < Depth; i++) begin : gen_word
      localparam int unsigned Next = (i + 1 < Depth) ? i + 1 : i;
      assign words_d[i] = (push && place == UsageWidth'(i)) ? incoming :
                          pop ? words_q[Next] : words_q[i];
      `RW_ASSERT(rise_write_buffer_fresh,
                 !(read_i && 32'(usage_q) > i && words_q[i].row == read_row_i))
    end
    `RW_FF(usage_q, usage_d, '0)
    `RW_FFNR(words_q, words_d)
    `RW_ASSERT(rise_write_buffer_room, !push || 32'(place) < Depth)
  end

  `RW_REQUIRE(rise_write_buffer_depth, Depth <= 64)
endmodule
