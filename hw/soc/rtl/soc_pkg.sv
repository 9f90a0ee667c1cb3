/// Where things lie in the address space of a host.
package soc_pkg;
  /* verilator lint_off UNUSEDPARAM */

  /// Registers and devices: neither cached nor reordered.
  localparam logic [31:0] DeviceBase      = 32'h5000_0000;
  /// The accelerator's registers.
  localparam logic [31:0] AcceleratorBase = DeviceBase;
  /// Console, marks, the modem, the exit (`soc_devices`).
  localparam logic [31:0] DevicesBase     = 32'h5100_0000;
  /// The writable memory again, past the caches, for what the accelerator writes behind them.
  localparam logic [31:0] AliasBase       = 32'h6000_0000;
  /// Code, tables and the public key; a host begins here.
  localparam logic [31:0] ReadOnlyBase    = 32'h7000_0000;
  /// Writable memory.
  localparam logic [31:0] MemoryBase      = 32'h8000_0000;

  /* verilator lint_on UNUSEDPARAM */
endpackage
