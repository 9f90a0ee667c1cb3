`include "registers.svh"
`include "assertions.svh"

/// Works through a list of commands in memory (`spec/medha/isa.toml`): fills tables, sets the degree, runs
/// kernels, each to its end.
///
/// Beats are fetched ahead, in bursts of `BurstBeats` that cross no boundary of as many beats; a command
/// takes a cycle, an entry of a table one. `done_o` is 1 in the last cycle of `busy_o`. What is no command
/// and what goes wrong in a kernel or in memory ends the list; `error_o` and `runs_o` then say what and
/// where, until the next start.
module medha_list
  import medha_isa_pkg::*;
  import medha_pkg::*;
#(
    parameter int unsigned AddressWidth = 40,
    parameter int unsigned BurstBeats   = 16,
    parameter int unsigned BitWidth     = 4,
    parameter int unsigned KernelWidth  = 5,
    localparam int unsigned Depth      = 2 * BurstBeats,
    localparam int unsigned BeatWidth  = InstructionWidth,
    localparam int unsigned BeatBytes  = BeatWidth / 8,
    localparam int unsigned UsageWidth = $clog2(Depth + 1)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    input  logic                    start_i,
    input  logic [AddressWidth-1:0] address_i,
    input  logic [31:0]             beats_i,
    output logic                    busy_o,
    output logic                    done_o,
    output logic [3:0]              error_o,
    output logic [23:0]             runs_o,

    output logic                    ar_valid_o,
    input  logic                    ar_ready_i,
    output logic [AddressWidth-1:0] ar_addr_o,
    output logic [7:0]              ar_len_o,
    input  logic                    r_valid_i,
    output logic                    r_ready_o,
    input  logic [BeatWidth-1:0]    r_data_i,
    input  logic                    r_wrong_i,

    output logic                    set_o,
    output logic [4:0]              set_unit_o,
    output table_e                  set_table_o,
    output logic [23:0]             set_address_o,
    output logic [BeatWidth-1:0]    set_data_o,
    output logic                    set_log_n_o,
    output logic [BitWidth-1:0]     log_n_o,
    output logic                    run_o,
    output logic [KernelWidth-1:0]  kernel_o,
    input  logic                    run_done_i,
    input  wrong_e                  run_wrong_i,
    /// What a lane's memory has answered: 1 a read, 2 a write with an error.
    input  logic [1:0]              lanes_wrong_i
);
  typedef enum logic [1:0] {StateIdle, StateCommand, StateEntries, StateRun} state_e;

  // ---- Beats, fetched ahead: a burst is asked for where there is room for it.
  logic [31:0] left_d, left_q, taken_d, taken_q, total_q;
  logic [AddressWidth-1:0] address_d, address_q;
  logic [UsageWidth-1:0] usage, coming_d, coming_q, burst;
  logic asks, asked, came, take, beat_valid, stops, flush;
  logic [BeatWidth-1:0] beat;
  assign burst     = (left_q < 32'(BurstBeats)) ? UsageWidth'(left_q) : UsageWidth'(BurstBeats);
  // What was asked for once is asked for until it is taken.
  assign asks      = busy_o && left_q != '0 && 32'(usage) + 32'(coming_q) + BurstBeats <= Depth &&
                     !flush;
  assign asked     = ar_valid_o && ar_ready_i;
  assign came      = r_valid_i && r_ready_o;
  assign ar_valid_o = asks;
  assign ar_addr_o  = address_q;
  assign ar_len_o   = 8'(burst) - 1'b1;
  assign r_ready_o  = 1'b1;
  always_comb begin
    left_d    = left_q;
    address_d = address_q;
    coming_d  = coming_q - UsageWidth'(came);
    taken_d   = taken_q + 32'(take);
    if (asked) begin
      left_d    = left_q - 32'(burst);
      address_d = address_q + AddressWidth'(burst) * AddressWidth'(BeatBytes);
      coming_d  = coming_d + burst;
    end
    if (start_i) begin
      left_d    = beats_i;
      address_d = address_i;
      taken_d   = '0;
    end
  end
  `RW_FF(left_q, left_d, '0)
  `RW_FF(taken_q, taken_d, '0)
  `RW_FF(coming_q, coming_d, '0)
  `RW_FFNR(address_q, address_d)
  `RW_FFLNR(total_q, beats_i, start_i)
  logic unused_ready;
  fifo #(
      .Depth(Depth),
      .Width(BeatWidth)
  ) i_beats (
      .clk_i,
      .rst_ni,
      .valid_i(r_valid_i),
      .ready_o(unused_ready),
      .data_i(r_data_i),
      .valid_o(beat_valid),
      .ready_i(take || flush),
      .data_o(beat),
      .usage_o(usage)
  );

  // ---- Commands.
  state_e state_d, state_q;
  logic [3:0] error_d, error_q;
  logic [23:0] runs_d, runs_q, count_d, count_q, entry_d, entry_q;
  logic [4:0] unit_d, unit_q;
  table_e table_d, table_q;
  command_t command;
  logic is_last, waits_d, waits_q;
  assign command = beat[63:0];
  // Given up: what comes is thrown away, then it is over.
  assign flush   = error_q != '0;
  assign is_last = taken_q == total_q;
  assign stops   = flush && coming_q == '0 && usage == '0 && state_q != StateIdle && !waits_q;
  always_comb begin
    state_d     = state_q;
    error_d     = start_i ? '0 : error_q;
    runs_d      = start_i ? '0 : runs_q;
    count_d     = count_q;
    entry_d     = entry_q;
    unit_d      = unit_q;
    table_d     = table_q;
    take        = 1'b0;
    set_o       = 1'b0;
    set_log_n_o = 1'b0;
    run_o       = 1'b0;
    done_o      = 1'b0;
    unique case (state_q)
      StateIdle: if (start_i) state_d = StateCommand;
      StateCommand: begin
        if (!flush && is_last) begin
          done_o  = 1'b1;
          state_d = StateIdle;
        end else if (!flush && beat_valid) begin
          take    = 1'b1;
          unit_d  = command.unit;
          table_d = command.which;
          entry_d = command.address;
          count_d = command.count;
          unique case (command.kind)
            CommandTable: if (command.count != '0) state_d = StateEntries;
            CommandDegree: set_log_n_o = 1'b1;
            CommandRun: begin
              run_o   = 1'b1;
              runs_d  = runs_q + 1'b1;
              state_d = StateRun;
            end
            default: error_d = medha_regs_pkg::CodeCommand;
          endcase
        end
      end
      StateEntries: begin
        if (!flush && is_last) error_d = medha_regs_pkg::CodeCommand;
        else if (!flush && beat_valid) begin
          take    = 1'b1;
          set_o   = 1'b1;
          entry_d = entry_q + 1'b1;
          count_d = count_q - 1'b1;
          if (count_q == 24'd1) state_d = StateCommand;
        end
      end
      StateRun: begin
        if (run_done_i) begin
          if (run_wrong_i != WrongNone) error_d = 4'(run_wrong_i);
          else if (lanes_wrong_i[0]) error_d = medha_regs_pkg::CodeRead;
          else if (lanes_wrong_i[1]) error_d = medha_regs_pkg::CodeWrite;
          state_d = StateCommand;
        end
      end
      default: ;
    endcase
    if (came && r_wrong_i && error_q == '0) error_d = medha_regs_pkg::CodeRead;
    if (stops) begin
      done_o  = 1'b1;
      state_d = StateIdle;
    end
  end
  // A kernel that runs is not left alone.
  assign waits_d = run_o || (waits_q && !run_done_i);
  `RW_FF(state_q, state_d, StateIdle)
  `RW_FF(error_q, error_d, '0)
  `RW_FF(runs_q, runs_d, '0)
  `RW_FF(waits_q, waits_d, 1'b0)
  `RW_FFNR(count_q, count_d)
  `RW_FFNR(entry_q, entry_d)
  `RW_FFNR(unit_q, unit_d)
  `RW_FFNR(table_q, table_d)
  assign busy_o        = state_q != StateIdle;
  assign error_o       = error_q;
  assign runs_o        = runs_q;
  assign set_unit_o    = unit_q;
  assign set_table_o   = table_q;
  assign set_address_o = entry_q;
  assign set_data_o    = beat;
  assign log_n_o       = command.address[BitWidth-1:0];
  assign kernel_o      = command.address[KernelWidth-1:0];

  logic unused;
  assign unused = ^command;
  `RW_ASSERT(medha_list_room, !r_valid_i || unused_ready)
endmodule
