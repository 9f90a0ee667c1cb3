`include "registers.svh"

/// The shuffle pipe: rows of two registers out of the register file, through the crossbar, back
/// (RPU, section IV-B2).
///
/// Timing: reads in the cycle of the start and in each after it, `Latency` cycles from the read of a
/// beat to its write. `last_*_o` as in `rpu_beats`, each with its instruction.
module rpu_shuffle
  import rpu_isa_pkg::*;
#(
    parameter int unsigned Hples    = 8,
    parameter int unsigned Beats    = 8,
    parameter int unsigned WordBits = 64,
    parameter int unsigned Latency  = 5,
    parameter int unsigned Gap      = 0,
    localparam int unsigned RowWidth = (Beats > 1) ? $clog2(Beats) : 1
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,

    /// The head of the queue, and whether the register memories let it start.
    input  logic                                valid_i,
    input  decoded_t                            instruction_i,
    input  logic                                free_i,
    output logic                                start_o,

    // Register file.
    output logic [1:0]                          read_o,
    output logic [1:0][RegisterWidth-1:0]       read_register_o,
    output logic [RowWidth-1:0]                 read_row_o,
    input  logic [1:0][Hples-1:0][WordBits-1:0] read_data_i,
    output logic                                write_o,
    output logic [RegisterWidth-1:0]            write_register_o,
    output logic [RowWidth-1:0]                 write_row_o,
    output logic [Hples-1:0][WordBits-1:0]      write_data_o,

    output logic                                last_read_o,
    output decoded_t                            reading_o,
    output logic                                last_write_o,
    output decoded_t                            writing_o,
    output logic                                busy_o
);
  decoded_t instruction_q;
  logic ready, reads;
  logic [RowWidth-1:0] beat, write_beat;
  assign start_o   = valid_i & ready & free_i;
  assign reading_o = start_o ? instruction_i : instruction_q;
  `RW_FFLNR(instruction_q, instruction_i, start_o)

  rpu_beats #(
      .Beats(Beats),
      .Gap(Gap),
      .Latency(Latency)
  ) i_beats (
      .clk_i,
      .rst_ni,
      .ready_o(ready),
      .start_i(start_o),
      .read_o(reads),
      .read_beat_o(beat),
      .last_read_o,
      .write_o,
      .write_beat_o(write_beat),
      .last_write_o,
      .busy_o
  );
  delay_line #(
      .data_t(decoded_t),
      .Stages(Latency)
  ) i_writing (
      .clk_i,
      .data_i(reading_o),
      .data_o(writing_o)
  );
  rpu_sbar #(
      .Hples(Hples),
      .Beats(Beats),
      .Width(WordBits),
      .Latency(Latency)
  ) i_sbar (
      .clk_i,
      .operation_i(reading_o.op),
      .beat_i(beat),
      .read_row_o,
      .vs_i(read_data_i[0]),
      .vt_i(read_data_i[1]),
      .write_operation_i(writing_o.op),
      .write_beat_i(write_beat),
      .write_row_o,
      .row_o(write_data_o)
  );
  assign read_o           = {2{reads}};
  assign read_register_o  = {reading_o.vt, reading_o.vs};
  assign write_register_o = writing_o.vd;
endmodule
