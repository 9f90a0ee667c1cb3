`include "registers.svh"
`include "assertions.svh"

/// A load/store pipe: rows between the banks and the register file, scalars out of the SDM.
///
/// Front: row by row of the instruction, `Hples` elements each, in as many cycles as the banks need
/// (`rpu_vbar`). A load reads the banks here and writes the row into the registers `Latency` after
/// the row's last cycle; a store reads the registers in the row's first cycle and writes the banks
/// `Latency` after each of its cycles; a scalar load takes one cycle and writes its entry `Latency`
/// later. `Gap` cycles lie between two instructions.
///
/// The register memories belong to the compute and shuffle pipes, which have reserved their slots
/// (`rpu_reservations`): a row that meets a taken memory, at the front or at the end, holds this
/// whole pipe for the cycle (`hold_i`, decided outside, where both ends are seen). A row that is
/// written goes before one that is read: if both meet in one memory the front waits.
///
/// `Loads` and `Stores` leave out one kind, for machines with a pipe for either.
/// Timing: the front works on the head of the queue in the cycle of the start; what a cycle does is
/// known after the addresses, the banks' choice, and the hold. Area: `Latency` - 1 rows, and one to
/// assemble loaded rows or keep a stored one; the choice of the banks travels beside stores.
module rpu_load_store
  import rpu_isa_pkg::*;
