/// What Rocket has of its own.
package soc_host_pkg;
  /* verilator lint_off UNUSEDPARAM */

  /// Of its memory port.
  localparam int unsigned BeatBytes       = 8;
  /// Whether it has a port through whose caches others can reach memory.
  localparam bit          HasCoherentPort = 1'b1;
  /// Its own interrupt controller.
  localparam logic [31:0] PlicBase        = 32'h0c00_0000;
  /// Where the core begins: an instruction that goes to `ReadOnlyBase`.
  localparam logic [31:0] BootBase        = 32'h1000_0000;
  /// Code, tables and the public key, where caches reach them.
  localparam logic [31:0] ReadOnlyBase    = 32'hc000_0000;

  /* verilator lint_on UNUSEDPARAM */
endpackage
