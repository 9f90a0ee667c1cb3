/// `rpu_core` with probes, behind the two vectors through which a lockstep run drives a design.
///
/// Cycle 0 of a program is the second cycle after its start. Records:
///   front_end   issue (address of the instruction, its word), stall (0 a busy register, 1 a full
///               queue) in every cycle in which an instruction waits
///   load_store, compute, shuffle   start (how many started before); load_store hold (which pipe)
///   vrf write, vdm write           (element or address, word)
///   scalar srf, arf, mrf           (entry, word)
///   busyboard   write_set, read_set, write_clear, read_clear (register)
///   core done
module lockstep_rpu_core
  import rpu_config_pkg::*;
  import rpu_isa_pkg::*;
#(
    parameter config_t Config = rpu_machine_pkg::Machine
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    /// [127:0] data, [159:128] address, [161:160] memory, [162] request, [163] write, [164] start,
    /// [191:168] instructions; a program starts at address. A move of a line: [319:192] its first
    /// word, word j of it is that with j added; [351:320] address, [352] request, [353] write,
    /// [355:354] memory, [415:384] enable.
    input  logic [415:0] in_i,
    /// [127:0] data, [128] busy, [129] done, [130] illegal, [159:136] bytes of
    /// the port, [191:160] cycles; [319:192] the first
    /// word that a move has read.
    output logic [319:0] out_o
);
  localparam int unsigned Hples     = Config.hples;
  localparam int unsigned Banks     = Config.banks;
  localparam int unsigned BankWidth = $clog2(Banks);
  localparam int unsigned Line        = line_words(Config);
  localparam int unsigned ElementBits = element_bits(Config);
  localparam int unsigned Pipes     = (Config.load_store_pipes == LoadStorePipesSeparate) ? 2 : 1;

  logic busy, done, illegal, violation;
  logic [31:0] cycles;
  logic [127:0] data;
  logic [Line-1:0][ElementBits-1:0] move_data, moved;
  for (genvar j = 0; j < Line; j++) begin : gen_move
    assign move_data[j] = ElementBits'(in_i[319:192] + 128'(j));
  end
  rpu_core #(
      .Config(Config)
  ) i_core (
      .clk_i,
      .rst_ni,
      .start_i(in_i[164]),
      .start_address_i(in_i[128+:$clog2(Config.im_words)]),
      .count_i(in_i[168+:$clog2(Config.im_words+1)]),
      .busy_o(busy),
      .done_o(done),
      .cycles_o(cycles),
      .illegal_o(illegal),
      .host_request_i(in_i[162]),
      .host_write_i(in_i[163]),
      .host_memory_i(rpu_pkg::memory_e'(in_i[161:160])),
      .host_address_i(in_i[159:128]),
      .host_data_i(in_i[127:0]),
      .host_data_o(data),
      .move_request_i(in_i[352]),
      .move_write_i(in_i[353]),
      .move_memory_i(rpu_pkg::memory_e'(in_i[355:354])),
      .move_address_i(in_i[351:320]),
      .move_enable_i(in_i[384+:Line]),
      .move_data_i(move_data),
      .move_data_o(moved),
      .holds_i('0),
      .violation_o(violation)
  );
  assign out_o = {128'(moved[0]), cycles, 24'(Config.port_bytes), 5'b0, illegal, done, busy, data};

  // ---- Front end; decode holds what was fetched last.
  lockstep_probe #(
      .Unit("front_end"),
      .Event("issue")
  ) i_issue (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.issue),
      .destination_i(64'(i_core.i_front_end.next_q) - 64'd1),
      .value_i(128'(i_core.instruction_word))
  );
  lockstep_probe #(
      .Unit("front_end"),
      .Event("stall")
  ) i_stall (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.i_front_end.valid_q & i_core.i_front_end.legal & ~i_core.issue),
      .destination_i(64'({~i_core.i_front_end.hit_i})),
      .value_i('0)
  );

  // ---- Starts, counted.
  logic [2:0][63:0] starts_q;
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 3; i++) starts_q[i] <= in_i[164] ? '0 : starts_q[i] + 64'(i_core.start[i]);
  end
  lockstep_probe #(
      .Unit("load_store"),
      .Event("start")
  ) i_load_store (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.start[0]),
      .destination_i(starts_q[0]),
      .value_i('0)
  );
  lockstep_probe #(
      .Unit("compute"),
      .Event("start")
  ) i_compute (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.start[1]),
      .destination_i(starts_q[1]),
      .value_i('0)
  );
  lockstep_probe #(
      .Unit("shuffle"),
      .Event("start")
  ) i_shuffle (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.start[2]),
      .destination_i(starts_q[2]),
      .value_i('0)
  );
  for (genvar p = 0; p < Pipes; p++) begin : gen_hold
    lockstep_probe #(
        .Unit("load_store"),
        .Event("hold")
    ) i_hold (
        .clk_i,
        .rst_ni,
        .fire_i(i_core.i_back_end.i_load_store_pipes.pipe_hold[p]),
        .destination_i(64'(p)),
        .value_i('0)
    );
  end

  // ---- Memories.
  for (genvar w = 0; w < 4; w++) begin : gen_port
    logic [Hples-1:0][63:0] element;
    logic [Hples-1:0][127:0] word;
    for (genvar j = 0; j < Hples; j++) begin : gen_lane
      assign element[j] = 64'(i_core.i_back_end.vrf_write_register[w]) * 64'(Config.vector_length) +
                          64'(i_core.i_back_end.vrf_write_row[w]) * 64'(Hples) + 64'(j);
      assign word[j]    = 128'(i_core.i_back_end.vrf_write_data[w][j]);
    end
    lockstep_probe #(
        .Unit("vrf"),
        .Event("write"),
        .Lanes(Hples)
    ) i_write (
        .clk_i,
        .rst_ni,
        .fire_i({Hples{i_core.i_back_end.vrf_write[w]}}),
        .destination_i(element),
        .value_i(word)
    );
  end

  // The address of a bank's word: its number, and the digit that leads to this bank.
  function automatic logic [31:0] address_of(logic [31:0] word, logic [BankWidth-1:0] bank);
    logic [BankWidth-1:0] others;
    others = '0;
    if (Config.vdm_map == VdmMapSkewed) begin
      for (int unsigned low = 0; low < 32; low += BankWidth) others += BankWidth'(word >> low);
    end
    return word * 32'(Banks) + 32'(BankWidth'(bank - others));
  endfunction
  logic [Banks-1:0][63:0] address;
  logic [Banks-1:0][127:0] stored;
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    assign address[b] = 64'(address_of(32'(i_core.bank_write_word[b]), BankWidth'(b)));
    assign stored[b]  = 128'(i_core.bank_write_data[b]);
  end
  lockstep_probe #(
      .Unit("vdm"),
      .Event("write"),
      .Lanes(Banks)
  ) i_vdm (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.bank_write),
      .destination_i(address),
      .value_i(stored)
  );
  lockstep_probe #(
      .Unit("scalar"),
      .Event("srf")
  ) i_srf (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.write_scalar),
      .destination_i(64'(i_core.write_entry)),
      .value_i(128'(i_core.i_scalar.first))
  );
  lockstep_probe #(
      .Unit("scalar"),
      .Event("arf")
  ) i_arf (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.write_address),
      .destination_i(64'(i_core.write_entry)),
      .value_i(128'(32'(i_core.i_scalar.first)))
  );
  lockstep_probe #(
      .Unit("scalar"),
      .Event("mrf")
  ) i_mrf (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.write_modulus),
      .destination_i(64'(i_core.write_entry)),
      .value_i(128'(i_core.i_scalar.first))
  );

  // ---- Busyboard; a lane is a register.
  logic [NumRegisters-1:0][63:0] index;
  for (genvar r = 0; r < NumRegisters; r++) begin : gen_register
    assign index[r] = 64'(r);
  end
  lockstep_probe #(
      .Unit("busyboard"),
      .Event("write_set"),
      .Lanes(NumRegisters)
  ) i_write_set (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.issue ? i_core.i_busyboard.writes_i : '0),
      .destination_i(index),
      .value_i('0)
  );
  lockstep_probe #(
      .Unit("busyboard"),
      .Event("read_set"),
      .Lanes(NumRegisters)
  ) i_read_set (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.issue ? i_core.i_busyboard.reads_i : '0),
      .destination_i(index),
      .value_i('0)
  );
  lockstep_probe #(
      .Unit("busyboard"),
      .Event("write_clear"),
      .Lanes(NumRegisters)
  ) i_write_clear (
      .clk_i,
      .rst_ni,
      .fire_i(i_core.i_busyboard.released),
      .destination_i(index),
      .value_i('0)
  );
  for (genvar p = 0; p < 4; p++) begin : gen_pipe
    lockstep_probe #(
        .Unit("busyboard"),
        .Event("read_clear"),
        .Lanes(NumRegisters)
    ) i_read_clear (
        .clk_i,
        .rst_ni,
        .fire_i(i_core.release_reads[p]),
        .destination_i(index),
        .value_i('0)
    );
  end

  lockstep_probe #(
      .Unit("core"),
      .Event("done")
  ) i_done (
      .clk_i,
      .rst_ni,
      .fire_i(done),
      .destination_i('0),
      .value_i('0)
  );

  logic unused;
  assign unused = &{in_i, moved, violation};
endmodule
