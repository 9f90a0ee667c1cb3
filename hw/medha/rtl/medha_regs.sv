`include "registers.svh"

/// Medha: registers.
/// Made by scripts/registers.py from spec/medha/regs.toml.
///
/// An access takes two cycles (APB without wait states) and is answered with an error
/// where there is no register, or one of the other direction.
module medha_regs
  import medha_regs_pkg::*;
(
    input  logic clk_i,
    input  logic rst_ni,
    input  logic apb_psel_i,
    input  logic apb_penable_i,
    input  logic apb_pwrite_i,
    input  logic [4:0] apb_paddr_i,
    input  logic [31:0] apb_pwdata_i,
    output logic apb_pready_o,
    output logic [31:0] apb_prdata_o,
    output logic apb_pslverr_o,
    output written_t written_o,
    input  read_t read_i,
    output logic doorbell_notify_o,
    output logic status_notify_o
);
  logic access, write, read, known_write, known_read;
  logic [4:0] address;
  assign access  = apb_psel_i & apb_penable_i;
  assign write   = access & apb_pwrite_i;
  assign read    = access & ~apb_pwrite_i;
  assign address = {apb_paddr_i[4:2], 2'b00};
  assign apb_pready_o  = 1'b1;
  assign apb_pslverr_o = (write & ~known_write) | (read & ~known_read);

  written_t written_d, written_q;
  assign written_o = written_q;
  always_comb begin
    written_d = written_q;
    known_write = 1'b1;
    unique case (address)
      5'h0: begin
        written_d.list.address = apb_pwdata_i[31:0];
      end
      5'h4: begin
        written_d.doorbell.beats = apb_pwdata_i[31:0];
      end
      default: known_write = 1'b0;
    endcase
  end
  `RW_FFL(written_q, written_d, write, '0)

  logic doorbell_notify_q;
  `RW_FF(doorbell_notify_q, write && address == 5'h4, 1'b0)
  assign doorbell_notify_o = doorbell_notify_q;

  always_comb begin
    apb_prdata_o = '0;
    known_read = 1'b1;
    unique case (address)
      5'h8: begin
        apb_prdata_o[0:0] = read_i.status.busy;
        apb_prdata_o[1:1] = read_i.status.done;
        apb_prdata_o[2:2] = read_i.status.refused;
        apb_prdata_o[3:3] = read_i.status.failed;
      end
      5'hc: begin
        apb_prdata_o[3:0] = read_i.error.code;
        apb_prdata_o[7:4] = read_i.error.rpau;
        apb_prdata_o[31:8] = read_i.error.run;
      end
      5'h10: begin
        apb_prdata_o[31:0] = read_i.cycles.cycles;
      end
      5'h14: begin
        apb_prdata_o[4:0] = read_i.machine.rpaus;
        apb_prdata_o[10:8] = read_i.machine.log_butterflies;
        apb_prdata_o[20:16] = read_i.machine.log_max_degree;
        apb_prdata_o[26:24] = read_i.machine.lanes;
      end
      default: known_read = 1'b0;
    endcase
  end
  assign status_notify_o = read && address == 5'h8;
  logic unused;
  assign unused = ^{apb_paddr_i[1:0], apb_pwdata_i};
endmodule
