// Medha: registers.
// Made by scripts/registers.py from spec/medha/regs.toml.

package medha_regs_pkg;
  typedef enum logic [3:0] {
    CodeNotWritten = 4'd1,
    CodeInUse = 4'd2,
    CodePort = 4'd3,
    CodeArrival = 4'd4,
    CodeRead = 4'd5,
    CodeWrite = 4'd6,
    CodeCommand = 4'd7
  } code_e;

  // Where the list of commands lies.
  typedef struct packed {
    logic [31:0] address;
  } list_t;

  // Starts the list at `list`. While a list runs, nothing starts and `refused` is set.
  typedef struct packed {
    logic [31:0] beats;
  } doorbell_t;

  // What happened. Reading takes the interrupt and clears `refused`.
  typedef struct packed {
    logic failed;
    logic refused;
    logic done;
    logic busy;
  } status_t;

  // Why the last list was given up.
  typedef struct packed {
    logic [23:0] run;
    logic [3:0] rpau;
    logic [3:0] code;
  } error_t;

  // How long kernels ran.
  typedef struct packed {
    logic [31:0] cycles;
  } cycles_t;

  // What was built.
  typedef struct packed {
    logic [2:0] lanes;
    logic [4:0] log_max_degree;
    logic [2:0] log_butterflies;
    logic [4:0] rpaus;
  } machine_t;

  // What the host has written.
  typedef struct packed {
    list_t list;
    doorbell_t doorbell;
  } written_t;

  // What the host reads.
  typedef struct packed {
    status_t status;
    error_t error;
    cycles_t cycles;
    machine_t machine;
  } read_t;
endpackage
