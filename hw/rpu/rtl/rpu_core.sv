`include "registers.svh"
`include "assertions.svh"

/// The Ring Processing Unit without its bus: front end, three queues, three pipes, memories
/// (RPU, section IV, figure 2).
///
/// `Config` is a machine as `spec/rpu/params.toml` declares it (`rpu_config_pkg`). A program is
/// given by its first address and its length; it runs from `start_i` to the cycle in which `done_o`
/// is 1, and `cycles_o` then is the number of cycles from its first instruction in decode to the end
/// of all. The host port is for before and after. Through the other one lines of words move while it
/// runs: arguments and instructions of what runs next, and with `vdm_port` second vectors; whoever
/// moves them sees to it that the program does not touch them. No move changes a cycle of a program.
///
/// In one cycle the pipes start what they can (`rpu_back_end`), and the front end issues into what
/// the queues held at the cycle's begin: what is issued in cycle t starts in t + 1 at the earliest.
/// Timing: `start_i` in cycle c has the first instruction in decode in c + 2.
module rpu_core
  import rpu_config_pkg::*;
  import rpu_isa_pkg::*;
  import rpu_uses_pkg::*;
#(
    parameter config_t     Config = rpu_machine_pkg::Machine,
    parameter int unsigned Holds  = 4,
    localparam int unsigned ImAddressWidth  = $clog2(Config.im_words),
    localparam int unsigned CountWidth      = $clog2(Config.im_words + 1),
    localparam int unsigned HostWidth       = 32,
    localparam int unsigned Line            = line_words(Config),
    localparam int unsigned ElementBits     = element_bits(Config)
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,

    /// Only while `busy_o` is 0.
    input  logic                      start_i,
    input  logic [ImAddressWidth-1:0] start_address_i,
    input  logic [CountWidth-1:0]     count_i,
    output logic                      busy_o,
    /// In the cycle that ends a program.
    output logic                      done_o,
    output logic [31:0]               cycles_o,
    /// The program stopped before an illegal instruction.
    output logic                      illegal_o,

    /// One word of one memory a cycle, data of a read in the next; only while `busy_o` is 0. The
    /// address counts words of the memory.
    input  logic                      host_request_i,
    input  logic                      host_write_i,
    input  rpu_pkg::memory_e          host_memory_i,
    input  logic [HostWidth-1:0]      host_address_i,
    input  logic [127:0]              host_data_i,
    output logic [127:0]              host_data_o,

    /// A line of one memory a cycle, words at consecutive addresses from that of the first on; in
    /// the vector data memory as `rpu_vector_memory` says, with `vdm_port` exclusive only while
    /// `busy_o` is 0. Words that are read, of that memory only, are here in the next cycle.
    input  logic                      move_request_i,
    input  logic                      move_write_i,
    input  rpu_pkg::memory_e          move_memory_i,
    input  logic [HostWidth-1:0]      move_address_i,
    input  logic [Line-1:0]           move_enable_i,
    input  logic [Line-1:0][ElementBits-1:0] move_data_i,
    output logic [Line-1:0][ElementBits-1:0] move_data_o,

    /// What moves; and that the program has touched it, a cycle later.
    input  rpu_pkg::hold_t [Holds-1:0] holds_i,
    output logic                      violation_o
);
  localparam int unsigned Hples        = Config.hples;
  localparam int unsigned Banks        = Config.banks;
  localparam int unsigned WordBits     = Config.word_bits;
  localparam int unsigned ModulusWidth = WordBits - 1;
  localparam int unsigned ShiftWidth   = $clog2(ModulusWidth);
  localparam int unsigned WordWidth    = index_width(bank_words(Config));
  localparam int unsigned SdmWidth     = $clog2(Config.sdm_words);
  localparam int unsigned ImLanes      = Config.port_bytes / 8;
  localparam int unsigned SdmBeat      = Config.port_bytes / word_bytes(Config);
  localparam int unsigned SdmLanes     = (SdmBeat > 2) ? SdmBeat : 2;

  // ---- The way into the memories: a line of a move, or the host's word as the first of a line.
  logic im_access, sdm_access, vdm_access, access_write;
  logic [HostWidth-1:0] access_address;
  logic [Line-1:0] access_enable;
  logic [Line-1:0][ElementBits-1:0] access_data;
  logic [Line-1:0][WordBits-1:0] access_words;
  rpu_pkg::memory_e access_memory;
  assign access_memory  = move_request_i ? move_memory_i : host_memory_i;
  assign access_write   = move_request_i ? move_write_i : host_write_i;
  assign access_address = move_request_i ? move_address_i : host_address_i;
  assign access_enable  = move_request_i ? move_enable_i : Line'(1);
  always_comb begin
    access_data    = move_data_i;
    access_data[0] = move_request_i ? move_data_i[0] : ElementBits'(host_data_i);
  end
  for (genvar j = 0; j < Line; j++) begin : gen_access
    assign access_words[j] = WordBits'(access_data[j]);
  end
  logic requested;
  assign requested  = move_request_i | host_request_i;
  assign im_access  = requested & (access_memory == rpu_pkg::MemoryInstruction);
  assign vdm_access = requested & (access_memory == rpu_pkg::MemoryVector);
  assign sdm_access = requested & (access_memory == rpu_pkg::MemoryScalar);

  // ---- Front end.
  decoded_t decoded;
  logic issue, register_hit, scalar_hit, fetching, front_end_busy;
  logic [2:0] room;
  logic [ImAddressWidth-1:0] fetch_address;
  logic [InstructionWidth-1:0] instruction_word;

  rpu_front_end #(
      .ImWords(Config.im_words)
  ) i_front_end (
      .clk_i,
      .rst_ni,
      .start_i,
      .start_address_i,
      .count_i,
      .busy_o(front_end_busy),
      .illegal_o,
      .fetch_o(fetching),
      .fetch_address_o(fetch_address),
      .word_i(instruction_word),
      .decoded_o(decoded),
      .hit_i(register_hit | scalar_hit),
      .room_i(room),
      .issue_o(issue)
  );

  logic [ImLanes-1:0][InstructionWidth-1:0] im_data;
  for (genvar j = 0; j < ImLanes; j++) begin : gen_instruction
    assign im_data[j] = InstructionWidth'(access_data[j]);
  end
  rpu_line_memory #(
      .Words(Config.im_words),
      .Width(InstructionWidth),
      .Lanes(ImLanes)
  ) i_instruction_memory (
      .clk_i,
      .rst_ni,
      .read_i(fetching | (im_access & ~access_write)),
      .read_address_i(fetching ? fetch_address : ImAddressWidth'(access_address)),
      .read_data_o(instruction_word),
      .write_i(im_access & access_write),
      .write_address_i(ImAddressWidth'(access_address)),
      .write_enable_i(access_enable[ImLanes-1:0]),
      .write_data_i(im_data)
  );

  // ---- Busyboard. Pipes in its order: loads, stores, compute, shuffle.
  mask_t [3:0] release_reads, release_writes;
  rpu_busyboard #(
      .Registers(NumRegisters),
      .Pipes(4),
      .MaxReaders(3 * Config.queue_depth + Config.load_store_latency + Config.compute_latency +
                  Config.shuffle_latency + 8),
      .Rule(rule_name(Config.busy_rule))
  ) i_busyboard (
      .clk_i,
      .rst_ni,
      .reads_i(sources(1'b1, decoded)),
      .writes_i(destinations(1'b1, decoded)),
      .hit_o(register_hit),
      .issue_i(issue),
      .release_reads_i(release_reads),
      .release_writes_i(release_writes)
  );

  // ---- Scalar unit.
  logic [WordBits-1:0] scalar_value, reciprocal_value, read_scalar;
  logic [31:0] address_value;
  logic [ModulusWidth-1:0] modulus_value;
  logic [ShiftWidth-1:0] shift_value;
  logic sdm_read, write_scalar, write_modulus, write_address;
  logic [SdmWidth-1:0] sdm_address;
  logic [5:0] write_entry;
  logic [SdmLanes-1:0] sdm_enable;
  logic [SdmLanes-1:0][WordBits-1:0] sdm_data;
  for (genvar j = 0; j < SdmLanes; j++) begin : gen_scalar
    assign sdm_enable[j] = (j < SdmBeat) ? access_enable[j%Line] : 1'b0;
    assign sdm_data[j]   = access_words[j%Line];
  end
  rpu_scalar #(
      .SdmWords(Config.sdm_words),
      .WordBits(WordBits),
      .Lanes(SdmLanes)
  ) i_scalar (
      .clk_i,
      .rst_ni,
      .decoded_i(decoded),
      .hit_o(scalar_hit),
      .issue_i(issue),
      .scalar_o(scalar_value),
      .address_o(address_value),
      .modulus_o(modulus_value),
      .reciprocal_o(reciprocal_value),
      .shift_o(shift_value),
      .read_i(sdm_read),
      .read_address_i(sdm_address),
      .write_scalar_i(write_scalar),
      .write_modulus_i(write_modulus),
      .write_address_i(write_address),
      .write_entry_i(write_entry),
      .move_read_i(sdm_access & ~access_write),
      .move_write_i(sdm_access & access_write),
      .move_address_i(SdmWidth'(access_address)),
      .move_enable_i(sdm_enable),
      .move_data_i(sdm_data),
      .move_data_o(read_scalar)
  );

  // ---- Queues.
  logic [2:0] head_valid, start;
  decoded_t load_store_head, compute_head, shuffle_head;
  logic [31:0] head_base;
  logic [WordBits-1:0] head_scalar, head_reciprocal;
  logic [ModulusWidth-1:0] head_modulus;
  logic [ShiftWidth-1:0] head_shift;
  rpu_queues #(
      .Depth(Config.queue_depth),
      .WordBits(WordBits)
  ) i_queues (
      .clk_i,
      .rst_ni,
      .issue_i(issue),
      .instruction_i(decoded),
      .address_i(address_value),
      .scalar_i(scalar_value),
      .modulus_i(modulus_value),
      .reciprocal_i(reciprocal_value),
      .shift_i(shift_value),
      .room_o(room),
      .valid_o(head_valid),
      .ready_i(start),
      .load_store_o(load_store_head),
      .base_o(head_base),
      .compute_o(compute_head),
      .scalar_o(head_scalar),
      .modulus_o(head_modulus),
      .reciprocal_o(head_reciprocal),
      .shift_o(head_shift),
      .shuffle_o(shuffle_head)
  );

  // ---- Pipes and register file.
  logic [Banks-1:0] bank_read, bank_write;
  logic [Banks-1:0][WordWidth-1:0] bank_read_word, bank_write_word;
  logic [Banks-1:0][WordBits-1:0] bank_data, bank_write_data;
  logic pipes_busy;
  rpu_back_end #(
      .Config(Config)
  ) i_back_end (
      .clk_i,
      .rst_ni,
      .valid_i(head_valid),
      .start_o(start),
      .load_store_i(load_store_head),
      .base_i(head_base),
      .compute_i(compute_head),
      .scalar_i(head_scalar),
      .modulus_i(head_modulus),
      .reciprocal_i(head_reciprocal),
      .shift_i(head_shift),
      .shuffle_i(shuffle_head),
      .vdm_read_o(bank_read),
      .vdm_read_word_o(bank_read_word),
      .vdm_read_data_i(bank_data),
      .vdm_write_o(bank_write),
      .vdm_write_word_o(bank_write_word),
      .vdm_write_data_o(bank_write_data),
      .sdm_read_o(sdm_read),
      .sdm_address_o(sdm_address),
      .write_scalar_o(write_scalar),
      .write_modulus_o(write_modulus),
      .write_address_o(write_address),
      .write_entry_o(write_entry),
      .release_reads_o(release_reads),
      .release_writes_o(release_writes),
      .busy_o(pipes_busy)
  );

  // ---- Vector data memory.
  logic [Line-1:0][WordBits-1:0] read_line;
  rpu_vector_memory #(
      .Config(Config)
  ) i_vector_memory (
      .clk_i,
      .rst_ni,
      .read_i(bank_read),
      .read_word_i(bank_read_word),
      .read_data_o(bank_data),
      .write_i(bank_write),
      .write_word_i(bank_write_word),
      .write_data_i(bank_write_data),
      .move_request_i(vdm_access),
      .move_write_i(access_write),
      .move_address_i(access_address),
      .move_enable_i(access_enable),
      .move_data_i(access_words),
      .move_data_o(read_line)
  );
  for (genvar j = 0; j < Line; j++) begin : gen_read
    assign move_data_o[j] = ElementBits'(read_line[j]);
  end

  rpu_holds #(
      .Config(Config),
      .Holds(Holds)
  ) i_holds (
      .clk_i,
      .rst_ni,
      .holds_i,
      .fetch_i(fetching),
      .fetch_address_i(fetch_address),
      .scalar_i(sdm_read),
      .scalar_address_i(sdm_address),
      .read_i(bank_read),
      .read_word_i(bank_read_word),
      .write_i(bank_write),
      .write_word_i(bank_write_word),
      .violation_o
  );

  rpu_pkg::memory_e host_memory_q;
  `RW_FFLNR(host_memory_q, host_memory_i, host_request_i)
  always_comb begin
    unique case (host_memory_q)
      rpu_pkg::MemoryVector: host_data_o = 128'(read_line[0]);
      rpu_pkg::MemoryScalar: host_data_o = 128'(read_scalar);
      default:               host_data_o = 128'(instruction_word);
    endcase
  end

  // ---- The program's end.
  logic running_d, running_q, at_work;
  logic [31:0] cycles_d, cycles_q;
  assign at_work   = front_end_busy | (head_valid != '0) | pipes_busy;
  assign running_d = start_i | (running_q & ~done_o);
  assign done_o    = running_q & ~at_work;
  assign busy_o    = running_q;
  assign cycles_o  = cycles_q;
  // The first of the cycles counted is two after the start.
  assign cycles_d  = start_i ? 32'hffff_ffff : cycles_q + 32'({running_q & ~done_o});
  `RW_FF(running_q, running_d, 1'b0)
  `RW_FF(cycles_q, cycles_d, '0)

  logic unused;
  assign unused = &{access_address, access_data, host_data_i, access_enable};

  `RW_REQUIRE(rpu_core_hples, Hples >= 1 && Hples <= 256 && $onehot(Hples))
  `RW_REQUIRE(rpu_core_banks, Banks >= 4 && Banks <= 256 && $onehot(Banks))
  `RW_REQUIRE(rpu_core_vector_length, Config.vector_length <= 512 &&
              $onehot(Config.vector_length) && Config.vector_length >= 2 * Hples)
  `RW_REQUIRE(rpu_core_word_bits, WordBits >= 20 && WordBits <= 128)
  `RW_REQUIRE(rpu_core_vdm_words, $onehot(Config.vdm_words) && Config.vdm_words >= Banks)
  `RW_REQUIRE(rpu_core_sdm_words, $onehot(Config.sdm_words) && Config.sdm_words >= 4)
  `RW_REQUIRE(rpu_core_im_words, Config.im_words >= 2 && Config.im_words <= 65536)
  `RW_REQUIRE(rpu_core_port_bytes, $onehot(Config.port_bytes) && Config.port_bytes >= 8 &&
              Config.port_bytes <= 128 && Config.port_bytes >= word_bytes(Config) &&
              Config.port_bytes / narrow_bytes(Config) <= Banks && ImLanes <= Config.im_words &&
              SdmLanes <= Config.sdm_words)
  `RW_REQUIRE(rpu_core_latencies, Config.compute_latency >= 4 && Config.load_store_latency >= 1 &&
              Config.shuffle_latency >= 3)
  `RW_REQUIRE(rpu_core_ii, Config.ii == 1 || Config.ii == 2)
  `RW_ASSERT(rpu_core_start, !(start_i & busy_o))
  `RW_ASSERT(rpu_core_host, !(host_request_i & (busy_o | move_request_i)))
  `RW_ASSERT(rpu_core_move, !(move_request_i & busy_o) || move_write_i ||
             move_memory_i == rpu_pkg::MemoryVector)
endmodule
