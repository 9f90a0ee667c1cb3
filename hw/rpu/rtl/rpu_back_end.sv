/// What is behind the queues: three pipes and the register file that they share.
///
/// One cycle of its control, in the order in which it is decided: the compute queue's head starts if
/// its pipe is free and its register memories are (`rpu_reservations`), then the shuffle queue's
/// head, then the load/store pipes hold or move.
/// Timing: a head starts in the cycle in which its queue shows it, at the earliest.
module rpu_back_end
  import rpu_config_pkg::*;
  import rpu_isa_pkg::*;
  import rpu_uses_pkg::*;
#(
    parameter config_t Config = rpu_machine_pkg::Machine,
    localparam int unsigned Banks        = Config.banks,
    localparam int unsigned WordBits     = Config.word_bits,
    localparam int unsigned ModulusWidth = WordBits - 1,
    localparam int unsigned ShiftWidth   = $clog2(ModulusWidth),
    localparam int unsigned WordWidth    = index_width(bank_words(Config)),
    localparam int unsigned SdmWidth     = $clog2(Config.sdm_words)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,

    /// The heads of the queues, by class, and which of them start.
    input  logic [2:0]                      valid_i,
    output logic [2:0]                      start_o,
    input  decoded_t                        load_store_i,
    input  logic [31:0]                     base_i,
    input  decoded_t                        compute_i,
    input  logic [WordBits-1:0]             scalar_i,
    input  logic [ModulusWidth-1:0]         modulus_i,
    input  logic [WordBits-1:0]             reciprocal_i,
    input  logic [ShiftWidth-1:0]           shift_i,
    input  decoded_t                        shuffle_i,

    // Vector data memory.
    output logic [Banks-1:0]                vdm_read_o,
    output logic [Banks-1:0][WordWidth-1:0] vdm_read_word_o,
    input  logic [Banks-1:0][WordBits-1:0]  vdm_read_data_i,
    output logic [Banks-1:0]                vdm_write_o,
    output logic [Banks-1:0][WordWidth-1:0] vdm_write_word_o,
    output logic [Banks-1:0][WordBits-1:0]  vdm_write_data_o,

    // Scalar data memory, and the register files that its words go to.
    output logic                            sdm_read_o,
    output logic [SdmWidth-1:0]             sdm_address_o,
    output logic                            write_scalar_o,
    output logic                            write_modulus_o,
    output logic                            write_address_o,
    output logic [5:0]                      write_entry_o,

    /// Registers given back, by loads, stores, compute, shuffle.
    output mask_t [3:0]                     release_reads_o,
    output mask_t [3:0]                     release_writes_o,
    output logic                            busy_o
);
  localparam int unsigned Hples    = Config.hples;
  localparam int unsigned Beats    = beats(Config);
  localparam int unsigned RowWidth = index_width(Beats);
  localparam bit          Quotient = Config.vrf_map == VrfMapQuotient;

  typedef logic [RowWidth-1:0] row_index_t;
  typedef logic [Hples-1:0][WordBits-1:0] row_t;

  // ---- Whose register memories are free.
  logic compute_free, shuffle_free;
  logic [Memories-1:0] taken;
  if (Config.vrf_ports == VrfPortsSingle) begin : gen_reservations
    rpu_reservations #(
        .Memories(Memories),
        .Beats(Beats),
        .ComputeLatency(Config.compute_latency),
        .Ii(Config.ii),
        .ShuffleLatency(Config.shuffle_latency)
    ) i_reservations (
        .clk_i,
        .rst_ni,
        .compute_reads_i(memories(Quotient, sources(1'b1, compute_i))),
        .compute_writes_i(memories(Quotient, destinations(1'b1, compute_i))),
        .compute_free_o(compute_free),
        .compute_start_i(start_o[ClassCompute]),
        .shuffle_reads_i(memories(Quotient, sources(1'b1, shuffle_i))),
        .shuffle_writes_i(memories(Quotient, destinations(1'b1, shuffle_i))),
        .shuffle_free_o(shuffle_free),
        .shuffle_start_i(start_o[ClassShuffle]),
        .taken_o(taken)
    );
  end else begin : gen_no_reservations
    assign compute_free = 1'b1;
    assign shuffle_free = 1'b1;
    assign taken        = '0;
  end

  // ---- Register file ports, one row at a time.
  logic [5:0] vrf_read;
  logic [5:0][5:0] vrf_read_register;
  row_index_t [5:0] vrf_read_row;
  row_t [5:0] vrf_read_data;
  logic [3:0] vrf_write;
  logic [3:0][5:0] vrf_write_register;
  row_index_t [3:0] vrf_write_row;
  row_t [3:0] vrf_write_data;
  rpu_vrf #(
      .Hples(Hples),
      .Rows(Beats),
      .Width(WordBits),
      .Ports(ports_name(Config.vrf_ports)),
      .Map(vrf_map_name(Config.vrf_map))
  ) i_vrf (
      .clk_i,
      .rst_ni,
      .read_i(vrf_read),
      .read_register_i(vrf_read_register),
      .read_row_i(vrf_read_row),
      .read_data_o(vrf_read_data),
      .write_i(vrf_write),
      .write_register_i(vrf_write_register),
      .write_row_i(vrf_write_row),
      .write_data_i(vrf_write_data)
  );

  // ---- Compute pipe.
  decoded_t compute_reading, compute_writing;
  logic compute_last_read, compute_last_write, compute_busy;
  row_index_t compute_read_row, compute_write_row;
  rpu_compute #(
      .Hples(Hples),
      .Beats(Beats),
      .WordBits(WordBits),
      .Latency(Config.compute_latency),
      .Ii(Config.ii),
      .Gap(Config.gap),
      .Products(products_name(Config.products))
  ) i_compute (
      .clk_i,
      .rst_ni,
      .valid_i(valid_i[ClassCompute]),
      .instruction_i(compute_i),
      .scalar_i,
      .modulus_i,
      .reciprocal_i,
      .shift_i,
      .free_i(compute_free),
      .start_o(start_o[ClassCompute]),
      .read_o(vrf_read[2:0]),
      .read_register_o(vrf_read_register[2:0]),
      .read_row_o(compute_read_row),
      .read_data_i(vrf_read_data[2:0]),
      .write_o(vrf_write[1:0]),
      .write_register_o(vrf_write_register[1:0]),
      .write_row_o(compute_write_row),
      .write_data_o(vrf_write_data[1:0]),
      .last_read_o(compute_last_read),
      .reading_o(compute_reading),
      .last_write_o(compute_last_write),
      .writing_o(compute_writing),
      .busy_o(compute_busy)
  );
  assign vrf_read_row[2:0]  = {3{compute_read_row}};
  assign vrf_write_row[1:0] = {2{compute_write_row}};

  // ---- Shuffle pipe.
  decoded_t shuffle_reading, shuffle_writing;
  logic shuffle_last_read, shuffle_last_write, shuffle_busy;
  row_index_t shuffle_read_row;
  rpu_shuffle #(
      .Hples(Hples),
      .Beats(Beats),
      .WordBits(WordBits),
      .Latency(Config.shuffle_latency),
      .Gap(Config.gap)
  ) i_shuffle (
      .clk_i,
      .rst_ni,
      .valid_i(valid_i[ClassShuffle]),
      .instruction_i(shuffle_i),
      .free_i(shuffle_free),
      .start_o(start_o[ClassShuffle]),
      .read_o(vrf_read[4:3]),
      .read_register_o(vrf_read_register[4:3]),
      .read_row_o(shuffle_read_row),
      .read_data_i(vrf_read_data[4:3]),
      .write_o(vrf_write[2]),
      .write_register_o(vrf_write_register[2]),
      .write_row_o(vrf_write_row[2]),
      .write_data_o(vrf_write_data[2]),
      .last_read_o(shuffle_last_read),
      .reading_o(shuffle_reading),
      .last_write_o(shuffle_last_write),
      .writing_o(shuffle_writing),
      .busy_o(shuffle_busy)
  );
  assign vrf_read_row[4:3] = {2{shuffle_read_row}};

  // ---- Load/store pipes.
  logic store_read, load_end, store_end, load_store_busy;
  logic [5:0] store_source;
  decoded_t load_last, store_last;
  rpu_load_store_pipes #(
      .Config(Config)
  ) i_load_store_pipes (
      .clk_i,
      .rst_ni,
      .valid_i(valid_i[ClassLoadStore]),
      .instruction_i(load_store_i),
      .base_i,
      .start_o(start_o[ClassLoadStore]),
      .taken_i(taken),
      .vrf_read_o(vrf_read[5]),
      .vrf_read_register_o(vrf_read_register[5]),
      .vrf_read_row_o(vrf_read_row[5]),
      .vrf_read_data_i(vrf_read_data[5]),
      .vrf_write_o(vrf_write[3]),
      .vrf_write_register_o(vrf_write_register[3]),
      .vrf_write_row_o(vrf_write_row[3]),
      .vrf_write_data_o(vrf_write_data[3]),
      .vdm_read_o,
      .vdm_read_word_o,
      .vdm_read_data_i,
      .vdm_write_o,
      .vdm_write_word_o,
      .vdm_write_data_o,
      .sdm_read_o,
      .sdm_address_o,
      .write_scalar_o,
      .write_modulus_o,
      .write_address_o,
      .write_entry_o,
      .source_done_o(store_read),
      .source_o(store_source),
      .load_end_o(load_end),
      .load_o(load_last),
      .store_end_o(store_end),
      .store_o(store_last),
      .busy_o(load_store_busy)
  );

  // ---- Giving registers back, in the last cycle of their use.
  assign release_writes_o[0] = destinations(load_end, load_last);
  assign release_reads_o[0]  = '0;
  assign release_writes_o[1] = '0;
  assign release_writes_o[2] = destinations(compute_last_write, compute_writing);
  assign release_writes_o[3] = destinations(shuffle_last_write, shuffle_writing);
  if (Config.source_release == SourceReleaseReadout) begin : gen_readout
    assign release_reads_o[1] = one(store_read, store_source);
    assign release_reads_o[2] = sources(compute_last_read, compute_reading);
    assign release_reads_o[3] = sources(shuffle_last_read, shuffle_reading);
  end else begin : gen_completion
    assign release_reads_o[1] = sources(store_end, store_last);
    assign release_reads_o[2] = sources(compute_last_write, compute_writing);
    assign release_reads_o[3] = sources(shuffle_last_write, shuffle_writing);
  end

  assign busy_o = compute_busy | shuffle_busy | load_store_busy;

  logic unused;
  assign unused = &{compute_last_read, shuffle_last_read, store_read, store_source, store_end,
                    store_last, compute_reading, compute_writing, shuffle_reading,
                    shuffle_writing};
endmodule
