`include "assertions.svh"
`include "registers.svh"

/// Takes whole beats of a port to one of eight bytes: each beat is several there, the lowest bytes first.
///
/// Bursts keep their first address, and are longer. Timing: a part passes at once; a beat that is read does with
/// its last one.
module soc_narrower
  import soc_pkg::*;
#(
    /// Of a beat that becomes several: a power of two, at most 128.
    parameter int unsigned WideBytes = 64
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   ar_valid_i,
    output logic                   ar_ready_o,
    input  logic [63:0]            ar_addr_i,
    input  logic [7:0]             ar_len_i,
    input  logic [2:0]             ar_size_i,
    output logic                   r_valid_o,
    input  logic                   r_ready_i,
    output logic [8*WideBytes-1:0] r_data_o,
    output logic [1:0]             r_resp_o,
    output logic                   r_last_o,
    input  logic                   aw_valid_i,
    output logic                   aw_ready_o,
    input  logic [63:0]            aw_addr_i,
    input  logic [7:0]             aw_len_i,
    input  logic [2:0]             aw_size_i,
    input  logic                   w_valid_i,
    output logic                   w_ready_o,
    input  logic [8*WideBytes-1:0] w_data_i,
    input  logic [WideBytes-1:0]   w_strb_i,
    input  logic                   w_last_i,
    output logic                   b_valid_o,
    input  logic                   b_ready_i,
    output logic [1:0]             b_resp_o,
    output narrow_request_t        port_o,
    input  narrow_answer_t         port_i
);
  localparam int unsigned Bytes = 8;
  localparam int unsigned Parts = WideBytes / Bytes;
  localparam int unsigned PartWidth = $clog2(Parts);
  localparam logic [PartWidth-1:0] LastPart = PartWidth'(Parts - 1);

  // ---- A beat's parts as they are read, and whether one of those before failed.
  logic [PartWidth-1:0] read_q, written_q;
  logic [Parts-1:0][8*Bytes-1:0] parts, parts_q;
  logic [1:0] response_q;
  logic is_whole, is_read, is_sent;
  assign is_whole  = read_q == LastPart;
  assign is_read   = port_i.r_valid & port_o.r_ready;
  assign r_valid_o = port_i.r_valid & is_whole;
  assign r_data_o  = parts;
  assign r_resp_o  = response_q | port_i.r_resp;
  assign r_last_o  = port_i.r_last;
  `RW_FFL(read_q, read_q + 1'b1, is_read, '0)
  `RW_FFL(response_q, is_whole ? '0 : r_resp_o, is_read, '0)
  `RW_FFLNR(parts_q, parts, is_read)
  always_comb begin
    parts         = parts_q;
    parts[read_q] = port_i.r_data;
  end

  // ---- And as they are written.
  assign is_sent = written_q == LastPart;
  `RW_FFL(written_q, written_q + 1'b1, w_valid_i & port_i.w_ready, '0)
  logic [Parts-1:0][8*Bytes-1:0] words;
  logic [Parts-1:0][Bytes-1:0] strobes;
  assign words     = w_data_i;
  assign strobes   = w_strb_i;
  assign w_ready_o = port_i.w_ready & is_sent;

  always_comb begin
    port_o          = '0;
    port_o.ar_valid = ar_valid_i;
    port_o.ar_addr  = ar_addr_i;
    port_o.ar_len   = narrow_length(ar_len_i);
    port_o.ar_size  = 3'($clog2(Bytes));
    port_o.r_ready  = !is_whole | r_ready_i;
    port_o.aw_valid = aw_valid_i;
    port_o.aw_addr  = aw_addr_i;
    port_o.aw_len   = narrow_length(aw_len_i);
    port_o.aw_size  = 3'($clog2(Bytes));
    port_o.w_valid  = w_valid_i;
    port_o.w_data   = words[written_q];
    port_o.w_strb   = strobes[written_q];
    port_o.w_last   = w_last_i & is_sent;
    port_o.b_ready  = b_ready_i;
  end
  assign ar_ready_o = port_i.ar_ready;
  assign aw_ready_o = port_i.aw_ready;
  assign b_valid_o  = port_i.b_valid;
  assign b_resp_o   = port_i.b_resp;

  // Its bursts have no identifiers.
  logic unused;
  assign unused = &{port_i.r_id, port_i.b_id};

  /// Beats less one, of a burst whose beats become `Parts`.
  function automatic narrow_length_t narrow_length(logic [7:0] length);
    return narrow_length_t'((32'(length) + 32'd1) * Parts - 32'd1);
  endfunction

  `RW_REQUIRE(soc_narrower_width, WideBytes > Bytes && WideBytes <= 128 && $onehot(WideBytes))
  localparam logic [2:0] WideSize = 3'($clog2(WideBytes));
  `RW_ASSERT(soc_narrower_read, !ar_valid_i || ar_size_i == WideSize)
  `RW_ASSERT(soc_narrower_write, !aw_valid_i || aw_size_i == WideSize)
endmodule
