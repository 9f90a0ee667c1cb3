`include "registers.svh"

/// Makes a core give lines of its cache up: writes nothing to each of them through the core's coherent
/// port. What the core has written there is in memory then, and the core has to fetch it again.
///
/// Timing: a line is asked for each cycle that the port takes one.
module soc_flusher
  import soc_pkg::*;
(
    input  logic            clk_i,
    input  logic            rst_ni,
    /// Begins with the lines of so many bytes, where none is left.
    input  logic            start_i,
    input  logic [63:0]     from_i,
    input  logic [63:0]     bytes_i,
    /// Lines that have not been given up.
    output logic [63:0]     left_o,
    /// There is no such memory.
    output logic            failed_o,
    output narrow_request_t port_o,
    input  narrow_answer_t  port_i
);
  localparam int unsigned LineWidth = 6;

  // The line that is asked for next, how many have not been, how many have no data, and how many no answer.
  logic [63:0] address_q, unasked_q, unwritten_q, left_q, lines;
  assign lines  = (64'(from_i[LineWidth-1:0]) + bytes_i + 64'(2 ** LineWidth - 1)) >> LineWidth;
  assign left_o = left_q;
  always_comb begin
    port_o          = '0;
    port_o.aw_valid = unasked_q != '0;
    // Neighbours may be on their way together.
    port_o.aw_id    = address_q[LineWidth];
    port_o.aw_addr  = address_q;
    port_o.aw_size  = 3'd3;
    // Nothing is written: no byte of these data counts.
    port_o.w_valid  = unwritten_q != unasked_q;
    port_o.w_last   = 1'b1;
    port_o.b_ready  = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      address_q   <= '0;
      unasked_q   <= '0;
      unwritten_q <= '0;
      left_q      <= '0;
    end else if (start_i && left_q == '0) begin
      address_q   <= {from_i[63:LineWidth], LineWidth'(0)};
      unasked_q   <= lines;
      unwritten_q <= lines;
      left_q      <= lines;
    end else begin
      if (port_o.aw_valid & port_i.aw_ready) begin
        address_q <= address_q + 64'(2 ** LineWidth);
        unasked_q <= unasked_q - 64'd1;
      end
      if (port_o.w_valid & port_i.w_ready) unwritten_q <= unwritten_q - 64'd1;
      if (port_i.b_valid) left_q <= left_q - 64'd1;
    end
  end
  assign failed_o = port_i.b_valid & port_i.b_resp[1];
  // It reads nothing.
  logic unused;
  assign unused = &{port_i.b_resp[0], port_i.ar_ready, port_i.r_valid, port_i.r_id, port_i.r_data,
                    port_i.r_resp, port_i.r_last, port_i.b_id};
endmodule
