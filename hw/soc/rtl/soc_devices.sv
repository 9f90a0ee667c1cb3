`include "registers.svh"

/// What a firmware has beside memory and accelerator: a console, marks for the phases of its work, the
/// cycles so far, the registers of a modem (`soc_modem`) and of what makes the core give lines up
/// (`soc_flusher`), and the exit.
///
/// | offset | write | read |
/// |---|---|---|
/// | 0x00 | a character | |
/// | 0x08 | ends the run with this code | |
/// | 0x10 | marks this cycle with a number | cycles since reset |
/// | 0x18 | where the modem begins | |
/// | 0x28 | | accesses of the host and the modem that were answered with an error, since it last asked |
/// | 0x20 | how many bytes it takes, a multiple of eight | bytes that it has not yet taken |
/// | 0x30 | how many bytes of stack were used | |
/// | 0x38 | where the flusher begins | |
/// | 0x40 | how many bytes it goes over | lines that it has left |
module soc_devices (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        valid_i,
    input  logic        write_i,
    input  logic [7:0]  address_i,
    input  logic [63:0] data_i,
    /// An access of the host or of the modem was answered with an error.
    input  logic        failed_i,
    output logic [63:0] data_o,

    output logic        modem_start_o,
    output logic [63:0] modem_from_o,
    input  logic [63:0] modem_left_i,

    output logic        flusher_start_o,
    output logic [63:0] flusher_from_o,
    input  logic [63:0] flusher_left_i
);
  import "DPI-C" function void soc_character(input byte unsigned character);
  import "DPI-C" function void soc_exit(input longint unsigned code);
  import "DPI-C" function void soc_mark(
    input longint unsigned cycle,
    input longint unsigned number
  );
  import "DPI-C" function void soc_stack(input longint unsigned bytes);

  logic [63:0] now_q, errors_q;
  `RW_FF(now_q, now_q + 64'd1, '0)

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      modem_from_o   <= '0;
      flusher_from_o <= '0;
      errors_q       <= '0;
    end else begin
      if (failed_i) errors_q <= errors_q + 64'd1;
      else if (valid_i & ~write_i & (address_i == 8'h28)) errors_q <= '0;
      if (valid_i & write_i) begin
        unique case (address_i)
          8'h00:   soc_character(data_i[7:0]);
          8'h08:   soc_exit(data_i);
          8'h10:   soc_mark(now_q, data_i);
          8'h18:   modem_from_o <= data_i;
          8'h30:   soc_stack(data_i);
          8'h38:   flusher_from_o <= data_i;
          default: ;
        endcase
      end
    end
  end
  // With how much it takes.
  assign modem_start_o   = valid_i & write_i & (address_i == 8'h20);
  assign flusher_start_o = valid_i & write_i & (address_i == 8'h40);
  // The answer is asked for a cycle later.
  logic [63:0] data_d;
  always_comb begin
    unique case (address_i)
      8'h20:   data_d = modem_left_i;
      8'h28:   data_d = errors_q;
      8'h40:   data_d = flusher_left_i;
      default: data_d = now_q;
    endcase
  end
  `RW_FFLNR(data_o, data_d, valid_i)
endmodule
