`include "registers.svh"

/// The edge accelerator of RACE and RISE: registers.
/// Made by scripts/registers.py from spec/rise/regs.toml.
///
/// An access takes two cycles (APB without wait states) and is answered with an error
/// where there is no register, or one of the other direction.
module rise_regs
  import rise_regs_pkg::*;
(
    input  logic clk_i,
    input  logic rst_ni,
    input  logic apb_psel_i,
    input  logic apb_penable_i,
    input  logic apb_pwrite_i,
    input  logic [9:0] apb_paddr_i,
    input  logic [31:0] apb_pwdata_i,
    output logic apb_pready_o,
    output logic [31:0] apb_prdata_o,
    output logic apb_pslverr_o,
    output written_t written_o,
    input  read_t read_i,
    output logic control_notify_o,
    output logic status_notify_o,
    output logic message_write_o,
    output logic [6:0] message_index_o,
    output logic [31:0] message_data_o
);
  logic access, write, read, known_write, known_read;
  logic [9:0] address;
  assign access  = apb_psel_i & apb_penable_i;
  assign write   = access & apb_pwrite_i;
  assign read    = access & ~apb_pwrite_i;
  assign address = {apb_paddr_i[9:2], 2'b00};
  assign apb_pready_o  = 1'b1;
  assign apb_pslverr_o = (write & ~known_write) | (read & ~known_read);

  logic message_inside;
  assign message_inside  = address[9:9] == 1'd1;
  assign message_write_o = write & message_inside;
  assign message_index_o = address[8:2];
  assign message_data_o  = apb_pwdata_i;

  written_t written_d, written_q;
  assign written_o = written_q;
  always_comb begin
    written_d = written_q;
    known_write = 1'b1;
    unique case (address)
      10'h0: begin
        written_d.control.request = apb_pwdata_i[2:0];
      end
      10'hc: begin
        written_d.log_n.log_n = apb_pwdata_i[4:0];
      end
      10'h10: begin
        written_d.base[0].address = apb_pwdata_i[31:0];
      end
      10'h14: begin
        written_d.base[1].address = apb_pwdata_i[31:0];
      end
      10'h20: begin
        written_d.constants.offset = apb_pwdata_i[31:0];
      end
      10'h24: begin
        written_d.source_0.offset = apb_pwdata_i[31:0];
      end
      10'h28: begin
        written_d.source_1.offset = apb_pwdata_i[31:0];
      end
      10'h2c: begin
        written_d.source_2.offset = apb_pwdata_i[31:0];
      end
      10'h30: begin
        written_d.destination.offset = apb_pwdata_i[31:0];
      end
      10'h34: begin
        written_d.sample.draw_0 = apb_pwdata_i[1:0];
        written_d.sample.add_0 = apb_pwdata_i[2:2];
        written_d.sample.blocks_0 = apb_pwdata_i[5:4];
        written_d.sample.tail_0 = apb_pwdata_i[13:8];
        written_d.sample.draw_2 = apb_pwdata_i[17:16];
        written_d.sample.add_2 = apb_pwdata_i[18:18];
        written_d.sample.blocks_2 = apb_pwdata_i[21:20];
        written_d.sample.tail_2 = apb_pwdata_i[29:24];
      end
      10'h40: begin
        written_d.seed[0].word = apb_pwdata_i[31:0];
      end
      10'h44: begin
        written_d.seed[1].word = apb_pwdata_i[31:0];
      end
      10'h48: begin
        written_d.seed[2].word = apb_pwdata_i[31:0];
      end
      10'h4c: begin
        written_d.seed[3].word = apb_pwdata_i[31:0];
      end
      10'h50: begin
        written_d.seed[4].word = apb_pwdata_i[31:0];
      end
      10'h54: begin
        written_d.seed[5].word = apb_pwdata_i[31:0];
      end
      10'h58: begin
        written_d.seed[6].word = apb_pwdata_i[31:0];
      end
      10'h5c: begin
        written_d.seed[7].word = apb_pwdata_i[31:0];
      end
      default: known_write = message_inside;
    endcase
  end
  `RW_FFL(written_q, written_d, write, '0)

  logic control_notify_q;
  `RW_FF(control_notify_q, write && address == 10'h0, 1'b0)
  assign control_notify_o = control_notify_q;

  always_comb begin
    apb_prdata_o = '0;
    known_read = 1'b1;
    unique case (address)
      10'h4: begin
        apb_prdata_o[0:0] = read_i.status.busy;
        apb_prdata_o[1:1] = read_i.status.full;
        apb_prdata_o[5:4] = read_i.status.finished;
        apb_prdata_o[8:8] = read_i.status.refused;
        apb_prdata_o[9:9] = read_i.status.bus_error;
      end
      10'h8: begin
        apb_prdata_o[3:0] = read_i.machine.log_bfus;
        apb_prdata_o[5:4] = read_i.machine.queued_calls;
        apb_prdata_o[6:6] = read_i.machine.samplers;
        apb_prdata_o[7:7] = read_i.machine.transforms_only;
        apb_prdata_o[15:8] = read_i.machine.word_bits;
        apb_prdata_o[23:16] = read_i.machine.log_n_max;
      end
      default: known_read = 1'b0;
    endcase
  end
  assign status_notify_o = read && address == 10'h4;
  logic unused;
  assign unused = ^{apb_paddr_i[1:0], apb_pwdata_i};
endmodule
