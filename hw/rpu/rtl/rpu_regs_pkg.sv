// The Ring Processing Unit: registers.
// Made by scripts/registers.py from spec/rpu/regs.toml.

package rpu_regs_pkg;

  // Starts the program that `first` and `count` describe, as soon as the data port has finished its
  // burst. While a program or a list runs, or where the program would leave the instruction memory,
  // nothing starts and `refused` is set.
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
    logic silent;
    logic failed;
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
    logic [3:0] log_port_bytes;
    logic [7:0] word_bits;
    logic [3:0] log_vector_length;
    logic [3:0] log_banks;
    logic [3:0] log_hples;
  } machine_t;

  // Where the list of commands lies.
  typedef struct packed {
    logic [31:0] address;
  } list_t;

  // Starts the list at `list`. While a program or a list runs, or after memory has fallen silent,
  // nothing starts and `refused` is set.
  typedef struct packed {
    logic [23:0] commands;
  } doorbell_t;

  // Why the last list was given up.
  typedef struct packed {
    logic [23:0] command;
    logic [3:0] code;
  } error_t;

  // How long the last list took.
  typedef struct packed {
    logic [31:0] cycles;
  } list_cycles_t;

  // What the host has written.
  typedef struct packed {
    control_t control;
    first_t first;
    count_t count;
    list_t list;
    doorbell_t doorbell;
  } written_t;

  // What the host reads.
  typedef struct packed {
    status_t status;
    cycles_t cycles;
    machine_t machine;
    error_t error;
    list_cycles_t list_cycles;
  } read_t;
endpackage
