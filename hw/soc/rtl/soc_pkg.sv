/// Where things lie in the address space of every host; `soc_host_pkg` says what is a host's own.
package soc_pkg;
  /* verilator lint_off UNUSEDPARAM */

  /// Registers and devices: neither cached nor reordered.
  localparam logic [31:0] DeviceBase      = 32'h5000_0000;
  /// The accelerator's registers.
  localparam logic [31:0] AcceleratorBase = DeviceBase;
  /// Console, marks, the modem, the exit (`soc_devices`).
  localparam logic [31:0] DevicesBase     = 32'h5100_0000;
  /// Where they end.
  localparam logic [31:0] DeviceEnd       = 32'h6000_0000;
  /// Writable memory.
  localparam logic [31:0] MemoryBase      = 32'h8000_0000;
  /// A part of it that an accelerator has for itself: what it calls address 0.
  localparam logic [31:0] WindowBase      = 32'h8100_0000;

  /* verilator lint_on UNUSEDPARAM */

  /// Beats less one of a burst, which has more than AXI4's 256 where it is cut into lines on its way.
  typedef logic [11:0] narrow_length_t;

  /// What a port of eight bytes is asked, AXI4. Transfers of one identifier are answered in order.
  typedef struct packed {
    logic           ar_valid;
    logic           ar_id;
    logic [63:0]    ar_addr;
    narrow_length_t ar_len;
    logic [2:0]     ar_size;
    logic           r_ready;
    logic           aw_valid;
    logic           aw_id;
    logic [63:0]    aw_addr;
    narrow_length_t aw_len;
    logic [2:0]     aw_size;
    logic           w_valid;
    logic [63:0]    w_data;
    logic [7:0]     w_strb;
    logic           w_last;
    logic           b_ready;
  } narrow_request_t;

  /// What it answers.
  typedef struct packed {
    logic           ar_ready;
    logic           r_valid;
    logic           r_id;
    logic [63:0]    r_data;
    logic [1:0]     r_resp;
    logic           r_last;
    logic           aw_ready;
    logic           w_ready;
    logic           b_valid;
    logic           b_id;
    logic [1:0]     b_resp;
  } narrow_answer_t;
endpackage
