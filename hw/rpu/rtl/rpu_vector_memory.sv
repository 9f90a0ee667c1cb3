`include "registers.svh"

/// The vector data memory with the host's way in: one word a cycle, by its address.
///
/// The pipes ask by bank and word (`rpu_vdm`); a host's request takes the place of theirs, and only
/// comes while they are idle.
/// Timing: words that are read come in the next cycle.
module rpu_vector_memory
  import rpu_config_pkg::*;
#(
    parameter config_t Config = rpu_machine_pkg::Machine,
    localparam int unsigned Banks     = Config.banks,
    localparam int unsigned WordBits  = Config.word_bits,
    localparam int unsigned WordWidth = index_width(bank_words(Config))
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,

    input  logic [Banks-1:0]                read_i,
    input  logic [Banks-1:0][WordWidth-1:0] read_word_i,
    output logic [Banks-1:0][WordBits-1:0]  read_data_o,
    input  logic [Banks-1:0]                write_i,
    input  logic [Banks-1:0][WordWidth-1:0] write_word_i,
    input  logic [Banks-1:0][WordBits-1:0]  write_data_i,

    input  logic                            host_request_i,
    input  logic                            host_write_i,
    input  logic [31:0]                     host_address_i,
    input  logic [WordBits-1:0]             host_data_i,
    output logic [WordBits-1:0]             host_data_o
);
  localparam int unsigned BankWidth = $clog2(Banks);
  localparam int unsigned VdmWidth  = $clog2(Config.vdm_words);

  logic [BankWidth-1:0] host_bank, host_bank_q;
  logic [Banks-1:0] host_banks;
  logic [WordWidth-1:0] host_word;
  rpu_bank_of #(
      .Banks(Banks),
      .AddressWidth(VdmWidth),
      .Map(vdm_map_name(Config.vdm_map))
  ) i_host_bank (
      .address_i(VdmWidth'(host_address_i)),
      .bank_o(host_bank)
  );
  assign host_banks = host_request_i ? Banks'(1) << host_bank : '0;
  assign host_word  = WordWidth'(VdmWidth'(host_address_i) >> BankWidth);
  `RW_FFLNR(host_bank_q, host_bank, host_request_i)
  assign host_data_o = read_data_o[host_bank_q];

  rpu_vdm #(
      .Banks(Banks),
      .BankWords(bank_words(Config)),
      .Width(WordBits)
  ) i_vdm (
      .clk_i,
      .rst_ni,
      .read_i(read_i | (host_write_i ? '0 : host_banks)),
      .read_word_i(host_request_i ? {Banks{host_word}} : read_word_i),
      .read_data_o,
      .write_i(write_i | (host_write_i ? host_banks : '0)),
      .write_word_i(host_request_i ? {Banks{host_word}} : write_word_i),
      .write_data_i(host_request_i ? {Banks{host_data_i}} : write_data_i)
  );

  logic unused;
  assign unused = &host_address_i;
endmodule
