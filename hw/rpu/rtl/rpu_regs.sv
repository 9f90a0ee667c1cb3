`include "registers.svh"

/// The Ring Processing Unit: registers.
/// Made by scripts/registers.py from spec/rpu/regs.toml.
///
/// An access takes two cycles (APB without wait states) and is answered with an error
/// where there is no register, or one of the other direction.
module rpu_regs
  import rpu_regs_pkg::*;
(
    input  logic clk_i,
    input  logic rst_ni,
    input  logic apb_psel_i,
    input  logic apb_penable_i,
    input  logic apb_pwrite_i,
    input  logic [5:0] apb_paddr_i,
    input  logic [31:0] apb_pwdata_i,
    output logic apb_pready_o,
    output logic [31:0] apb_prdata_o,
    output logic apb_pslverr_o,
    output written_t written_o,
    input  read_t read_i,
    output logic control_notify_o,
    output logic status_notify_o,
    output logic doorbell_notify_o
);
  logic access, write, read, known_write, known_read;
  logic [5:0] address;
  assign access  = apb_psel_i & apb_penable_i;
  assign write   = access & apb_pwrite_i;
  assign read    = access & ~apb_pwrite_i;
  assign address = {apb_paddr_i[5:2], 2'b00};
  assign apb_pready_o  = 1'b1;
  assign apb_pslverr_o = (write & ~known_write) | (read & ~known_read);

  written_t written_d, written_q;
  assign written_o = written_q;
  always_comb begin
    written_d = written_q;
    known_write = 1'b1;
    unique case (address)
      6'h0: begin
        written_d.control.start = apb_pwdata_i[0:0];
      end
      6'h4: begin
        written_d.first.instruction = apb_pwdata_i[15:0];
      end
      6'h8: begin
        written_d.count.instructions = apb_pwdata_i[16:0];
      end
      6'h18: begin
        written_d.list.address = apb_pwdata_i[31:0];
      end
      6'h1c: begin
        written_d.doorbell.commands = apb_pwdata_i[23:0];
      end
      default: known_write = 1'b0;
    endcase
  end
  `RW_FFL(written_q, written_d, write, '0)

  logic control_notify_q;
  `RW_FF(control_notify_q, write && address == 6'h0, 1'b0)
  assign control_notify_o = control_notify_q;

  logic doorbell_notify_q;
  `RW_FF(doorbell_notify_q, write && address == 6'h1c, 1'b0)
  assign doorbell_notify_o = doorbell_notify_q;

  always_comb begin
    apb_prdata_o = '0;
    known_read = 1'b1;
    unique case (address)
      6'hc: begin
        apb_prdata_o[0:0] = read_i.status.busy;
        apb_prdata_o[1:1] = read_i.status.done;
        apb_prdata_o[2:2] = read_i.status.illegal;
        apb_prdata_o[3:3] = read_i.status.refused;
        apb_prdata_o[4:4] = read_i.status.failed;
        apb_prdata_o[5:5] = read_i.status.silent;
      end
      6'h10: begin
        apb_prdata_o[31:0] = read_i.cycles.cycles;
      end
      6'h14: begin
        apb_prdata_o[3:0] = read_i.machine.log_hples;
        apb_prdata_o[7:4] = read_i.machine.log_banks;
        apb_prdata_o[11:8] = read_i.machine.log_vector_length;
        apb_prdata_o[23:16] = read_i.machine.word_bits;
        apb_prdata_o[27:24] = read_i.machine.log_port_bytes;
      end
      6'h20: begin
        apb_prdata_o[3:0] = read_i.error.code;
        apb_prdata_o[31:8] = read_i.error.command;
      end
      6'h24: begin
        apb_prdata_o[31:0] = read_i.list_cycles.cycles;
      end
      default: known_read = 1'b0;
    endcase
  end
  assign status_notify_o = read && address == 6'hc;
  logic unused;
  assign unused = ^{apb_paddr_i[1:0], apb_pwdata_i};
endmodule
