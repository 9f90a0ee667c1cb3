`include "registers.svh"
`include "assertions.svh"

/// The link of the ring from an RPAU to the next: a row of words a cycle.
///
/// Timing: a row that goes on comes out `Cycles` later; one of the RPAU's own, which has left its
/// memory, `Cycles` - 1 later. One at a time enters: the microcode keeps towers apart.
module medha_link #(
    parameter int unsigned Width  = 36,
    parameter int unsigned Cycles = 2
) (
    input  logic             clk_i,
    input  logic             rst_ni,

    input  logic             pass_i,
    input  logic [Width-1:0] pass_data_i,
    input  logic             own_i,
    input  logic [Width-1:0] own_data_i,
    output logic             valid_o,
    output logic [Width-1:0] data_o,
    /// Both at once: a row is lost.
    output logic             wrong_o
);
  logic passed_q, valid;
  logic [Width-1:0] passed_data_q, data;
  `RW_FF(passed_q, pass_i, 1'b0)
  `RW_FFNR(passed_data_q, pass_data_i)
  assign valid   = passed_q || own_i;
  assign data    = passed_q ? passed_data_q : own_data_i;
  assign wrong_o = passed_q && own_i;
  if (Cycles > 1) begin : gen_way
    logic unused_empty;
    valid_line #(
        .Stages(Cycles - 1)
    ) i_valid (
        .clk_i,
        .rst_ni,
        .valid_i(valid),
        .valid_o,
        .empty_o(unused_empty)
    );
    delay_line #(
        .Width(Width),
        .Stages(Cycles - 1)
    ) i_data (
        .clk_i,
        .data_i(data),
        .data_o
    );
  end else begin : gen_near
    assign valid_o = valid;
    assign data_o  = data;
  end

  `RW_REQUIRE(medha_link_cycles, Cycles >= 1)
endmodule
