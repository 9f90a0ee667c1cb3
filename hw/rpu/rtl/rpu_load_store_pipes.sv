/// The pipes behind the load/store queue: one for both, or one for loads and one for stores.
///
/// A pipe is held in a cycle in which a row of its meets a register memory that the compute or the
/// shuffle pipe has reserved (`taken_i`); of two pipes the one for stores waits for the row that the
/// one for loads writes. Everything scalar goes through the first.
module rpu_load_store_pipes
  import rpu_config_pkg::*;
  import rpu_isa_pkg::*;
  import rpu_uses_pkg::*;
#(
    parameter config_t Config = rpu_machine_pkg::Machine,
    localparam int unsigned Hples     = Config.hples,
    localparam int unsigned Banks     = Config.banks,
    localparam int unsigned WordBits  = Config.word_bits,
    localparam int unsigned RowWidth  = index_width(beats(Config)),
    localparam int unsigned WordWidth = index_width(bank_words(Config)),
    localparam int unsigned SdmWidth  = $clog2(Config.sdm_words)
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,

    /// The head of the queue.
    input  logic                               valid_i,
    input  decoded_t                           instruction_i,
    input  logic [31:0]                        base_i,
    output logic                               start_o,
    input  logic [Memories-1:0]                taken_i,

    // Register file: a port to read, a port to write.
    output logic                               vrf_read_o,
    output logic [5:0]                         vrf_read_register_o,
    output logic [RowWidth-1:0]                vrf_read_row_o,
    input  logic [Hples-1:0][WordBits-1:0]     vrf_read_data_i,
    output logic                               vrf_write_o,
    output logic [5:0]                         vrf_write_register_o,
    output logic [RowWidth-1:0]                vrf_write_row_o,
    output logic [Hples-1:0][WordBits-1:0]     vrf_write_data_o,

    // Vector data memory.
    output logic [Banks-1:0]                   vdm_read_o,
    output logic [Banks-1:0][WordWidth-1:0]    vdm_read_word_o,
    input  logic [Banks-1:0][WordBits-1:0]     vdm_read_data_i,
    output logic [Banks-1:0]                   vdm_write_o,
    output logic [Banks-1:0][WordWidth-1:0]    vdm_write_word_o,
    output logic [Banks-1:0][WordBits-1:0]     vdm_write_data_o,

    // Scalar data memory, and the register files that its words go to.
    output logic                               sdm_read_o,
    output logic [SdmWidth-1:0]                sdm_address_o,
    output logic                               write_scalar_o,
    output logic                               write_modulus_o,
    output logic                               write_address_o,
    output logic [5:0]                         write_entry_o,

    /// A store has read its last row.
    output logic                               source_done_o,
    output logic [5:0]                         source_o,
    /// In an instruction's last cycle; those of loads and of stores, which may be one.
    output logic                               load_end_o,
    output decoded_t                           load_o,
    output logic                               store_end_o,
    output decoded_t                           store_o,
    output logic                               busy_o
);
  localparam bit          Separate = Config.load_store_pipes == LoadStorePipesSeparate;
  localparam bit          Single   = Config.vrf_ports == VrfPortsSingle;
  localparam bit          Quotient = Config.vrf_map == VrfMapQuotient;
  localparam int unsigned Pipes    = Separate ? 2 : 1;
  localparam int unsigned Store    = Pipes - 1;

  // [0] is shared or for loads, [1] for stores.
  logic [Pipes-1:0] pipe_start, pipe_hold, pipe_busy, pipe_source_done, pipe_end;
  logic [Pipes-1:0] wants_read, wants_write, vrf_reads, vrf_writes;
  logic [Pipes-1:0][5:0] read_register, write_register, pipe_source;
  logic [Pipes-1:0][RowWidth-1:0] read_row, write_row;
  logic [Pipes-1:0][Hples-1:0][WordBits-1:0] row_written;
  logic [Pipes-1:0][Banks-1:0] bank_reads, bank_writes;
  logic [Pipes-1:0][Banks-1:0][WordWidth-1:0] bank_read_word, bank_write_word;
  logic [Pipes-1:0][Banks-1:0][WordBits-1:0] bank_write_data;
  logic [Pipes-1:0] scalar_reads, scalar_writes, modulus_writes, address_writes;
  logic [Pipes-1:0][SdmWidth-1:0] scalar_address;
  logic [Pipes-1:0][5:0] entry;
  decoded_t [Pipes-1:0] pipe_last;

  for (genvar p = 0; p < Pipes; p++) begin : gen_pipe
    localparam bit Loads  = !Separate || p == 0;
    localparam bit Stores = !Separate || p == 1;
    logic mine, meet;
    assign mine = !Separate || (instruction_i.op == OpVstore) == (p == 1);
    // A row that the load pipe writes counts as taken for the store pipe.
    assign meet = Single & wants_write[0] & wants_read[p] &
                  (rpu_vrf_map_pkg::memory_of(Quotient, write_register[0]) ==
                   rpu_vrf_map_pkg::memory_of(Quotient, read_register[p]));
    assign pipe_hold[p] = (wants_read[p] & is_taken(Quotient, taken_i, read_register[p])) |
                          (wants_write[p] & is_taken(Quotient, taken_i, write_register[p])) |
                          (Stores & Separate & meet & ~pipe_hold[0]);

    rpu_load_store #(
        .Hples(Hples),
        .Beats(beats(Config)),
        .Banks(Banks),
        .VdmWords(Config.vdm_words),
        .SdmWords(Config.sdm_words),
        .Width(WordBits),
        .Latency(Config.load_store_latency),
        .Gap(Config.gap),
        .VdmMap(vdm_map_name(Config.vdm_map)),
        .Loads(Loads),
        .Stores(Stores)
    ) i_load_store (
        .clk_i,
        .rst_ni,
        .valid_i(valid_i & mine),
        .instruction_i,
        .base_i,
        .start_o(pipe_start[p]),
        .hold_i(pipe_hold[p]),
        .wants_read_o(wants_read[p]),
        .read_register_o(read_register[p]),
        .wants_write_o(wants_write[p]),
        .write_register_o(write_register[p]),
        .same_memory_i(!Separate & meet),
        .vrf_read_o(vrf_reads[p]),
        .vrf_read_row_o(read_row[p]),
        .vrf_read_data_i,
        .vrf_write_o(vrf_writes[p]),
        .vrf_write_row_o(write_row[p]),
        .vrf_write_data_o(row_written[p]),
        .vdm_read_o(bank_reads[p]),
        .vdm_read_word_o(bank_read_word[p]),
        .vdm_read_data_i,
        .vdm_write_o(bank_writes[p]),
        .vdm_write_word_o(bank_write_word[p]),
        .vdm_write_data_o(bank_write_data[p]),
        .sdm_read_o(scalar_reads[p]),
        .sdm_address_o(scalar_address[p]),
        .write_scalar_o(scalar_writes[p]),
        .write_modulus_o(modulus_writes[p]),
        .write_address_o(address_writes[p]),
        .write_entry_o(entry[p]),
        .source_done_o(pipe_source_done[p]),
        .source_o(pipe_source[p]),
        .end_o(pipe_end[p]),
        .end_instruction_o(pipe_last[p]),
        .busy_o(pipe_busy[p])
    );
  end
  assign start_o = |pipe_start;
  assign busy_o  = |pipe_busy;

  assign vrf_read_o           = vrf_reads[Store];
  assign vrf_read_register_o  = read_register[Store];
  assign vrf_read_row_o       = read_row[Store];
  assign vrf_write_o          = vrf_writes[0];
  assign vrf_write_register_o = write_register[0];
  assign vrf_write_row_o      = write_row[0];
  assign vrf_write_data_o     = row_written[0];
  assign vdm_read_o           = bank_reads[0];
  assign vdm_read_word_o      = bank_read_word[0];
  assign vdm_write_o          = bank_writes[Store];
  assign vdm_write_word_o     = bank_write_word[Store];
  assign vdm_write_data_o     = bank_write_data[Store];
  assign sdm_read_o           = scalar_reads[0];
  assign sdm_address_o        = scalar_address[0];
  assign write_scalar_o       = scalar_writes[0];
  assign write_modulus_o      = modulus_writes[0];
  assign write_address_o      = address_writes[0];
  assign write_entry_o        = entry[0];
  assign source_done_o        = pipe_source_done[Store];
  assign source_o             = pipe_source[Store];
  assign load_end_o           = pipe_end[0];
  assign load_o               = pipe_last[0];
  assign store_end_o          = pipe_end[Store];
  assign store_o              = pipe_last[Store];

  // Of two pipes each leaves out what the other has.
  logic unused;
  assign unused = &{scalar_reads, scalar_writes, modulus_writes, address_writes, scalar_address,
                    entry, pipe_source, pipe_source_done, vrf_reads, vrf_writes, read_row, write_row,
                    row_written, bank_reads, bank_read_word, bank_writes, bank_write_word,
                    bank_write_data};
endmodule
