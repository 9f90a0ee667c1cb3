`include "registers.svh"
`include "assertions.svh"

/// The command processor: works through a list of commands (`spec/rpu/commands.toml`) on its own.
///
/// Commands are brought ahead (`rpu_command_fetch`), checked (`rpu_command_check`) and put into two
/// queues, moves for the DMA port and runs for the core. The head of a queue begins once so many of
/// the other queue have ended as it says. What a move brings or takes is held from when it begins
/// until it has ended (`holds_o`). A command with a barrier waits until all before it has ended.
///
/// Whatever goes wrong is kept with its place in the list: the command at fault, or for what the
/// port and the core tell, the last one taken from the list. Then nothing more begins; when what is
/// under way has ended, or memory has fallen silent, the list is over. After silence nothing starts
/// until a reset.
///
/// With `vdm_port` exclusive no move and no run are under way at once; runs go first.
/// Timing: a command enters its queue in the cycle after it was brought, at the earliest; a move
/// begins in the cycle after what it waits for has ended, a run two after: so its first instruction
/// is in decode four cycles after the end of what it waits for (`start_cycles`). Area: the queues,
/// counters of 32 bits, two stretches of commands.
module rpu_commands
  import rpu_config_pkg::*;
  import rpu_pkg::*;
  import rpu_command_pkg::*;
