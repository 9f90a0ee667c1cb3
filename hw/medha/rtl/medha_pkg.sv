/// What the units of an RPAU are told.
package medha_pkg;
  // Each module uses its part of a package.
  /* verilator lint_off UNUSEDPARAM */
  /// What the dyadic core computes of each word; a, b and c are its operands, s a constant.
  typedef enum logic [3:0] {
    Zero            = 4'd0,
    Add             = 4'd1,
    Sub             = 4'd2,
    Neg             = 4'd3,
    Mul             = 4'd4,
    MulAdd          = 4'd5,
    MulScalar       = 4'd6,
    AddScalar       = 4'd7,
    AddMulScalar    = 4'd8,
    SubMulScalar    = 4'd9,
    SubMulScalarAdd = 4'd10,
    Reduce          = 4'd11,
    Centre          = 4'd12
  } function_t;

  /// Which stages of a transform.
  typedef enum logic [1:0] {
    StagesAll   = 2'd0,
    StagesFirst = 2'd1,
    StagesRest  = 2'd2
  } stages_e;

  /// Memories of an RPAU: four, the virtual one on what three of them leave over, and the one behind
  /// the ring.
  localparam int unsigned Memories = 4;
  localparam int unsigned Virtual  = 4;
  localparam int unsigned Landing  = 5;
  /// Ports of memories: the four, and the one behind the ring.
  localparam int unsigned Ports = 6;

  /// What an operation holds while it runs.
  typedef struct packed {
    logic       valid;
    logic [2:0] bank;
    logic [4:0] number;
  } held_t;

  /// Which operands a dyadic operation reads.
  function automatic logic reads_a(medha_isa_pkg::opcode_e opcode);
    return opcode != medha_isa_pkg::OpZero;
  endfunction
  function automatic logic reads_b(medha_isa_pkg::opcode_e opcode);
    import medha_isa_pkg::*;
    return opcode inside {OpAdd, OpSub, OpMul, OpMuladd, OpAddmuls, OpSubmuls, OpSubmulsadd};
  endfunction
  function automatic logic reads_c(medha_isa_pkg::opcode_e opcode);
    return opcode inside {medha_isa_pkg::OpMuladd, medha_isa_pkg::OpSubmulsadd};
  endfunction

  /// What is wrong with a microinstruction that would begin; `WrongArrival` is a tower of the ring that
  /// nobody expects.
  typedef enum logic [2:0] {
    WrongNone       = 3'd0,
    WrongNotWritten = 3'd1,
    WrongInUse      = 3'd2,
    WrongPort       = 3'd3,
    WrongArrival    = 3'd4
  } wrong_e;

  // A slot's number says nothing of ports.
  /* verilator lint_off UNUSEDSIGNAL */

  /// The memories whose ports an access takes.
  function automatic logic [Ports-1:0] ports_of(held_t held);
    if (!held.valid) return '0;
    if (held.bank == 3'(Virtual)) return Ports'(6'b001110);
    return Ports'(1) << held.bank;
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_on UNUSEDPARAM */
endpackage
