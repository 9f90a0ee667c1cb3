`include "registers.svh"
`include "assertions.svh"

/// The computation controller: which instruction runs, and what enters the butterfly units in each
/// cycle.
///
/// Butterflies come first: they enter if their factors are there; else a product of the twiddle unit
/// enters if it can; else nothing does. A stage ends when its last results go to the banks, and the
/// next begins in the cycle after. Row addresses are a counter, rotated (`row`), the same for the
/// operands that leave and the results that come back, in the order of `crates/target-rise/src/shape.rs`.
///
/// Timing: an instruction starts in the cycle in which it is accepted, `done_o` is 1 in its last,
/// and the next one is accepted in the cycle after. Area: counters of log2 N bits, two rotators of a
/// row's bits.
module rise_control
  import rise_pkg::*;
#(
    parameter int unsigned Bfus      = 1,
    parameter int unsigned BankWords = 4096,
    localparam int unsigned LogP       = $clog2(Bfus),
    localparam int unsigned LogBanks   = LogP + 2,
    localparam int unsigned RowWidth   = $clog2(BankWords),
    localparam int unsigned LogNMax    = RowWidth + LogBanks,
    localparam int unsigned LogNWidth  = $clog2(LogNMax + 1),
    localparam int unsigned LevelWidth = (LogP > 0) ? LogP : 1
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,

    input  logic                  valid_i,
    output logic                  ready_o,
    input  op_e                   op_i,
    input  logic                  group_i,
    input  logic                  set_i,
    input  logic [LogNWidth-1:0]  log_n_i,
    output logic                  done_o,

    // The instruction of this cycle.
    output op_e                   op_o,
    output logic                  group_o,
    output logic                  set_o,
    output logic [LogNWidth-1:0]  log_n_o,

    // The twiddle unit.
    output logic                  start_o,
    input  logic                  has_i,
    input  logic                  wants_i,
    output logic                  factors_o,
    output logic                  retire_o,
    output logic [LevelWidth-1:0] spread_o,
    output logic [LevelWidth-1:0] upper_o,

    // What enters the butterfly units, and where the banks have it.
    output logic                  operands_o,
    output bfu_op_e               bfu_op_o,
    output logic [RowWidth-1:0]   read_row_o,
    output logic [1:0]            read_quarter_o,

    // Halves of rows, not quarters: butterflies, not a pass.
    output logic                  wide_o,
    // What goes to the banks, and where.
    input  logic                  written_i,
    output logic [RowWidth-1:0]   write_row_o,
    output logic [1:0]            write_quarter_o
);
  localparam int unsigned IssueWidth = RowWidth + 2;

  typedef logic [LogNWidth-1:0] log_n_t;
  typedef logic [IssueWidth-1:0] issue_t;
  typedef logic [RowWidth-1:0] row_t;
  typedef logic [LogNMax-1:0] stride_t;

  // ---- The instruction ------------------------------------------------------------------------

  typedef struct packed {
    op_e    op;
    logic   group;
    logic   set;
    log_n_t log_n;
  } instruction_t;

  instruction_t instruction, instruction_q;
  logic running_q, active, accepted;
  assign ready_o     = ~running_q;
  assign accepted    = valid_i & ready_o;
  assign active      = accepted | running_q;
  assign instruction = running_q ? instruction_q
                                 : '{op: op_i, group: group_i, set: set_i, log_n: log_n_i};
  `RW_FF(running_q, active & ~done_o, 1'b0)
  `RW_FFLNR(instruction_q, instruction, accepted)

  assign op_o    = instruction.op;
  assign group_o = instruction.group;
  assign set_o   = instruction.set;
  assign log_n_o = instruction.log_n;

  log_n_t stage_d, stage_q;
  logic transform, inverse, pass;
  assign transform = is_transform(instruction.op);
  assign inverse   = instruction.op == OpInverse;
  assign pass      = !transform || stage_q == instruction.log_n;
  assign wide_o    = ~pass;
  assign start_o   = accepted & transform;

  // ---- Stages -----------------------------------------------------------------------------------

  logic stage_ends, last_stage;
  assign last_stage = !transform || (inverse ? pass : stage_q + log_n_t'(1) == instruction.log_n);
  assign done_o     = stage_ends & last_stage;
  assign stage_d    = last_stage ? '0 : stage_q + log_n_t'(1);
  `RW_FFL(stage_q, stage_d, stage_ends, '0)

  // How far a stage rotates the counter of rows: stage mod log2 of the rows; a pass LogBanks mod it.
  log_n_t log_rows, rotation, rotation_d, rotation_q, pass_rotation;
  assign log_rows   = instruction.log_n - log_n_t'(LogBanks);
  assign rotation   = pass ? pass_rotation : rotation_q;
  assign rotation_d = (last_stage || rotation_q + log_n_t'(1) == log_rows)
                      ? '0 : rotation_q + log_n_t'(1);
  `RW_FFL(rotation_q, rotation_d, stage_ends, '0)
  always_comb begin
    pass_rotation = '0;
    for (int unsigned rows = 1; rows <= RowWidth; rows++) begin
      if (32'(log_rows) == rows) pass_rotation = log_n_t'(LogBanks % rows);
    end
  end

  // Butterflies that follow each other with one factor, 2^(L - 1 - stage); one in a pass.
  stride_t stride, stride_d, stride_q;
  assign stride   = running_q ? stride_q : stride_t'(1) << (instruction.log_n - log_n_t'(1));
  assign stride_d = (stage_ends && !stride[0]) ? stride >> 1 : stride;
  `RW_FFNR(stride_q, stride_d)

  // ---- Issues -----------------------------------------------------------------------------------

  // Halves or quarters of rows; and the mask of the issues that share a batch of factors.
  issue_t last_issue, batch_mask, issue_d, issue_q, written_d, written_q;
  logic   issued_d, issued_q;
  assign last_issue = ((issue_t'(4) << log_rows) - issue_t'(1)) >> wide_o;
  assign batch_mask = last_issue & issue_t'(stride - stride_t'(1));

  assign operands_o = active & ~issued_q & (has_i | ~transform);
  assign factors_o  = active & transform & ~operands_o & wants_i;
  assign retire_o   = operands_o & transform & ((issue_q & batch_mask) == batch_mask);
  assign stage_ends = written_i & (written_q == last_issue);
  always_comb begin
    issue_d   = issue_q + issue_t'(operands_o);
    issued_d  = issued_q | (operands_o & (issue_q == last_issue));
    written_d = written_q + issue_t'(written_i);
    if (stage_ends) begin
      issue_d   = '0;
      issued_d  = 1'b0;
      written_d = '0;
    end
  end
  `RW_FF(issue_q, issue_d, '0)
  `RW_FF(issued_q, issued_d, 1'b0)
  `RW_FF(written_q, written_d, '0)

  always_comb begin
    if (factors_o)       bfu_op_o = BfuScale;
    else if (!transform) bfu_op_o = pointwise(instruction.op);
    else                 bfu_op_o = pass ? BfuScale : BfuButterfly;
  end

  // Factor (issue P + lane) >> log2 stride of the batches: its upper bits, one for each level.
  for (genvar i = 0; i < LogP; i++) begin : gen_level
    assign spread_o[i] = (stride >> (i + 1)) != '0;
    assign upper_o[i]  = ((stride >> (i + 1)) & stride_t'(issue_q)) != '0;
  end
  if (LogP == 0) begin : gen_no_level
    assign spread_o = '0;
    assign upper_o  = '0;
  end

  // ---- Addresses --------------------------------------------------------------------------------

  function automatic row_t row(row_t counter, log_n_t by, log_n_t bits);
    return ((counter << by) | (counter >> (bits - by))) & ((row_t'(1) << bits) - row_t'(1));
  endfunction

  assign read_row_o      = row(row_t'(issue_q >> (wide_o ? 1 : 2)), rotation, log_rows);
  assign read_quarter_o  = wide_o ? {issue_q[0], 1'b0} : issue_q[1:0];
  assign write_row_o     = row(row_t'(written_q >> (wide_o ? 1 : 2)), rotation, log_rows);
  assign write_quarter_o = wide_o ? {written_q[0], 1'b0} : written_q[1:0];

  `RW_ASSERT(rise_control_log_n, !accepted || (32'(log_n_i) > LogBanks && stride != '0))
  `RW_ASSERT(rise_control_op, !accepted || op_i <= OpSubFrom1)
  `RW_ASSERT(rise_control_written, !written_i || active)
endmodule
