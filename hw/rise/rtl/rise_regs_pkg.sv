// The edge accelerator of RACE and RISE: registers.
// Made by scripts/registers.py from spec/rise/regs.toml.

package rise_regs_pkg;
  typedef enum logic [2:0] {
    RequestHalfEncryption = 3'd1,
    RequestDecryption = 3'd2,
    RequestForward = 3'd3,
    RequestInverse = 3'd4
  } request_e;
  typedef enum logic [1:0] {
    Draw0None = 2'd0,
    Draw0Ternary = 2'd1,
    Draw0Binomial = 2'd2
  } draw_0_e;

  // Starts a call with what the other registers of a call hold now. Where the queue of calls is
  // full or the machine lacks the request, the call is dropped and `refused` is set.
  typedef struct packed {
    logic [2:0] request;
  } control_t;

  // What happened. Reading takes one interrupt and clears the errors.
  typedef struct packed {
    logic bus_error;
    logic refused;
    logic [1:0] finished;
    logic full;
    logic busy;
  } status_t;

  // What was built.
  typedef struct packed {
    logic [7:0] log_n_max;
    logic [7:0] word_bits;
    logic transforms_only;
    logic samplers;
    logic [1:0] queued_calls;
    logic [3:0] log_bfus;
  } machine_t;

  // The ring degree. It must rest while the machine is busy.
  typedef struct packed {
    logic [4:0] log_n;
  } log_n_t;

  // Where addresses of calls count from: low and high half of a byte address.
  typedef struct packed {
    logic [31:0] address;
  } base_t;

  // Byte offset of the prime's constants: q, its reciprocal, 1/N, psi^-1/N, then psi^(2^k) and
  // psi^-(2^k) in turn.
  typedef struct packed {
    logic [31:0] offset;
  } constants_t;

  // Byte offset of the polynomial transformed or multiplied in BG0 (u, or c1).
  typedef struct packed {
    logic [31:0] offset;
  } source_0_t;

  // Byte offset of the polynomial multiplied in BG1 (a part of the public key, or s).
  typedef struct packed {
    logic [31:0] offset;
  } source_1_t;

  // Byte offset of the polynomial added (m, m with its error, or c0).
  typedef struct packed {
    logic [31:0] offset;
  } source_2_t;

  // Byte offset of the result.
  typedef struct packed {
    logic [31:0] offset;
  } destination_t;

  // What is drawn into sources 0 and 2 instead of loading them, or to be added to them.
  typedef struct packed {
    logic [5:0] tail_2;
    logic [1:0] blocks_2;
    logic add_2;
    logic [1:0] draw_2;
    logic [5:0] tail_0;
    logic [1:0] blocks_0;
    logic add_0;
    logic [1:0] draw_0;
  } sample_t;

  // The 32 secret bytes that every message begins with, low word first. Fresh for every encryption.
  typedef struct packed {
    logic [31:0] word;
  } seed_t;

  // What the host has written.
  typedef struct packed {
    control_t control;
    log_n_t log_n;
    base_t [1:0] base;
    constants_t constants;
    source_0_t source_0;
    source_1_t source_1;
    source_2_t source_2;
    destination_t destination;
    sample_t sample;
    seed_t [7:0] seed;
  } written_t;

  // What the host reads.
  typedef struct packed {
    status_t status;
    machine_t machine;
  } read_t;
endpackage
