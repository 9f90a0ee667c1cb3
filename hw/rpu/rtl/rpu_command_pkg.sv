// Generated from spec/rpu/commands.toml; `cargo run -p ringwright-target-rpu --example
// generate_isa` makes it again.

/// Commands of the device as they lie in off-chip memory, and what the error register says.
package rpu_command_pkg;
  // Each module uses its part of a package.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned CommandBytes  = 32;
  localparam int unsigned CommandWidth  = 256;
  localparam int unsigned ListAlignment = 256;
  localparam int unsigned AddressWidth  = 40;

  typedef enum logic [3:0] {
    CommandRun = 4'd1,
    CommandLoadInstructions = 4'd2,
    CommandLoadScalars = 4'd3,
    CommandLoadVectors = 4'd4,
    CommandStoreVectors = 4'd5
  } kind_e;

  typedef enum logic [3:0] {
    ErrorNone = 4'd0,
    ErrorKind = 4'd1,
    ErrorReserved = 4'd2,
    ErrorPlace = 4'd3,
    ErrorAddress = 4'd4,
    ErrorAfter = 4'd5,
    ErrorList = 4'd6,
    ErrorRead = 4'd7,
    ErrorWrite = 4'd8,
    ErrorTimeout = 4'd9,
    ErrorIllegal = 4'd10,
    ErrorHeld = 4'd11
  } error_e;

  typedef struct packed {
    logic [63:0] reserved_192;
    logic [31:0] count;
    logic [31:0] place;
    logic [23:0] reserved_104;
    logic [39:0] address;
    logic [31:0] after;
    logic [24:0] reserved_7;
    logic [0:0] narrow;
    logic [0:0] more;
    logic [0:0] barrier;
    logic [3:0] kind;
  } command_t;

  /// The bits that a kind has; none for what is no kind.
  function automatic logic [CommandWidth-1:0] bits_of(logic [3:0] kind);
    unique case (kind)
      CommandRun: return 256'h00000000_00000000_ffffffff_ffffffff_00000000_00000000_ffffffff_0000001f;
      CommandLoadInstructions: return 256'h00000000_00000000_ffffffff_ffffffff_000000ff_ffffffff_ffffffff_0000003f;
      CommandLoadScalars: return 256'h00000000_00000000_ffffffff_ffffffff_000000ff_ffffffff_ffffffff_0000003f;
      CommandLoadVectors: return 256'h00000000_00000000_ffffffff_ffffffff_000000ff_ffffffff_ffffffff_0000007f;
      CommandStoreVectors: return 256'h00000000_00000000_ffffffff_ffffffff_000000ff_ffffffff_ffffffff_0000007f;
      default: return '0;
    endcase
  endfunction

  /* verilator lint_on UNUSEDPARAM */
endpackage
