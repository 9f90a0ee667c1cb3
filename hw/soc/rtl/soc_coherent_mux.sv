`include "registers.svh"

/// Accelerator and modem on one port: the modem only reads. The accelerator goes first; answers come in
/// the order of requests.
module soc_coherent_mux
  import soc_pkg::*;
#(
    /// Reads on their way.
    parameter int unsigned Outstanding = 8
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  narrow_request_t accelerator_i,
    output narrow_answer_t  accelerator_o,
    input  narrow_request_t modem_i,
    output narrow_answer_t  modem_o,
    output narrow_request_t port_o,
    input  narrow_answer_t  port_i
);
  logic room, is_modems, asks_modem, held_q, holder_q;
  // A request that was not taken stays.
  assign asks_modem = held_q ? holder_q : !accelerator_i.ar_valid;
  `RW_FF(held_q, port_o.ar_valid & !port_i.ar_ready, 1'b0)
  `RW_FFLNR(holder_q, asks_modem, port_o.ar_valid)
  logic unused_known;
  logic [$clog2(Outstanding+1)-1:0] unused_usage;
  fifo #(
      .Width(1),
      .Depth(Outstanding)
  ) i_askers (
      .clk_i,
      .rst_ni,
      .valid_i(port_o.ar_valid & port_i.ar_ready),
      .ready_o(room),
      .data_i(asks_modem),
      .valid_o(unused_known),
      .ready_i(port_i.r_valid & port_o.r_ready & port_i.r_last),
      .data_o(is_modems),
      .usage_o(unused_usage)
  );
  // The modem writes nothing.
  logic unused;
  assign unused = &{modem_i};
  always_comb begin
    port_o          = accelerator_i;
    port_o.ar_valid = (asks_modem ? modem_i.ar_valid : accelerator_i.ar_valid) & room;
    if (asks_modem) begin
      port_o.ar_addr = modem_i.ar_addr;
      port_o.ar_len  = modem_i.ar_len;
      port_o.ar_size = modem_i.ar_size;
    end
    if (is_modems) port_o.r_ready = modem_i.r_ready;
    accelerator_o          = port_i;
    accelerator_o.ar_ready = port_i.ar_ready & room & !asks_modem;
    accelerator_o.r_valid  = port_i.r_valid & !is_modems;
    modem_o                = port_i;
    modem_o.ar_ready       = port_i.ar_ready & room & asks_modem;
    modem_o.r_valid        = port_i.r_valid & is_modems;
  end
endmodule
