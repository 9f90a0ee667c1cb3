`include "registers.svh"

/// One register in a stream: cuts the forward path, and the backward path where asked to.
///
/// Timing: data appear one cycle after they were accepted; one word a cycle either way.
/// `CutReady = 0`: one entry; `ready_o` depends on `ready_i` in the same cycle.
/// `CutReady = 1`: two entries; no path from any input to any output in the same cycle, at the
/// price of a second data register and a multiplexer.
module stream_register #(
    parameter int unsigned Width    = 8,
    parameter type         data_t   = logic [Width-1:0],
    parameter bit          CutReady = 1'b0
) (
    input  logic  clk_i,
    input  logic  rst_ni,

    input  logic  valid_i,
    output logic  ready_o,
    input  data_t data_i,

    output logic  valid_o,
    input  logic  ready_i,
    output data_t data_o
);
  logic valid_d, valid_q;
  data_t data_d, data_q;
  logic  load;

  assign valid_o = valid_q;
  assign data_o  = data_q;

  if (!CutReady) begin : gen_one_entry
    assign ready_o = ready_i | ~valid_q;
    assign load    = valid_i & ready_o;
    assign valid_d = valid_i | (valid_q & ~ready_i);
    assign data_d  = data_i;
  end else begin : gen_two_entries
    // The spare entry takes the word that was on its way when the output stalled.
    logic spare_valid_d, spare_valid_q;
    data_t spare_q;

    assign ready_o       = ~spare_valid_q;
    assign load          = (ready_i | ~valid_q) & (valid_i | spare_valid_q);
    assign valid_d       = valid_i | spare_valid_q | (valid_q & ~ready_i);
    assign data_d        = spare_valid_q ? spare_q : data_i;
    assign spare_valid_d = valid_q & ~ready_i & (valid_i | spare_valid_q);

    `RW_FF(spare_valid_q, spare_valid_d, 1'b0)
    `RW_FFLNR(spare_q, data_i, valid_i & ready_o)
  end

  `RW_FF(valid_q, valid_d, 1'b0)
  `RW_FFLNR(data_q, data_d, load)

endmodule