#(
    parameter int unsigned Hples    = 8,
    parameter int unsigned Beats    = 8,
    parameter int unsigned Banks    = 8,
    parameter int unsigned VdmWords = 2048,
    parameter int unsigned SdmWords = 64,
    parameter int unsigned Width    = 64,
    parameter int unsigned Latency  = 6,
    parameter int unsigned Gap      = 0,
    parameter string       VdmMap   = "skewed",
    parameter bit          Loads    = 1'b1,
    parameter bit          Stores   = 1'b1,
    localparam int unsigned RowWidth     = (Beats > 1) ? $clog2(Beats) : 1,
    localparam int unsigned BankWidth    = $clog2(Banks),
    localparam int unsigned VdmWidth = $clog2(VdmWords),
    localparam int unsigned BankWords    = VdmWords / Banks,
    localparam int unsigned WordWidth    = (BankWords > 1) ? $clog2(BankWords) : 1,
    localparam int unsigned SdmWidth     = $clog2(SdmWords)
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,

    /// The head of the queue, if it is for this pipe; `base_i` is the address of element 0.
    input  logic                             valid_i,
    input  decoded_t                     instruction_i,
    input  logic [31:0]                      base_i,
    output logic                             start_o,

    /// Whether this cycle counts; else nothing moves.
    input  logic                             hold_i,
    /// What the hold is decided by: a row to be read now, a row to be written now.
    output logic                             wants_read_o,
    output logic [5:0]                       read_register_o,
    output logic                             wants_write_o,
    output logic [5:0]                       write_register_o,
    /// Both want one memory; the front waits.
    input  logic                             same_memory_i,

    // Register file.
    output logic                             vrf_read_o,
    output logic [RowWidth-1:0]              vrf_read_row_o,
    input  logic [Hples-1:0][Width-1:0]      vrf_read_data_i,
    output logic                             vrf_write_o,
    output logic [RowWidth-1:0]              vrf_write_row_o,
    output logic [Hples-1:0][Width-1:0]      vrf_write_data_o,

    // Vector data memory.
    output logic [Banks-1:0]                 vdm_read_o,
    output logic [Banks-1:0][WordWidth-1:0]  vdm_read_word_o,
    input  logic [Banks-1:0][Width-1:0]      vdm_read_data_i,
    output logic [Banks-1:0]                 vdm_write_o,
    output logic [Banks-1:0][WordWidth-1:0]  vdm_write_word_o,
    output logic [Banks-1:0][Width-1:0]      vdm_write_data_o,

    // Scalar unit: read in one cycle, write in a later one.
    output logic                             sdm_read_o,
    output logic [SdmWidth-1:0]              sdm_address_o,
    output logic                             write_scalar_o,
    output logic                             write_modulus_o,
    output logic                             write_address_o,
    output logic [5:0]                       write_entry_o,

    /// Last cycle in which a store's source is in use; last cycle of a load or store, with its
    /// instruction.
    output logic                             source_done_o,
    output logic [5:0]                       source_o,
    output logic                             end_o,
    output decoded_t                     end_instruction_o,
    output logic                             busy_o
);
  localparam int unsigned GapWidth = $clog2(Gap + 2);
  localparam int unsigned LaneWidth = (Hples > 1) ? $clog2(Hples) : 1;
  typedef logic [RowWidth-1:0] row_index_t;
  typedef logic [Hples-1:0][Width-1:0] row_t;

  // What travels beside the data, one for each cycle at the front.
  typedef struct packed {
    decoded_t instruction;
    row_index_t   row;
    logic         row_done;
    logic         done;
  } step_t;

  // What a store's cycle asks of the banks, what a load's has from them.
  typedef struct packed {
    logic [Banks-1:0]                asked;
    logic [Banks-1:0][LaneWidth-1:0] asker;
    logic [Banks-1:0][WordWidth-1:0] word;
    logic [BankWidth-1:0]            first_bank;
  } asked_t;

  function automatic logic is_store(op_e op);
    return Stores && (!Loads || op == OpVstore);
  endfunction
  function automatic logic is_load(op_e op);
    return Loads && op == OpVload;
  endfunction
  function automatic logic is_scalar(op_e op);
    return Loads && op != OpVload && op != OpVstore;
  endfunction

  // ---- Front: which row, which of its elements.
  logic active_d, active_q, first_d, first_q, act, first, go, store, load, scalar;
  decoded_t instruction_q;
  logic [31:0] base_q, base;
  row_index_t row_d, row_q;
  logic [Hples-1:0] waiting_d, waiting_q, waiting, served;
  logic [GapWidth-1:0] gap_d, gap_q;
  step_t front;

  assign act               = active_q | (valid_i & (gap_q == '0));
  assign first             = ~active_q | first_q;
  assign front.instruction = active_q ? instruction_q : instruction_i;
  assign front.row         = active_q ? row_q : '0;
  assign base              = active_q ? base_q : base_i;
  assign waiting           = first ? '1 : waiting_q;
  assign store             = is_store(front.instruction.op);
  assign load              = is_load(front.instruction.op);
  assign scalar            = is_scalar(front.instruction.op);

  logic [Hples-1:0][VdmWidth-1:0] address;
  logic [Hples-1:0][BankWidth-1:0] bank;
  logic [Hples-1:0][WordWidth-1:0] word;
  logic fits;
  rpu_address_generator #(
      .Hples(Hples),
      .Beats(Beats),
      .Banks(Banks),
      .VdmWords(VdmWords),
      .Map(VdmMap)
  ) i_addresses (
      .base_i(base),
      .mode_i(front.instruction.mode),
      .value_i(front.instruction.value),
      .row_i(front.row),
      .address_o(address),
      .bank_o(bank),
      .fits_o(fits)
  );
  for (genvar j = 0; j < Hples; j++) begin : gen_word
    assign word[j] = WordWidth'(address[j] >> BankWidth);
  end

  assign front.row_done = scalar | ((waiting & ~served) == '0);
  assign front.done     = scalar | (front.row_done & (front.row == row_index_t'(Beats - 1)));

  assign go      = act & ~hold_i & ~(wants_read_o & same_memory_i);
  assign start_o = go & ~active_q;

  assign active_d  = ~front.done;
  assign first_d   = front.row_done;
  assign row_d     = front.row + row_index_t'(front.row_done);
  assign waiting_d = waiting & ~served;
  always_comb begin
    gap_d = (gap_q == '0) ? '0 : gap_q - GapWidth'(1);
    if (go & front.done) gap_d = GapWidth'(Gap);
  end
  `RW_FFL(active_q, active_d, go, 1'b0)
  `RW_FFL(gap_q, gap_d, ~hold_i, '0)
  `RW_FFLNR(first_q, first_d, go)
  `RW_FFLNR(row_q, row_d, go)
  `RW_FFLNR(waiting_q, waiting_d, go)
  `RW_FFLNR(instruction_q, instruction_i, start_o)
  `RW_FFLNR(base_q, base_i, start_o)

  assign wants_read_o    = Stores & act & store & first;
  assign read_register_o = front.instruction.vs;
  assign vrf_read_o      = wants_read_o & go;
  assign vrf_read_row_o  = front.row;
  assign source_done_o   = go & front.done & store;
  assign source_o        = front.instruction.vs;

  // ---- Steps on their way; step[0] is the front.
  step_t [Latency:0] step /* verilator split_var */;
  logic [Latency:0] valid_q /* verilator split_var */;
  assign valid_q[0] = go;
  assign step[0]    = front;
  for (genvar i = 1; i <= Latency; i++) begin : gen_step
    `RW_FFL(valid_q[i], valid_q[i-1], ~hold_i, 1'b0)
    `RW_FFLNR(step[i], step[i-1], ~hold_i)
  end
  step_t last;
  logic finish;
  assign last   = step[Latency];
  assign finish = valid_q[Latency] & ~hold_i;
  assign busy_o = act | (|valid_q[Latency:1]);

  assign end_o             = finish & last.done;
  assign end_instruction_o = last.instruction;

  // ---- Scalars: the memory is read one step before the entry is written.
  assign sdm_read_o      = valid_q[Latency-1] & ~hold_i & is_scalar(step[Latency-1].instruction.op);
  assign sdm_address_o   = SdmWidth'(step[Latency-1].instruction.address);
  assign write_scalar_o  = finish & last.instruction.writes_scalar;
  assign write_modulus_o = finish & last.instruction.writes_modulus;
  assign write_address_o = finish & last.instruction.writes_address;
  assign write_entry_o   = last.instruction.rt;

  // ---- Crossbar.
  asked_t asked;
  asked_t [Latency:0] ask /* verilator split_var */;
  row_t loaded, row_end;
  logic [Hples-1:0][BankWidth-1:0] bank_1q;
  logic [Hples-1:0] served_1q;
  logic possible;
  rpu_vbar #(
      .Hples(Hples),
      .Banks(Banks),
      .Width(Width),
      .WordWidth(WordWidth),
      .Map(VdmMap)
  ) i_vbar (
      .waiting_i(waiting),
      .bank_i(bank),
      .word_i(word),
      .served_o(served),
      .asked_o(asked.asked),
      .asker_o(asked.asker),
      .asked_word_o(asked.word),
      .possible_o(possible),
      .lane_bank_i(bank_1q),
      .bank_data_i(vdm_read_data_i),
      .lane_data_o(loaded),
      .first_bank_i(ask[Latency].first_bank),
      .bank_lane_i(ask[Latency].asker),
      .lane_data_i(row_end),
      .bank_data_o(vdm_write_data_o)
  );

  assign asked.first_bank = bank[0];

  // ---- One step behind the front: the row, whole or as far as it has come.
  row_t [Latency:1] row;
  row_t stored, partial_q;
  `RW_FFLNR(bank_1q, bank, ~hold_i)
  `RW_FFLNR(served_1q, served, ~hold_i)
  if (Stores) begin : gen_stored
    // The memories show a row for one cycle only; a held pipe, or a row of many cycles, keeps it.
    logic fresh_q;
    row_t kept_q;
    `RW_FF(fresh_q, vrf_read_o, 1'b0)
    `RW_FFLNR(kept_q, vrf_read_data_i, fresh_q)
    assign stored = fresh_q ? vrf_read_data_i : kept_q;
  end else begin : gen_no_store
    assign stored = '0;
    logic unused_row;
    assign unused_row = &vrf_read_data_i;
  end
  for (genvar j = 0; j < Hples; j++) begin : gen_row
    always_comb begin
      row[1][j] = served_1q[j] ? loaded[j] : partial_q[j];
      if (is_store(step[1].instruction.op)) row[1][j] = stored[j];
    end
  end
  `RW_FFLNR(partial_q, row[1], ~hold_i)
  for (genvar i = 2; i <= Latency; i++) begin : gen_rows
    `RW_FFLNR(row[i], row[i-1], ~hold_i)
  end
  assign row_end = row[Latency];

  // ---- Loads: banks at the front, registers at the end.
  assign vdm_read_o       = (go & load) ? asked.asked : '0;
  assign vdm_read_word_o  = asked.word;
  assign wants_write_o    = Loads & valid_q[Latency] & last.row_done & is_load(last.instruction.op);
  assign write_register_o = last.instruction.vd;
  assign vrf_write_o      = wants_write_o & ~hold_i;
  assign vrf_write_row_o  = last.row;
  assign vrf_write_data_o = row_end;

  // ---- Stores: registers at the front, banks at the end.
  assign ask[0] = asked;
  for (genvar i = 1; i <= Latency; i++) begin : gen_ask
    `RW_FFLNR(ask[i], ask[i-1], ~hold_i)
  end
  assign vdm_write_o      = (finish & is_store(last.instruction.op)) ? ask[Latency].asked : '0;
  assign vdm_write_word_o = ask[Latency].word;

  `RW_REQUIRE(rpu_load_store_sizes, Latency >= 1 && VdmWords >= Banks && (Loads || Stores))
  `RW_ASSERT(rpu_load_store_addresses, !go || scalar || fits)
  `RW_ASSERT(rpu_load_store_crosspoints, !go || scalar || possible)
  `RW_ASSERT(rpu_load_store_progress, !go || scalar || served != '0)
endmodule
