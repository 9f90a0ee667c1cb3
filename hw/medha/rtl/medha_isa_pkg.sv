// Made by scripts/microcode.py from spec/medha/isa.toml.

/// Microinstructions: opcodes, and both words as types.
package medha_isa_pkg;
  // Each module uses its part of a package.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned InstructionWidth = 128;
  localparam int unsigned Waits            = 3;
  localparam int unsigned UnitWidth        = 6;
  localparam int unsigned CountWidth       = 15;
  // Units that can be waited for: lane l is l; NTT core, dyadic core and link of RPAU r
  // are MostLanes + 3 r and on.
  localparam int unsigned Units            = 64;
  localparam int unsigned MostLanes        = 4;
  localparam int unsigned MostSlots        = 32;
  // Kernels whose entries a stream knows.
  localparam int unsigned Kernels          = 32;

  typedef enum logic [4:0] {
    // The end of a stream.
    OpStop              = 5'd0,
    // Only waits: for those that wait for more than three.
    OpWait              = 5'd1,
    // Coefficients to evaluations, in place.
    OpNtt               = 5'd2,
    // The first stage of it, from one memory into another.
    OpNttFirst          = 5'd3,
    // All other stages, in place.
    OpNttRest           = 5'd4,
    // Evaluations to coefficients, in place.
    OpIntt              = 5'd5,
    // The first stage of it, from one memory into another.
    OpInttFirst         = 5'd6,
    // All other stages, in place.
    OpInttRest          = 5'd7,
    // 0.
    OpZero              = 5'd8,
    // a + b.
    OpAdd               = 5'd9,
    // a - b.
    OpSub               = 5'd10,
    // -a.
    OpNeg               = 5'd11,
    // a b.
    OpMul               = 5'd12,
    // a b + c.
    OpMuladd            = 5'd13,
    // a times a constant.
    OpMuls              = 5'd14,
    // a plus a constant.
    OpAdds              = 5'd15,
    // a + b times a constant.
    OpAddmuls           = 5'd16,
    // (a - b) times a constant.
    OpSubmuls           = 5'd17,
    // (a - b) times a constant, + c.
    OpSubmulsadd        = 5'd18,
    // a modulo the RPAU's prime.
    OpReduce            = 5'd19,
    // a, an integer around 0 modulo another prime, modulo this one: the constant is that prime modulo this one, and its half.
    OpCentre            = 5'd20,
    // X becomes X to the power that is the constant, on coefficients.
    OpAutomorphismCoeff = 5'd21,
    // The same on evaluations; the constant is the inverse of the power modulo 2N.
    OpAutomorphismEval  = 5'd22,
    // A tower onto the ring; the cycles are those of all links that it passes.
    OpSend              = 5'd23,
    // What to do with the next tower of the link before: flag 0 puts it behind the ring, flag 1 lets it pass.
    OpReceive           = 5'd24,
    // Memory to RPAU.
    OpLoad              = 5'd25,
    // RPAU to memory.
    OpStore             = 5'd26
  } opcode_e;

  // Where a tower is in an RPAU: a slot of a memory, or the one that the table names.
  typedef struct packed {
    logic       argument;
    logic [2:0] bank;
    logic [7:0] number;
  } slot_t;

  // The first word.
  typedef struct packed {
    opcode_e opcode;
    logic [10:0] immediate;  // The number of a constant, cycles of a way, or flags.
    slot_t d;  // Where the result goes.
    slot_t a;  // First operand.
    slot_t b;  // Second operand.
    slot_t c;  // Third operand, or where a tower is in memory.
  } micro_t;

  // What must have ended: so many of a unit's.
  typedef struct packed {
    logic [UnitWidth-1:0]  unit;
    logic [CountWidth-1:0] count;
  } wait_t;

  // What the host's list tells the device.
  typedef enum logic [3:0] {
    // Entries of a table follow.
    CommandTable = 4'd1,
    // From now on towers have 2^address words.
    CommandDegree = 4'd2,
    // Runs a kernel to its end.
    CommandRun = 4'd3
  } command_e;

  // Tables of an RPAU; a lane has the first three.
  typedef enum logic [2:0] {
    // Microinstructions of a stream; of an RPAU, bits 23 to 20 of the address are which: NTT core, dyadic core, link, what the ring brings.
    TableCode = 3'd0,
    // Where each kernel begins; of an RPAU by stream, as its code.
    TableEntries = 3'd1,
    // Slots of operands and results; of a lane their byte addresses, behind those of the kernel's own towers.
    TableArguments = 3'd2,
    // A constant, and above it its half where it is a prime.
    TableConstants = 3'd3,
    // The prime, its reciprocals for residues and for words of the ring, its shift.
    TableModulus = 3'd4,
    // Factors of transforms; those of the inverse behind 2^log2(max_degree) entries.
    TableFactors = 3'd5
  } table_e;

  // The first word of a command.
  typedef struct packed {
    logic [23:0] count;  // Entries, a beat each.
    logic [23:0] address;  // The first entry; log2 of the degree; the kernel.
    logic [3:0] unused11;
    table_e which;  // Which of its tables.
    logic [4:0] unit;  // An RPAU, or 16 and a lane.
    command_e kind;  // Which command.
  } command_t;

  // Both words.
  typedef struct packed {
    micro_t            micro;
    logic              unused;
    wait_t [Waits-1:0] waits;
  } instruction_t;

  /* verilator lint_on UNUSEDPARAM */
endpackage
