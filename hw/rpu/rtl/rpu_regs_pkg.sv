// The Ring Processing Unit: registers.
// Made by scripts/registers.py from spec/rpu/regs.toml.

package rpu_regs_pkg;

  // Starts the program that `first` and `count` describe, as soon as the data port has finished its
  // burst. While a program runs, or where the program would leave the instruction memory, nothing
  // starts and `refused` is set.
  typedef struct packed {
    logic start;
  } control_t;

  // Where the program lies.
  typedef struct packed {
    logic [15:0] instruction;
  } first_t;

  // How long the program is.
  typedef struct packed {
    logic [16:0] instructions;
  } count_t;

  // What happened. Reading takes the interrupt and clears `refused`.
  typedef struct packed {
    logic refused;
    logic illegal;
    logic done;
    logic busy;
  } status_t;

  // How long the last program took.
  typedef struct packed {
    logic [31:0] cycles;
  } cycles_t;

  // What was built.
  typedef struct packed {
    logic [7:0] word_bits;
    logic [3:0] log_vector_length;
    logic [3:0] log_banks;
    logic [3:0] log_hples;
  } machine_t;

  // What the host has written.
  typedef struct packed {
    control_t control;
    first_t first;
    count_t count;
  } written_t;

  // What the host reads.
  typedef struct packed {
    status_t status;
    cycles_t cycles;
    machine_t machine;
  } read_t;
endpackage
