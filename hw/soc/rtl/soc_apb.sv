`include "registers.svh"

/// An access of the host, 32 bits wide, as one of APB.
///
/// Timing: the answer comes with `done_o`, two cycles after the request and what the device waits.
module soc_apb (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        start_i,
    input  logic        write_i,
    input  logic [15:0] address_i,
    input  logic [31:0] data_i,
    output logic        done_o,
    output logic [31:0] data_o,
    output logic        failed_o,

    output logic        psel_o,
    output logic        penable_o,
    output logic        pwrite_o,
    output logic [15:0] paddr_o,
    output logic [31:0] pwdata_o,
    input  logic        pready_i,
    input  logic [31:0] prdata_i,
    input  logic        pslverr_i
);
  typedef enum logic [1:0] {Idle, Setup, Access} state_e;
  state_e state_d, state_q;
  logic write_q;
  logic [15:0] address_q;
  logic [31:0] data_q;
  always_comb begin
    unique case (state_q)
      Idle:    state_d = start_i ? Setup : Idle;
      Setup:   state_d = Access;
      default: state_d = pready_i ? Idle : Access;
    endcase
  end
  `RW_FF(state_q, state_d, Idle)
  `RW_FFLNR(write_q, write_i, start_i)
  `RW_FFLNR(address_q, address_i, start_i)
  `RW_FFLNR(data_q, data_i, start_i)

  assign psel_o    = state_q != Idle;
  assign penable_o = state_q == Access;
  assign pwrite_o  = write_q;
  assign paddr_o   = address_q;
  assign pwdata_o  = data_q;
  assign done_o    = penable_o & pready_i;
  assign data_o    = prdata_i;
  assign failed_o  = pslverr_i;
endmodule
