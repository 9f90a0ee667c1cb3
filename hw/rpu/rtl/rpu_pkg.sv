/// What the RPU, its host and its moves share.
package rpu_pkg;
  // Each module uses its part of a package.
  /* verilator lint_off UNUSEDPARAM */

  /// The memories that a host, or a move, can reach.
  typedef enum logic [1:0] {
    MemoryInstruction = 2'd0,
    MemoryScalar      = 2'd1,
    MemoryVector      = 2'd2
  } memory_e;

  /// Words between off-chip memory and one of these.
  typedef struct packed {
    /// Out of the memory, which is that of vectors; else into it.
    logic                                     store;
    memory_e                                  memory;
    /// Words take half of their width off chip.
    logic                                     narrow;
    /// The last of its list.
    logic                                     last;
    /// Of the first byte off chip, a multiple of the port's width.
    logic [rpu_command_pkg::AddressWidth-1:0] address;
    /// First word in the memory, and how many words.
    logic [31:0]                              place;
    logic [31:0]                              count;
  } move_t;

  /// What the port asks off-chip memory for at once. Beats hold words one behind the other.
  typedef struct packed {
    /// Commands; the rest but address and length then says nothing.
    logic                                     fetch;
    logic                                     store;
    memory_e                                  memory;
    logic                                     narrow;
    logic [rpu_command_pkg::AddressWidth-1:0] address;
    /// Beats less one.
    logic [7:0]                               length;
    /// Of the first beat in the memory; words of this burst.
    logic [31:0]                              place;
    logic [31:0]                              count;
    /// The last burst of its move; of its list.
    logic                                     move_ends;
    logic                                     list_ends;
  } burst_t;

  /// What went wrong at the port.
  typedef struct packed {
    logic read;
    logic write;
    logic timeout;
  } port_error_t;

  /// Words of a memory, first to last, that nobody but a move touches.
  typedef struct packed {
    logic        valid;
    memory_e     memory;
    logic [31:0] first;
    logic [31:0] last;
  } hold_t;

  /* verilator lint_on UNUSEDPARAM */
endpackage
