`include "registers.svh"
`include "assertions.svh"

/// The vector data memory with the way in and out of it: a line of words a cycle, by their address.
///
/// The pipes ask by bank and word (`rpu_vdm`). A line is up to `Line` words at consecutive addresses;
/// those that are enabled lie in one row of the banks: its address is a multiple of their number, or
/// it is one word anywhere. With `vdm_port` second the line goes through a port of its own, beside
/// a running program; with exclusive it takes the place of the pipes' and only comes while they are
/// idle.
/// Timing: words that are read come in the next cycle. Area: for every bank a choice among the
/// words of a line, for every word of it one among the banks.
module rpu_vector_memory
  import rpu_config_pkg::*;
#(
    parameter config_t Config = rpu_machine_pkg::Machine,
    localparam int unsigned Banks     = Config.banks,
    localparam int unsigned WordBits  = Config.word_bits,
    localparam int unsigned WordWidth = index_width(bank_words(Config)),
    localparam int unsigned Line      = line_words(Config)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,

    input  logic [Banks-1:0]                read_i,
    input  logic [Banks-1:0][WordWidth-1:0] read_word_i,
    output logic [Banks-1:0][WordBits-1:0]  read_data_o,
    input  logic [Banks-1:0]                write_i,
    input  logic [Banks-1:0][WordWidth-1:0] write_word_i,
    input  logic [Banks-1:0][WordBits-1:0]  write_data_i,

    input  logic                            move_request_i,
    input  logic                            move_write_i,
    /// Of word 0 of the line.
    input  logic [31:0]                     move_address_i,
    input  logic [Line-1:0]                 move_enable_i,
    input  logic [Line-1:0][WordBits-1:0]   move_data_i,
    output logic [Line-1:0][WordBits-1:0]   move_data_o
);
  localparam int unsigned BankWidth  = $clog2(Banks);
  localparam int unsigned VdmWidth   = $clog2(Config.vdm_words);
  localparam int unsigned LineWidth  = index_width(Line);
  localparam bit          SecondPort = Config.vdm_port == VdmPortSecond;
  typedef logic [BankWidth-1:0] bank_t;

  // ---- The line, bank by bank.
  bank_t first, first_q;
  logic [Banks-1:0] banks;
  logic [Banks-1:0][WordBits-1:0] words, found;
  logic [WordWidth-1:0] row;
  rpu_bank_of #(
      .Banks(Banks),
      .AddressWidth(VdmWidth),
      .Map(vdm_map_name(Config.vdm_map))
  ) i_first (
      .address_i(VdmWidth'(move_address_i)),
      .bank_o(first)
  );
  assign row = WordWidth'(VdmWidth'(move_address_i) >> BankWidth);
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    bank_t which;
    logic [LineWidth-1:0] element;
    assign which    = bank_t'(b) - first;
    assign element  = LineWidth'(which);
    assign banks[b] = move_request_i & (32'(which) < Line) & move_enable_i[element];
    assign words[b] = move_data_i[element];
  end
  `RW_FFLNR(first_q, first, move_request_i)
  for (genvar j = 0; j < Line; j++) begin : gen_word
    assign move_data_o[j] = found[first_q+bank_t'(j)];
  end

  // ---- Through its own port, or through that of the pipes.
  logic [Banks-1:0] read, write, move;
  logic [Banks-1:0][WordWidth-1:0] read_word, write_word;
  logic [Banks-1:0][WordBits-1:0] write_data;
  if (SecondPort) begin : gen_second
    assign {read, write, move} = {read_i, write_i, banks};
    assign read_word           = read_word_i;
    assign write_word          = write_word_i;
    assign write_data          = write_data_i;
  end else begin : gen_exclusive
    assign read       = read_i | (move_write_i ? '0 : banks);
    assign write      = write_i | (move_write_i ? banks : '0);
    assign move       = '0;
    assign read_word  = move_request_i ? {Banks{row}} : read_word_i;
    assign write_word = move_request_i ? {Banks{row}} : write_word_i;
    assign write_data = move_request_i ? words : write_data_i;
    `RW_ASSERT(rpu_vector_memory_exclusive, !move_request_i || (read_i | write_i) == '0)
  end

  rpu_vdm #(
      .Banks(Banks),
      .BankWords(bank_words(Config)),
      .Width(WordBits),
      .SecondPort(SecondPort)
  ) i_vdm (
      .clk_i,
      .rst_ni,
      .read_i(read),
      .read_word_i(read_word),
      .read_data_o,
      .write_i(write),
      .write_word_i(write_word),
      .write_data_i(write_data),
      .move_i(move),
      .move_write_i,
      .move_word_i(row),
      .move_write_data_i(words),
      .move_read_data_o(found)
  );

  // No word of a line lies beyond the row of its first.
  logic [Line-1:0] beyond;
  for (genvar j = 0; j < Line; j++) begin : gen_beyond
    assign beyond[j] = 32'(move_address_i[BankWidth-1:0]) + 32'(j) >= Banks;
  end
  `RW_ASSERT(rpu_vector_memory_row, !move_request_i || (move_enable_i & beyond) == '0)

  logic unused;
  assign unused = &{move_address_i, beyond};
endmodule
