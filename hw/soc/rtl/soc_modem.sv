`include "registers.svh"

/// Stands for a radio: takes bytes out of memory through a port of its own, a line at a time.
///
/// Timing: a line is asked for a cycle after the one before it was; eight bytes a cycle, if the port has
/// them.
module soc_modem
  import soc_pkg::*;
(
    input  logic            clk_i,
    input  logic            rst_ni,
    /// Begins with so many bytes, a multiple of eight, where none is left.
    input  logic            start_i,
    input  logic [63:0]     from_i,
    input  logic [63:0]     bytes_i,
    /// Bytes that have not come.
    output logic [63:0]     left_o,
    /// There is no such memory: zeros are sent.
    output logic            failed_o,
    output narrow_request_t port_o,
    input  narrow_answer_t  port_i
);
  localparam logic [63:0] LineBytes = 64;
  import "DPI-C" function void soc_transmit(input longint unsigned data);

  // What is asked for next, how much has not been asked for, and how much has not come.
  logic [63:0] address_q, unasked_q, left_q, asked;
  assign asked  = (unasked_q < LineBytes) ? unasked_q : LineBytes;
  assign left_o = left_q;
  always_comb begin
    port_o          = '0;
    port_o.ar_valid = unasked_q != '0;
    port_o.ar_addr  = address_q;
    port_o.ar_len   = narrow_length_t'((asked >> 3) - 64'd1);
    port_o.ar_size  = 3'd3;
    port_o.r_ready  = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      address_q <= '0;
      unasked_q <= '0;
      left_q    <= '0;
    end else if (start_i && left_q == '0) begin
      address_q <= from_i;
      unasked_q <= bytes_i & ~64'd7;
      left_q    <= bytes_i & ~64'd7;
    end else begin
      if (port_o.ar_valid & port_i.ar_ready) begin
        address_q <= address_q + asked;
        unasked_q <= unasked_q - asked;
      end
      if (port_i.r_valid) begin
        soc_transmit(port_i.r_data);
        left_q <= left_q - 64'd8;
      end
    end
  end
  assign failed_o = port_i.r_valid & port_i.r_resp[1];
  // It writes nothing.
  logic unused;
  assign unused = &{port_i.r_id, port_i.r_resp[0], port_i.r_last, port_i.aw_ready, port_i.w_ready, port_i.b_valid,
                    port_i.b_id, port_i.b_resp};
endmodule
