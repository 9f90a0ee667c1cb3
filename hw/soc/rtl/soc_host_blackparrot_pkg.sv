/// What BlackParrot has of its own.
package soc_host_pkg;
  /* verilator lint_off UNUSEDPARAM */

  /// Of its memory port.
  localparam int unsigned BeatBytes       = 64;
  /// Whether it has a port through whose caches others can reach memory.
  localparam bit          HasCoherentPort = 1'b0;
  /// The writable memory again, past the caches, for what the accelerator writes behind them.
  localparam logic [31:0] AliasBase       = 32'h6000_0000;
  /// Code, tables and the public key; the core begins here.
  localparam logic [31:0] ReadOnlyBase    = 32'h7000_0000;

  /* verilator lint_on UNUSEDPARAM */
endpackage
