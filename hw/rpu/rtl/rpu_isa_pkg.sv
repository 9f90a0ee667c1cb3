// Generated from spec/rpu/isa.toml; `cargo run -p ringwright-target-rpu --example generate_isa`
// makes it again.

/// B512: operands, classes and modes as types, and the pattern of each instruction.
package rpu_isa_pkg;
  // Each module uses its part of a package.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned InstructionWidth = 64;
  localparam int unsigned NumRegisters     = 64;
  localparam int unsigned RegisterWidth    = $clog2(NumRegisters);
  localparam int unsigned AddressWidth     = 20;
  localparam int unsigned ValueWidth       = 5;

  /// The queue and pipe.
  typedef enum logic [1:0] {
    ClassLoadStore = 2'd0,
    ClassCompute   = 2'd1,
    ClassShuffle   = 2'd2
  } class_e;

  /// Addressing modes.
  typedef enum logic [1:0] {
    ModeLinear     = 2'd0,
    ModeStrided    = 2'd1,
    ModeStridedSkip = 2'd2,
    ModeRepeated   = 2'd3
  } mode_e;

  /// Instructions.
  typedef enum logic [4:0] {
    OpVload        = 5'd0,
    OpVstore       = 5'd1,
    OpSload        = 5'd2,
    OpMload        = 5'd3,
    OpAload        = 5'd4,
    OpVadd         = 5'd5,
    OpVsub         = 5'd6,
    OpVmul         = 5'd7,
    OpBfly         = 5'd8,
    OpVadds        = 5'd9,
    OpVsubs        = 5'd10,
    OpVmuls        = 5'd11,
    OpVbcast       = 5'd12,
    OpUnpklo       = 5'd13,
    OpUnpkhi       = 5'd14,
    OpPklo         = 5'd15,
    OpPkhi         = 5'd16
  } op_e;

  /// An instruction as the front end sees it. `address` is also the OFFSET of a vector load or store.
  typedef struct packed {
    op_e                      op;
    class_e                   class_id;
    logic [RegisterWidth-1:0] vd;
    logic [RegisterWidth-1:0] vd1;
    logic [RegisterWidth-1:0] vs;
    logic [RegisterWidth-1:0] vt;
    logic [RegisterWidth-1:0] vt1;
    logic [RegisterWidth-1:0] rt;
    logic [RegisterWidth-1:0] rm;
    logic [AddressWidth-1:0]  address;
    mode_e                    mode;
    logic [ValueWidth-1:0]    value;
    logic                     gentleman_sande;
    logic                     writes_vd;
    logic                     writes_vd1;
    logic                     reads_vs;
    logic                     reads_vt;
    logic                     reads_vt1;
    logic                     reads_scalar;
    logic                     reads_modulus;
    logic                     reads_address;
    logic                     writes_scalar;
    logic                     writes_modulus;
    logic                     writes_address;
  } decoded_t;

  localparam logic [InstructionWidth-1:0] VloadMask    = 64'hfffff0000003c800;
  localparam logic [InstructionWidth-1:0] VloadPattern = 64'h0000100000000000;
  localparam logic [InstructionWidth-1:0] VstoreMask    = 64'hfffff0000003c800;
  localparam logic [InstructionWidth-1:0] VstorePattern = 64'h0000200000000000;
  localparam logic [InstructionWidth-1:0] SloadMask    = 64'hfffff00000fff03f;
  localparam logic [InstructionWidth-1:0] SloadPattern = 64'h0000300000000000;
  localparam logic [InstructionWidth-1:0] MloadMask    = 64'hfffff00000fff03f;
  localparam logic [InstructionWidth-1:0] MloadPattern = 64'h0000300000001000;
  localparam logic [InstructionWidth-1:0] AloadMask    = 64'hfffff00000fff03f;
  localparam logic [InstructionWidth-1:0] AloadPattern = 64'h0000300000002000;
  localparam logic [InstructionWidth-1:0] VaddMask    = 64'hffffffffff000000;
  localparam logic [InstructionWidth-1:0] VaddPattern = 64'h0000400000000000;
  localparam logic [InstructionWidth-1:0] VsubMask    = 64'hffffffffff000000;
  localparam logic [InstructionWidth-1:0] VsubPattern = 64'h0000500000000000;
  localparam logic [InstructionWidth-1:0] VmulMask    = 64'hffffffffff000000;
  localparam logic [InstructionWidth-1:0] VmulPattern = 64'h0000600000000000;
  localparam logic [InstructionWidth-1:0] BflyMask    = 64'hc001ffffff000000;
  localparam logic [InstructionWidth-1:0] BflyPattern = 64'h0001600000000000;
  localparam logic [InstructionWidth-1:0] VaddsMask    = 64'hffffffffff000000;
  localparam logic [InstructionWidth-1:0] VaddsPattern = 64'h0000700000000000;
  localparam logic [InstructionWidth-1:0] VsubsMask    = 64'hffffffffff000000;
  localparam logic [InstructionWidth-1:0] VsubsPattern = 64'h0000800000000000;
  localparam logic [InstructionWidth-1:0] VmulsMask    = 64'hffffffffff000000;
  localparam logic [InstructionWidth-1:0] VmulsPattern = 64'h0000900000000000;
  localparam logic [InstructionWidth-1:0] VbcastMask    = 64'hffffffffff03f03f;
  localparam logic [InstructionWidth-1:0] VbcastPattern = 64'h0000a00000000000;
  localparam logic [InstructionWidth-1:0] UnpkloMask    = 64'hffffffffff00003f;
  localparam logic [InstructionWidth-1:0] UnpkloPattern = 64'h0000b00000000000;
  localparam logic [InstructionWidth-1:0] UnpkhiMask    = 64'hffffffffff00003f;
  localparam logic [InstructionWidth-1:0] UnpkhiPattern = 64'h0000c00000000000;
  localparam logic [InstructionWidth-1:0] PkloMask    = 64'hffffffffff00003f;
  localparam logic [InstructionWidth-1:0] PkloPattern = 64'h0000d00000000000;
  localparam logic [InstructionWidth-1:0] PkhiMask    = 64'hffffffffff00003f;
  localparam logic [InstructionWidth-1:0] PkhiPattern = 64'h0000e00000000000;

  /* verilator lint_on UNUSEDPARAM */
endpackage