#(
    parameter config_t     Config     = rpu_machine_pkg::Machine,
    parameter int unsigned QueueDepth = 8,
    parameter int unsigned Holds      = 4,
    localparam int unsigned ImWidth    = $clog2(Config.im_words),
    localparam int unsigned RunWidth   = $clog2(Config.im_words + 1),
    localparam int unsigned DataWidth  = 8 * Config.port_bytes,
    localparam int unsigned CountWidth = 24
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    /// Only while `busy_o` and `dead_o` are 0.
    input  logic                    start_i,
    input  logic [AddressWidth-1:0] address_i,
    input  logic [CountWidth-1:0]   count_i,
    output logic                    busy_o,
    /// In the last cycle of a list.
    output logic                    done_o,
    /// Memory has fallen silent.
    output logic                    dead_o,
    output error_e                  error_o,
    output logic [CountWidth-1:0]   error_command_o,
    /// From the start on.
    output logic [31:0]             cycles_o,

    // The core.
    output logic                    run_o,
    output logic [ImWidth-1:0]      run_first_o,
    output logic [RunWidth-1:0]     run_count_o,
    input  logic                    run_busy_i,
    input  logic                    run_done_i,
    input  logic                    run_illegal_i,
    output hold_t [Holds-1:0]       holds_o,
    input  logic                    violation_i,

    // The port.
    output logic                    stop_o,
    output logic                    move_valid_o,
    input  logic                    move_ready_i,
    output move_t                   move_o,
    input  logic                    move_done_i,
    input  logic                    list_done_i,
    output logic                    fetch_valid_o,
    input  logic                    fetch_ready_i,
    output logic [AddressWidth-1:0] fetch_address_o,
    output logic [7:0]              fetch_length_o,
    input  logic                    fetch_data_valid_i,
    input  logic [DataWidth-1:0]    fetch_data_i,
    input  logic                    port_idle_i,
    input  port_error_t             port_error_i
);
  localparam int unsigned UsageWidth = $clog2(QueueDepth + 1);
  localparam int unsigned HoldWidth  = $clog2(Holds);
  localparam int unsigned HeldWidth  = $clog2(Holds + 1);
  localparam bit          Exclusive  = Config.vdm_port == VdmPortExclusive;

  typedef struct packed {
    move_t       move;
    logic [31:0] after;
  } waiting_move_t;
  typedef struct packed {
    logic [31:0] first;
    logic [31:0] count;
    logic [31:0] after;
  } waiting_run_t;
  // A command that has been looked at.
  typedef struct packed {
    error_e      error;
    logic        run;
    logic        barrier;
    logic [31:0] after;
    move_t       move;
  } checked_t;

  // ---- The list, and what goes wrong.
  logic busy_d, busy_q, failed, dead_d, dead_q, over, all_taken;
  error_e found, error_d, error_q, check_error;
  logic [CountWidth-1:0] taken_d, taken_q, number_d, number_q, left_d, left_q;
  logic [31:0] cycles_d, cycles_q;
  assign failed = error_q != ErrorNone;
  assign stop_o = failed | ~busy_q;

  // ---- One command ahead of its queue.
  logic fetched, fetch_empty, command_ready, command_valid_d, command_valid_q, accept, enters;
  command_t fetched_command;
  checked_t checked, command_q;
  rpu_command_fetch #(
      .PortBytes(Config.port_bytes)
  ) i_fetch (
      .clk_i,
      .rst_ni,
      .start_i,
      .address_i,
      .count_i,
      .stop_i(stop_o),
      .empty_o(fetch_empty),
      .fetch_valid_o,
      .fetch_ready_i,
      .fetch_address_o,
      .fetch_length_o,
      .data_valid_i(fetch_data_valid_i),
      .data_i(fetch_data_i),
      .valid_o(fetched),
      .ready_i(command_ready),
      .command_o(fetched_command)
  );
  assign command_ready   = ~command_valid_q | enters;
  assign accept          = fetched & command_ready;
  assign command_valid_d = ~stop_o & (accept | (command_valid_q & ~enters));
  rpu_command_check #(
      .Config(Config)
  ) i_check (
      .command_i(fetched_command),
      .error_o(checked.error),
      .run_o(checked.run),
      .move_o(checked.move)
  );
  assign checked.barrier = fetched_command.barrier;
  assign checked.after   = fetched_command.after;
  `RW_FF(command_valid_q, command_valid_d, 1'b0)
  `RW_FFLNR(command_q, checked, accept)
  assign taken_d   = start_i ? '0 : taken_q + CountWidth'(accept);
  assign left_d    = start_i ? count_i : left_q - CountWidth'(accept);
  assign all_taken = (left_q == '0) & ~command_valid_q;
  `RW_FF(taken_q, taken_d, '0)
  `RW_FF(left_q, left_d, '0)

  // ---- Counts since the barrier: what has entered the queues, what has ended.
  logic [31:0] runs_d, runs_q, lists_d, lists_q, runs_ended_d, runs_ended_q;
  logic [31:0] lists_ended_d, lists_ended_q;
  logic open_d, open_q, is_run, drained, restart, list_closes;
  logic [31:0] earlier;
  assign is_run  = command_q.run;
  assign earlier = command_q.barrier ? '0 : is_run ? lists_q : runs_q;
  always_comb begin
    check_error = command_q.error;
    if (check_error == ErrorNone) begin
      if (command_q.after > earlier) begin
        check_error = ErrorAfter;
      end else if (open_q && (is_run || command_q.barrier)) begin
        check_error = ErrorList;
      end
    end
  end
  assign drained       = (runs_q == runs_ended_q) & (lists_q == lists_ended_q) & ~open_q;
  assign restart       = start_i | (enters & command_q.barrier);
  assign list_closes   = enters & ~is_run & command_q.move.last;
  assign runs_d        = (restart ? '0 : runs_q) + 32'(enters & is_run);
  assign lists_d       = (restart ? '0 : lists_q) + 32'(list_closes);
  assign runs_ended_d  = restart ? '0 : runs_ended_q + 32'(run_done_i);
  assign lists_ended_d = restart ? '0 : lists_ended_q + 32'(list_done_i);
  assign open_d        = ~start_i & (enters ? ~is_run & ~command_q.move.last : open_q);
  `RW_FF(runs_q, runs_d, '0)
  `RW_FF(lists_q, lists_d, '0)
  `RW_FF(runs_ended_q, runs_ended_d, '0)
  `RW_FF(lists_ended_q, lists_ended_d, '0)
  `RW_FF(open_q, open_d, 1'b0)

  // ---- The two queues; after an error they run empty.
  logic moves_room, runs_room, may_enter, move_head_valid, run_head_valid, move_begins, run_begins;
  waiting_move_t move_head;
  waiting_run_t run_head;
  logic [UsageWidth-1:0] unused_moves, unused_runs;
  assign may_enter = command_valid_q & ~stop_o & (check_error == ErrorNone) &
                     (drained | ~command_q.barrier);
  assign enters    = may_enter & (is_run ? runs_room : moves_room);
  fifo #(
      .Depth(QueueDepth),
      .data_t(waiting_move_t)
  ) i_moves (
      .clk_i,
      .rst_ni,
      .valid_i(may_enter & ~is_run),
      .ready_o(moves_room),
      .data_i('{move: command_q.move, after: command_q.after}),
      .valid_o(move_head_valid),
      .ready_i(move_begins | stop_o),
      .data_o(move_head),
      .usage_o(unused_moves)
  );
  fifo #(
      .Depth(QueueDepth),
      .data_t(waiting_run_t)
  ) i_runs (
      .clk_i,
      .rst_ni,
      .valid_i(may_enter & is_run),
      .ready_o(runs_room),
      .data_i('{first: command_q.move.place, count: command_q.move.count, after: command_q.after}),
      .valid_o(run_head_valid),
      .ready_i(run_begins | stop_o),
      .data_o(run_head),
      .usage_o(unused_runs)
  );

  // ---- Beginning.
  logic run_ready, run_ready_q, apart, hold_room;
  logic [HeldWidth-1:0] held_d, held_q;
  assign run_ready   = run_head_valid & ~stop_o & ~run_busy_i & (run_head.after <= lists_ended_q) &
                       (~Exclusive | (held_q == '0));
  assign run_begins  = run_ready & run_ready_q;
  assign run_o       = run_begins;
  assign run_first_o = ImWidth'(run_head.first);
  assign run_count_o = RunWidth'(run_head.count);
  `RW_FF(run_ready_q, run_ready & ~run_begins, 1'b0)

  assign apart        = ~Exclusive | (~run_busy_i & ~run_ready & ~run_ready_q);
  assign hold_room    = 32'(held_q) < Holds;
  assign move_valid_o = move_head_valid & ~stop_o & (move_head.after <= runs_ended_q) & apart & hold_room;
  assign move_begins  = move_valid_o & move_ready_i;
  assign move_o       = move_head.move;

  // ---- Holds: moves end in the order in which they begin.
  logic [HoldWidth-1:0] hold_q, free_q;
  hold_t [Holds-1:0] holds_d, holds_q;
  function automatic logic [HoldWidth-1:0] next(logic [HoldWidth-1:0] index);
    return (32'(index) == Holds - 1) ? '0 : index + HoldWidth'(1);
  endfunction
  always_comb begin
    holds_d = holds_q;
    if (move_done_i) holds_d[free_q].valid = 1'b0;
    if (move_begins) begin
      holds_d[hold_q] = '{
          valid: 1'b1,
          memory: move_head.move.memory,
          first: move_head.move.place,
          last: move_head.move.place + move_head.move.count - 32'd1
      };
    end
    if (start_i) holds_d = '0;
  end
  assign held_d  = start_i ? '0 : held_q + HeldWidth'(move_begins) - HeldWidth'(move_done_i);
  assign holds_o = Exclusive ? '0 : holds_q;
  `RW_FF(holds_q, holds_d, '0)
  `RW_FF(held_q, held_d, '0)
  `RW_FF(hold_q, start_i ? '0 : move_begins ? next(hold_q) : hold_q, '0)
  `RW_FF(free_q, start_i ? '0 : move_done_i ? next(free_q) : free_q, '0)

  // ---- The end.
  logic fetch_stopped;
  always_comb begin
    found = ErrorNone;
    if (command_valid_q) found = check_error;
    if (all_taken & open_q) found = ErrorList;
    if (run_done_i & run_illegal_i) found = ErrorIllegal;
    if (violation_i) found = ErrorHeld;
    if (port_error_i.write) found = ErrorWrite;
    if (port_error_i.read) found = ErrorRead;
    if (port_error_i.timeout) found = ErrorTimeout;
    error_d  = error_q;
    number_d = number_q;
    if (busy_q & ~failed & (found != ErrorNone)) begin
      error_d  = found;
      number_d = taken_q - CountWidth'(1);
    end
    if (start_i) begin
      error_d  = ErrorNone;
      number_d = '0;
    end
  end
  assign dead_d   = dead_q | (busy_q & port_error_i.timeout);
  assign over     = failed ? ~run_busy_i & fetch_stopped & ~move_head_valid & ~run_head_valid :
                             all_taken & drained & (error_d == ErrorNone);
  assign done_o   = busy_q & over;
  assign busy_d   = start_i | (busy_q & ~done_o);
  assign cycles_d = start_i ? '0 : cycles_q + 32'(busy_q);
  assign fetch_stopped = dead_q | (fetch_empty & port_idle_i);
  `RW_FF(error_q, error_d, ErrorNone)
  `RW_FF(number_q, number_d, '0)
  `RW_FF(dead_q, dead_d, 1'b0)
  `RW_FF(busy_q, busy_d, 1'b0)
  `RW_FF(cycles_q, cycles_d, '0)
  assign busy_o          = busy_q;
  assign dead_o          = dead_q;
  assign error_o         = error_q;
  assign error_command_o = number_q;
  assign cycles_o        = cycles_q;

  logic unused;
  assign unused = &{unused_moves, unused_runs, run_head};

  `RW_REQUIRE(rpu_commands_sizes, QueueDepth >= 1 && Holds >= 2)
  `RW_ASSERT(rpu_commands_start, !(start_i && (busy_q || dead_q)))
  `RW_ASSERT(rpu_commands_held, !move_done_i || held_q != '0)
endmodule
