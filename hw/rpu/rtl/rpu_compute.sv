`include "registers.svh"
`include "assertions.svh"

/// The compute pipe: operands out of the register file, through the lanes, results back
/// (RPU, section IV-B1).
///
/// All lanes do the same: here stands what they have in common, the beats of an instruction
/// (`rpu_beats`) and its scalar and modulus, which it took along from the front end.
/// Timing: reads in the cycle of the start and every `Ii` cycles, `Latency` cycles to the writes: a
/// read, and the `Latency` - 1 of `rpu_law`. `last_*_o` as in `rpu_beats`,
/// each with its instruction.
module rpu_compute
  import rpu_isa_pkg::*;
#(
    parameter int unsigned Hples    = 8,
    parameter int unsigned Beats    = 8,
    parameter int unsigned WordBits = 64,
    parameter int unsigned Latency  = 10,
    parameter int unsigned Ii       = 1,
    parameter int unsigned Gap      = 0,
    parameter string       Products = "Compressed",
    localparam int unsigned RowWidth     = (Beats > 1) ? $clog2(Beats) : 1,
    localparam int unsigned ModulusWidth = WordBits - 1,
    localparam int unsigned ShiftWidth   = $clog2(ModulusWidth)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,

    /// The head of the queue, and whether the register memories let it start.
    input  logic                                valid_i,
    input  decoded_t                            instruction_i,
    input  logic [WordBits-1:0]                 scalar_i,
    input  logic [ModulusWidth-1:0]             modulus_i,
    input  logic [WordBits-1:0]                 reciprocal_i,
    input  logic [ShiftWidth-1:0]               shift_i,
    input  logic                                free_i,
    output logic                                start_o,

    // Register file.
    output logic [2:0]                          read_o,
    output logic [2:0][RegisterWidth-1:0]       read_register_o,
    output logic [RowWidth-1:0]                 read_row_o,
    input  logic [2:0][Hples-1:0][WordBits-1:0] read_data_i,
    output logic [1:0]                          write_o,
    output logic [1:0][RegisterWidth-1:0]       write_register_o,
    output logic [RowWidth-1:0]                 write_row_o,
    output logic [1:0][Hples-1:0][WordBits-1:0] write_data_o,

    output logic                                last_read_o,
    output decoded_t                            reading_o,
    output logic                                last_write_o,
    output decoded_t                            writing_o,
    output logic                                busy_o
);
  typedef struct packed {
    decoded_t                instruction;
    logic [WordBits-1:0]     scalar;
    logic [ModulusWidth-1:0] modulus;
    logic [WordBits-1:0]     reciprocal;
    logic [ShiftWidth-1:0]   shift;
  } entry_t;

  // The instruction that reads now, and whose operands are here now.
  entry_t head, entry_q, entry, operands_q;
  logic ready, reads, reads_q, writes;
  assign head = '{
          instruction: instruction_i,
          scalar: scalar_i,
          modulus: modulus_i,
          reciprocal: reciprocal_i,
          shift: shift_i
      };
  assign start_o = valid_i & ready & free_i;
  assign entry   = start_o ? head : entry_q;
  `RW_FFLNR(entry_q, head, start_o)
  `RW_FFNR(operands_q, entry)
  `RW_FF(reads_q, reads, 1'b0)

  rpu_beats #(
      .Beats(Beats),
      .Ii(Ii),
      .Gap(Gap),
      .Latency(Latency)
  ) i_beats (
      .clk_i,
      .rst_ni,
      .ready_o(ready),
      .start_i(start_o),
      .read_o(reads),
      .read_beat_o(read_row_o),
      .last_read_o,
      .write_o(writes),
      .write_beat_o(write_row_o),
      .last_write_o,
      .busy_o
  );
  delay_line #(
      .data_t(decoded_t),
      .Stages(Latency)
  ) i_writing (
      .clk_i,
      .data_i(entry.instruction),
      .data_o(writing_o)
  );
  assign reading_o = entry.instruction;

  assign read_o = {3{reads}} & {reading_o.reads_vt1, reading_o.reads_vt, reading_o.reads_vs};
  assign read_register_o  = {reading_o.vt1, reading_o.vt, reading_o.vs};
  assign write_o          = {2{writes}} & {writing_o.writes_vd1, writing_o.writes_vd};
  assign write_register_o = {writing_o.vd1, writing_o.vd};

  // The operation without its form with a scalar.
  op_e operation;
  always_comb begin
    unique case (operands_q.instruction.op)
      OpVadds: operation = OpVadd;
      OpVsubs: operation = OpVsub;
      OpVmuls: operation = OpVmul;
      default: operation = operands_q.instruction.op;
    endcase
  end

  // A scalar that is copied may be any word; the lanes have no place for its top bit.
  logic top;
  delay_line #(
      .Width(1),
      .Stages(Latency - 1)
  ) i_top (
      .clk_i,
      .data_i((operation == OpVbcast) & operands_q.scalar[WordBits-1]),
      .data_o(top)
  );

  for (genvar j = 0; j < Hples; j++) begin : gen_hple
    logic [WordBits-1:0] a, b, c;
    logic [ModulusWidth-1:0] first, second;
    assign a = read_data_i[0][j];
    assign b = operands_q.instruction.reads_scalar ? operands_q.scalar : read_data_i[1][j];
    assign c = read_data_i[2][j];
    rpu_law #(
        .Width(ModulusWidth),
        .Latency(Latency - 1),
        .Products(Products)
    ) i_law (
        .clk_i,
        .rst_ni,
        .valid_i(reads_q),
        .operation_i(operation),
        .gentleman_sande_i(operands_q.instruction.gentleman_sande),
        .modulus_i(operands_q.modulus),
        .reciprocal_i({1'b1, operands_q.reciprocal, 1'b0}),
        .shift_i(operands_q.shift),
        .a_i(ModulusWidth'(a)),
        .b_i(ModulusWidth'(b)),
        .c_i(ModulusWidth'(c)),
        .first_o(first),
        .second_o(second)
    );
    assign write_data_o[0][j] = {top, first};
    assign write_data_o[1][j] = WordBits'(second);

    // What is computed with has a free top bit.
    logic wide;
    assign wide = (operands_q.instruction.reads_vs & a[WordBits-1]) |
                  ((operands_q.instruction.reads_vt | operands_q.instruction.reads_scalar) &
                   b[WordBits-1]) |
                  (operands_q.instruction.reads_vt1 & c[WordBits-1]);
    `RW_ASSERT(rpu_compute_operands, !(reads_q & wide) || operation == OpVbcast)
  end

  `RW_REQUIRE(rpu_compute_latency, Latency >= 4)
endmodule
