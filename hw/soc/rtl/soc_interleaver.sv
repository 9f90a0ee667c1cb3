`include "assertions.svh"
`include "registers.svh"

/// Takes bursts to a port line by line, under two identifiers in turn (`soc_lines`), and answers them in their
/// order.
module soc_interleaver
  import soc_pkg::*;
(
    input  logic            clk_i,
    input  logic            rst_ni,
    input  narrow_request_t bursts_i,
    output narrow_answer_t  bursts_o,
    output narrow_request_t port_o,
    input  narrow_answer_t  port_i
);
  // Lines whose data have not been sent; a lane has no more on their way.
  localparam int unsigned Unsent = 4;
  localparam logic [2:0] Size = 3'd3;

  logic ar_valid, ar_ready, ar_id, r_valid, r_end, r_last;
  logic [63:0] ar_addr, r_data;
  narrow_length_t ar_len;
  logic [1:0] r_resp;
  soc_lines #(
      .Width(66),
      .Answers(8)
  ) i_reads (
      .clk_i,
      .rst_ni,
      .burst_valid_i(bursts_i.ar_valid),
      .burst_ready_o(ar_ready),
      .burst_addr_i(bursts_i.ar_addr),
      .burst_len_i(bursts_i.ar_len),
      .line_valid_o(ar_valid),
      .line_ready_i(port_i.ar_ready),
      .line_id_o(ar_id),
      .line_addr_o(ar_addr),
      .line_len_o(ar_len),
      .valid_i(port_i.r_valid),
      .id_i(port_i.r_id),
      .last_i(port_i.r_last),
      .data_i({port_i.r_data, port_i.r_resp}),
      .valid_o(r_valid),
      .ready_i(bursts_i.r_ready),
      .end_o(r_end),
      .last_o(r_last),
      .data_o({r_data, r_resp})
  );

  logic aw_valid, aw_ready, aw_id, asked, b_valid, b_taken, b_end, unused_b_last;
  logic [63:0] aw_addr;
  narrow_length_t aw_len;
  logic [1:0] b_resp, failed_q;
  assign asked = aw_valid & port_i.aw_ready;
  soc_lines #(
      .Width(2),
      .Answers(1)
  ) i_writes (
      .clk_i,
      .rst_ni,
      .burst_valid_i(bursts_i.aw_valid),
      .burst_ready_o(aw_ready),
      .burst_addr_i(bursts_i.aw_addr),
      .burst_len_i(bursts_i.aw_len),
      .line_valid_o(aw_valid),
      .line_ready_i(port_i.aw_ready),
      .line_id_o(aw_id),
      .line_addr_o(aw_addr),
      .line_len_o(aw_len),
      .valid_i(port_i.b_valid),
      .id_i(port_i.b_id),
      .last_i(1'b1),
      .data_i(port_i.b_resp),
      .valid_o(b_valid),
      .ready_i(b_taken),
      .end_o(b_end),
      .last_o(unused_b_last),
      .data_o(b_resp)
  );
  // Those of a burst's lines are one answer.
  assign b_taken = bursts_i.b_ready | ~b_end;
  `RW_FFL(failed_q, b_end ? '0 : failed_q | b_resp, b_valid & b_taken, '0)

  // ---- What is written, in the order of lines.
  logic has_line, sent, is_last, has_place;
  logic [2:0] sending, beat_q, unused_unsent;
  fifo #(
      .Width(3),
      .Depth(Unsent)
  ) i_unsent (
      .clk_i,
      .rst_ni,
      .valid_i(asked),
      .ready_o(has_place),
      .data_i(aw_len[2:0]),
      .valid_o(has_line),
      .ready_i(sent & is_last),
      .data_o(sending),
      .usage_o(unused_unsent)
  );
  assign sent    = port_o.w_valid & port_i.w_ready;
  assign is_last = beat_q == sending;
  `RW_FFL(beat_q, is_last ? '0 : beat_q + 3'd1, sent, '0)

  always_comb begin
    port_o          = bursts_i;
    port_o.ar_valid = ar_valid;
    port_o.ar_id    = ar_id;
    port_o.ar_addr  = ar_addr;
    port_o.ar_len   = ar_len;
    port_o.r_ready  = 1'b1;
    port_o.aw_valid = aw_valid;
    port_o.aw_id    = aw_id;
    port_o.aw_addr  = aw_addr;
    port_o.aw_len   = aw_len;
    port_o.w_valid  = bursts_i.w_valid & has_line;
    port_o.w_last   = is_last;
    port_o.b_ready  = 1'b1;

    bursts_o          = port_i;
    bursts_o.ar_ready = ar_ready;
    bursts_o.r_valid  = r_valid;
    bursts_o.r_id     = 1'b0;
    bursts_o.r_data   = r_data;
    bursts_o.r_resp   = r_resp;
    bursts_o.r_last   = r_last & r_end;
    bursts_o.aw_ready = aw_ready;
    bursts_o.w_ready  = port_i.w_ready & has_line;
    bursts_o.b_valid  = b_valid & b_end;
    bursts_o.b_id     = 1'b0;
    bursts_o.b_resp   = failed_q | b_resp;
  end

  `RW_ASSERT(soc_interleaver_room, !asked || has_place)
  `RW_ASSERT(soc_interleaver_read, !bursts_i.ar_valid || bursts_i.ar_size == Size)
  `RW_ASSERT(soc_interleaver_write, !bursts_i.aw_valid || bursts_i.aw_size == Size)
  `RW_ASSERT(soc_interleaver_last, !(sent & bursts_i.w_last) || is_last)
endmodule
