`include "registers.svh"

/// Cuts moves into bursts: none has more than `BurstBeats` beats, none crosses 4 KiB.
///
/// Timing: the first burst of a move is offered in the cycle after the move was taken, one burst a
/// cycle follows; the next move is taken with the last burst. `stop_i` drops what is left.
/// Area: the move, and adders of an address, a place and a count.
module rpu_dma_bursts
  import rpu_config_pkg::*;
  import rpu_pkg::*;
#(
    parameter config_t     Config     = rpu_machine_pkg::Machine,
    parameter int unsigned BurstBeats = 16
) (
    input  logic   clk_i,
    input  logic   rst_ni,

    input  logic   stop_i,
    input  logic   valid_i,
    output logic   ready_o,
    input  move_t  move_i,

    output logic   valid_o,
    input  logic   ready_i,
    output burst_t burst_o
);
  localparam int unsigned PortWidth    = $clog2(Config.port_bytes);
  localparam int unsigned AddressWidth = rpu_command_pkg::AddressWidth;
  localparam int unsigned PageBeats    = 4096 / Config.port_bytes;
  localparam int unsigned BeatsWidth   = $clog2(PageBeats + 1);
  // `shift` is at most 7; and a rest.
  localparam int unsigned WordsWidth   = BeatsWidth + 8;

  logic valid_d, valid_q, taken;
  move_t move_d, move_q;

  // The beats that a burst may have here, and the words in them. The last burst takes what is left:
  // no more than these, so its beats follow from the low bits of a count.
  logic [2:0] shift;
  logic [BeatsWidth-1:0] page, most, length;
  logic [WordsWidth-1:0] last_words;
  logic [31:0] words;
  logic ends;
  assign shift      = beat_shift(Config, move_q.memory == MemoryInstruction, move_q.narrow);
  assign page       = BeatsWidth'(PageBeats) - BeatsWidth'(move_q.address[11:PortWidth]);
  assign most       = (32'(page) < BurstBeats) ? page : BeatsWidth'(BurstBeats);
  assign words      = 32'(most) << shift;
  assign ends       = move_q.count <= words;
  assign last_words = WordsWidth'(move_q.count) + (WordsWidth'(1) << shift) - WordsWidth'(1);
  assign length     = ends ? BeatsWidth'(last_words >> shift) : most;

  assign valid_o = valid_q & ~stop_i;
  assign burst_o = '{
      fetch: 1'b0,
      store: move_q.store,
      memory: move_q.memory,
      narrow: move_q.narrow,
      address: move_q.address,
      length: 8'(length - BeatsWidth'(1)),
      place: move_q.place,
      count: ends ? move_q.count : words,
      move_ends: ends,
      list_ends: ends & move_q.last
  };

  assign taken   = valid_o & ready_i;
  assign ready_o = ~valid_q | (taken & ends) | stop_i;
  assign valid_d = ~stop_i & (ready_o ? valid_i : valid_q);
  always_comb begin
    move_d         = move_q;
    move_d.address = move_q.address + (AddressWidth'(most) << PortWidth);
    move_d.place   = move_q.place + words;
    move_d.count   = move_q.count - words;
    if (ready_o) move_d = move_i;
  end
  `RW_FF(valid_q, valid_d, 1'b0)
  `RW_FFLNR(move_q, move_d, taken | ready_o)
endmodule
