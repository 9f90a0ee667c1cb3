`include "registers.svh"
`include "assertions.svh"

/// The Ring Processing Unit without its bus: front end, three queues, three pipes, memories
/// (RPU, section IV, figure 2).
///
/// Parameters are those of `spec/rpu/params.toml`. A program is given by its first address and its
/// length; it runs from `start_i` to the cycle in which `done_o` is 1, and `cycles_o` then is the
/// number of cycles from its first instruction in decode to the end of all. Meanwhile the memories
/// are the program's: the host port is for before and after.
///
/// One cycle of the control, in the order in which it is decided: the compute queue's head starts
/// if its pipe is free and its register memories are (`rpu_reservations`), then the shuffle queue's
/// head, then the load/store pipe holds or moves; the front end issues into what the queues held at
/// the cycle's begin. An instruction issued in cycle t starts in t + 1 at the earliest.
/// Timing: `start_i` in cycle c has the first instruction in decode in c + 2.
module rpu_core
  import rpu_isa_pkg::*;
#(
    parameter int unsigned Hples            = 8,
    parameter int unsigned Banks            = 8,
    parameter int unsigned VectorLength     = 64,
    parameter int unsigned WordBits         = 64,
    parameter int unsigned VdmWords         = 2048,
    parameter int unsigned SdmWords         = 64,
    parameter int unsigned ImWords          = 256,
    parameter int unsigned ComputeLatency   = 10,
    parameter int unsigned Ii               = 1,
    parameter int unsigned LoadStoreLatency = 6,
    parameter int unsigned ShuffleLatency   = 5,
    parameter int unsigned Gap              = 0,
    parameter int unsigned QueueDepth       = 8,
    parameter string       VrfPorts         = "single",
    parameter string       VrfMap           = "modulo",
    parameter string       VdmMap           = "skewed",
    parameter string       LoadStorePipes   = "shared",
    parameter string       BusyRule         = "shared_reads",
    parameter string       SourceRelease    = "readout",
    parameter string       Products         = "Compressed",
    localparam int unsigned ImAddressWidth  = $clog2(ImWords),
    localparam int unsigned CountWidth      = $clog2(ImWords + 1),
    localparam int unsigned HostWidth       = 32
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
    output logic [127:0]              host_data_o
);
  localparam int unsigned Beats        = VectorLength / Hples;
  localparam int unsigned RowWidth     = (Beats > 1) ? $clog2(Beats) : 1;
  localparam int unsigned ModulusWidth = WordBits - 1;
  localparam int unsigned ShiftWidth   = $clog2(ModulusWidth);
  localparam int unsigned BankWidth    = $clog2(Banks);
  localparam int unsigned BankWords    = VdmWords / Banks;
  localparam int unsigned WordWidth    = (BankWords > 1) ? $clog2(BankWords) : 1;
  localparam int unsigned SdmWidth     = $clog2(SdmWords);
  localparam bit          Single       = VrfPorts == "single";
  localparam bit          Separate     = LoadStorePipes == "separate";
  localparam bit          AtReadout    = SourceRelease == "readout";
  localparam bit          KnownPipes   = Separate || LoadStorePipes == "shared";
  localparam bit          KnownRelease = AtReadout || SourceRelease == "completion";
  localparam bit          Quotient     = VrfMap == "quotient";
  localparam int unsigned Memories     = 16;

  typedef logic [RowWidth-1:0] row_index_t;
  typedef logic [Hples-1:0][WordBits-1:0] row_t;
  typedef logic [NumRegisters-1:0] mask_t;

  // An instruction in its queue, with the values that it took along at its issue.
  typedef struct packed {
    decoded_t instruction;
    logic [31:0]  base;
  } load_store_t;
  typedef struct packed {
    decoded_t            instruction;
    logic [WordBits-1:0]     scalar;
    logic [ModulusWidth-1:0] modulus;
    logic [WordBits-1:0]     reciprocal;
    logic [ShiftWidth-1:0]   shift;
  } compute_t;

  function automatic mask_t one(logic valid, logic [RegisterWidth-1:0] index);
    return valid ? mask_t'(1) << index : '0;
  endfunction
  // Either function looks at its part of the instruction.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic mask_t sources(logic valid, decoded_t i);
    return one(valid & i.reads_vs, i.vs) | one(valid & i.reads_vt, i.vt) |
           one(valid & i.reads_vt1, i.vt1);
  endfunction
  function automatic mask_t destinations(logic valid, decoded_t i);
    return one(valid & i.writes_vd, i.vd) | one(valid & i.writes_vd1, i.vd1);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
  // The register memories of a set of registers.
  function automatic logic [Memories-1:0] memories(mask_t registers);
    memories = '0;
    for (int r = 0; r < NumRegisters; r++) begin
      memories[rpu_vrf_map_pkg::memory_of(Quotient, 6'(r))] |= registers[r];
    end
  endfunction

  // ---- Front end.
  decoded_t decoded;
  logic issue, register_hit, scalar_hit, fetching, front_end_busy;
  logic [2:0] room;
  logic [ImAddressWidth-1:0] fetch_address;
  logic [InstructionWidth-1:0] instruction_word;

  rpu_front_end #(
      .ImWords(ImWords)
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

  logic host_im, host_vdm, host_sdm;
  assign host_im  = host_request_i & (host_memory_i == rpu_pkg::MemoryInstruction);
  assign host_vdm = host_request_i & (host_memory_i == rpu_pkg::MemoryVector);
  assign host_sdm = host_request_i & (host_memory_i == rpu_pkg::MemoryScalar);

  mem_1rw #(
      .Words(ImWords),
      .Width(InstructionWidth)
  ) i_instruction_memory (
      .clk_i,
      .rst_ni,
      .request_i(fetching | host_im),
      .write_i(host_im & host_write_i),
      .address_i(host_im ? ImAddressWidth'(host_address_i) : fetch_address),
      .write_data_i(InstructionWidth'(host_data_i)),
      .read_data_o(instruction_word)
  );

  // ---- Busyboard. Pipes in its order: loads, stores, compute, shuffle.
  mask_t [3:0] release_reads, release_writes;
  rpu_busyboard #(
      .Registers(NumRegisters),
      .Pipes(4),
      .MaxReaders(3 * QueueDepth + LoadStoreLatency + ComputeLatency + ShuffleLatency + 8),
      .Rule(BusyRule)
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
  logic [WordBits-1:0] scalar_value, reciprocal_value, host_sdm_data;
  logic [31:0] address_value;
  logic [ModulusWidth-1:0] modulus_value;
  logic [ShiftWidth-1:0] shift_value;
  logic sdm_read, write_scalar, write_modulus, write_address;
  logic [SdmWidth-1:0] sdm_address;
  logic [5:0] write_entry;
  rpu_scalar #(
      .SdmWords(SdmWords),
      .WordBits(WordBits)
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
      .host_request_i(host_sdm),
      .host_write_i,
      .host_address_i(SdmWidth'(host_address_i)),
      .host_data_i(WordBits'(host_data_i)),
      .host_data_o(host_sdm_data)
  );

  // ---- Queues.
  logic [2:0] push, head_valid, start;
  load_store_t load_store_in, load_store_head;
  compute_t compute_in, compute_head;
  decoded_t shuffle_head;
  for (genvar i = 0; i < 3; i++) begin : gen_push
    assign push[i] = issue & (decoded.class_id == class_e'(i));
  end
  assign load_store_in = '{instruction: decoded, base: address_value + 32'(decoded.address)};
  assign compute_in = '{
          instruction: decoded,
          scalar: scalar_value,
          modulus: modulus_value,
          reciprocal: reciprocal_value,
          shift: shift_value
      };

  logic [2:0][$clog2(QueueDepth+1)-1:0] unused_usage;
  fifo #(
      .Depth(QueueDepth),
      .data_t(load_store_t)
  ) i_load_store_queue (
      .clk_i,
      .rst_ni,
      .valid_i(push[ClassLoadStore]),
      .ready_o(room[ClassLoadStore]),
      .data_i(load_store_in),
      .valid_o(head_valid[ClassLoadStore]),
      .ready_i(start[ClassLoadStore]),
      .data_o(load_store_head),
      .usage_o(unused_usage[0])
  );
  fifo #(
      .Depth(QueueDepth),
      .data_t(compute_t)
  ) i_compute_queue (
      .clk_i,
      .rst_ni,
      .valid_i(push[ClassCompute]),
      .ready_o(room[ClassCompute]),
      .data_i(compute_in),
      .valid_o(head_valid[ClassCompute]),
      .ready_i(start[ClassCompute]),
      .data_o(compute_head),
      .usage_o(unused_usage[1])
  );
  fifo #(
      .Depth(QueueDepth),
      .data_t(decoded_t)
  ) i_shuffle_queue (
      .clk_i,
      .rst_ni,
      .valid_i(push[ClassShuffle]),
      .ready_o(room[ClassShuffle]),
      .data_i(decoded),
      .valid_o(head_valid[ClassShuffle]),
      .ready_i(start[ClassShuffle]),
      .data_o(shuffle_head),
      .usage_o(unused_usage[2])
  );

  // ---- Whose register memories are free.
  logic compute_free, shuffle_free;
  logic [Memories-1:0] taken;
  if (Single) begin : gen_reservations
    rpu_reservations #(
        .Memories(Memories),
        .Beats(Beats),
        .ComputeLatency(ComputeLatency),
        .Ii(Ii),
        .ShuffleLatency(ShuffleLatency)
    ) i_reservations (
        .clk_i,
        .rst_ni,
        .compute_reads_i(memories(sources(1'b1, compute_head.instruction))),
        .compute_writes_i(memories(destinations(1'b1, compute_head.instruction))),
        .compute_free_o(compute_free),
        .compute_start_i(start[ClassCompute]),
        .shuffle_reads_i(memories(sources(1'b1, shuffle_head))),
        .shuffle_writes_i(memories(destinations(1'b1, shuffle_head))),
        .shuffle_free_o(shuffle_free),
        .shuffle_start_i(start[ClassShuffle]),
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
      .Ports(VrfPorts),
      .Map(VrfMap)
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
      .Latency(ComputeLatency),
      .Ii(Ii),
      .Gap(Gap),
      .Products(Products)
  ) i_compute (
      .clk_i,
      .rst_ni,
      .valid_i(head_valid[ClassCompute]),
      .instruction_i(compute_head.instruction),
      .scalar_i(compute_head.scalar),
      .modulus_i(compute_head.modulus),
      .reciprocal_i(compute_head.reciprocal),
      .shift_i(compute_head.shift),
      .free_i(compute_free),
      .start_o(start[ClassCompute]),
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
      .Latency(ShuffleLatency),
      .Gap(Gap)
  ) i_shuffle (
      .clk_i,
      .rst_ni,
      .valid_i(head_valid[ClassShuffle]),
      .instruction_i(shuffle_head),
      .free_i(shuffle_free),
      .start_o(start[ClassShuffle]),
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

  // ---- Load/store pipes: [0] is shared or for loads, [1] for stores.
  localparam int unsigned Pipes = Separate ? 2 : 1;
  logic [Pipes-1:0] pipe_valid, pipe_start, pipe_hold, pipe_busy, pipe_source_done, pipe_end;
  logic [Pipes-1:0] wants_read, wants_write, same_memory, vrf_reads, vrf_writes;
  logic [Pipes-1:0][5:0] read_register, write_register, pipe_source;
  row_index_t [Pipes-1:0] read_row, write_row;
  row_t [Pipes-1:0] row_written;
  logic [Pipes-1:0][Banks-1:0] bank_reads, bank_writes;
  logic [Pipes-1:0][Banks-1:0][WordWidth-1:0] bank_read_word, bank_write_word;
  logic [Pipes-1:0][Banks-1:0][WordBits-1:0] bank_write_data;
  logic [Pipes-1:0] scalar_reads, scalar_writes, modulus_writes, address_writes;
  logic [Pipes-1:0][SdmWidth-1:0] scalar_address;
  logic [Pipes-1:0][5:0] entry;
  decoded_t [Pipes-1:0] pipe_last;
  logic [Banks-1:0][WordBits-1:0] bank_data;

  // The memory of a register, if it is taken by who may not wait.
  function automatic logic is_taken(logic [Memories-1:0] memories_taken, logic [5:0] register_index);
    return memories_taken[rpu_vrf_map_pkg::memory_of(Quotient, register_index)];
  endfunction

  for (genvar p = 0; p < Pipes; p++) begin : gen_load_store
    localparam bit Loads  = !Separate || p == 0;
    localparam bit Stores = !Separate || p == 1;
    logic mine, meet;
    assign mine = !Separate ||
                  (load_store_head.instruction.op == OpVstore) == (p == 1);
    assign pipe_valid[p] = head_valid[ClassLoadStore] & mine;
    // A row that the load pipe writes counts as taken for the store pipe.
    assign meet = Single & wants_write[0] & wants_read[p] &
                  (rpu_vrf_map_pkg::memory_of(Quotient, write_register[0]) ==
                   rpu_vrf_map_pkg::memory_of(Quotient, read_register[p]));
    assign same_memory[p] = !Separate & meet;
    assign pipe_hold[p] = (wants_read[p] & is_taken(taken, read_register[p])) |
                          (wants_write[p] & is_taken(taken, write_register[p])) |
                          (Stores & Separate & meet & ~pipe_hold[0]);

    rpu_load_store #(
        .Hples(Hples),
        .Beats(Beats),
        .Banks(Banks),
        .VdmWords(VdmWords),
        .SdmWords(SdmWords),
        .Width(WordBits),
        .Latency(LoadStoreLatency),
        .Gap(Gap),
        .VdmMap(VdmMap),
        .Loads(Loads),
        .Stores(Stores)
    ) i_load_store (
        .clk_i,
        .rst_ni,
        .valid_i(pipe_valid[p]),
        .instruction_i(load_store_head.instruction),
        .base_i(load_store_head.base),
        .start_o(pipe_start[p]),
        .hold_i(pipe_hold[p]),
        .wants_read_o(wants_read[p]),
        .read_register_o(read_register[p]),
        .wants_write_o(wants_write[p]),
        .write_register_o(write_register[p]),
        .same_memory_i(same_memory[p]),
        .vrf_read_o(vrf_reads[p]),
        .vrf_read_row_o(read_row[p]),
        .vrf_read_data_i(vrf_read_data[5]),
        .vrf_write_o(vrf_writes[p]),
        .vrf_write_row_o(write_row[p]),
        .vrf_write_data_o(row_written[p]),
        .vdm_read_o(bank_reads[p]),
        .vdm_read_word_o(bank_read_word[p]),
        .vdm_read_data_i(bank_data),
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
  assign start[ClassLoadStore] = |pipe_start;

  localparam int unsigned Store = Pipes - 1;
  assign vrf_read[5]           = vrf_reads[Store];
  assign vrf_read_register[5]  = read_register[Store];
  assign vrf_read_row[5]       = read_row[Store];
  assign vrf_write[3]          = vrf_writes[0];
  assign vrf_write_register[3] = write_register[0];
  assign vrf_write_row[3]      = write_row[0];
  assign vrf_write_data[3]     = row_written[0];
  assign sdm_read              = scalar_reads[0];
  assign sdm_address           = scalar_address[0];
  assign write_scalar          = scalar_writes[0];
  assign write_modulus         = modulus_writes[0];
  assign write_address         = address_writes[0];
  assign write_entry           = entry[0];

  // ---- Vector data memory, with the host's way in.
  localparam int unsigned VdmWidth = $clog2(VdmWords);
  logic [BankWidth-1:0] host_bank, host_bank_q;
  logic [Banks-1:0] host_banks;
  logic [WordWidth-1:0] host_bank_word;
  rpu_bank_of #(
      .Banks(Banks),
      .AddressWidth(VdmWidth),
      .Map(VdmMap)
  ) i_host_bank (
      .address_i(VdmWidth'(host_address_i)),
      .bank_o(host_bank)
  );
  assign host_banks     = host_vdm ? Banks'(1) << host_bank : '0;
  assign host_bank_word = WordWidth'(VdmWidth'(host_address_i) >> BankWidth);

  rpu_vdm #(
      .Banks(Banks),
      .BankWords(BankWords),
      .Width(WordBits)
  ) i_vdm (
      .clk_i,
      .rst_ni,
      .read_i(bank_reads[0] | (host_write_i ? '0 : host_banks)),
      .read_word_i(host_vdm ? {Banks{host_bank_word}} : bank_read_word[0]),
      .read_data_o(bank_data),
      .write_i(bank_writes[Store] | (host_write_i ? host_banks : '0)),
      .write_word_i(host_vdm ? {Banks{host_bank_word}} : bank_write_word[Store]),
      .write_data_i(host_vdm ? {Banks{WordBits'(host_data_i)}} : bank_write_data[Store])
  );

  rpu_pkg::memory_e host_memory_q;
  `RW_FFLNR(host_memory_q, host_memory_i, host_request_i)
  `RW_FFLNR(host_bank_q, host_bank, host_request_i)
  always_comb begin
    unique case (host_memory_q)
      rpu_pkg::MemoryVector: host_data_o = 128'(bank_data[host_bank_q]);
      rpu_pkg::MemoryScalar: host_data_o = 128'(host_sdm_data);
      default:               host_data_o = 128'(instruction_word);
    endcase
  end

  // ---- Giving registers back, in the last cycle of their use.
  assign release_writes[0] = destinations(pipe_end[0], pipe_last[0]);
  assign release_reads[0]  = '0;
  assign release_writes[1] = '0;
  assign release_writes[2] = destinations(compute_last_write, compute_writing);
  assign release_writes[3] = destinations(shuffle_last_write, shuffle_writing);
  if (AtReadout) begin : gen_readout
    assign release_reads[1] = one(pipe_source_done[Store], pipe_source[Store]);
    assign release_reads[2] = sources(compute_last_read, compute_reading);
    assign release_reads[3] = sources(shuffle_last_read, shuffle_reading);
  end else begin : gen_completion
    assign release_reads[1] = sources(pipe_end[Store], pipe_last[Store]);
    assign release_reads[2] = sources(compute_last_write, compute_writing);
    assign release_reads[3] = sources(shuffle_last_write, shuffle_writing);
  end

  // ---- The program's end.
  logic running_d, running_q, at_work;
  logic [31:0] cycles_d, cycles_q;
  assign at_work   = front_end_busy | (head_valid != '0) | compute_busy | shuffle_busy |
                     (pipe_busy != '0);
  assign running_d = start_i | (running_q & ~done_o);
  assign done_o    = running_q & ~at_work;
  assign busy_o    = running_q;
  assign cycles_o  = cycles_q;
  // The first of the cycles counted is two after the start.
  assign cycles_d  = start_i ? 32'hffff_ffff : cycles_q + 32'({running_q & ~done_o});
  `RW_FF(running_q, running_d, 1'b0)
  `RW_FF(cycles_q, cycles_d, '0)

  logic unused;
  assign unused = &{unused_usage, compute_last_read, shuffle_last_read, host_address_i,
                    host_data_i, compute_reading, compute_writing, shuffle_reading,
                    shuffle_writing, scalar_reads, scalar_writes, modulus_writes, address_writes,
                    scalar_address, entry, pipe_source, pipe_source_done, pipe_last, pipe_end,
                    vrf_reads, vrf_writes, read_row, write_row, row_written, bank_reads,
                    bank_read_word, bank_writes, bank_write_word, bank_write_data, read_register,
                    write_register};

  `RW_REQUIRE(rpu_core_hples, Hples >= 1 && Hples <= 256 && $onehot(Hples))
  `RW_REQUIRE(rpu_core_banks, Banks >= 4 && Banks <= 256 && $onehot(Banks))
  `RW_REQUIRE(rpu_core_vector_length,
              VectorLength <= 512 && $onehot(VectorLength) && VectorLength >= 2 * Hples)
  `RW_REQUIRE(rpu_core_word_bits, WordBits >= 20 && WordBits <= 128)
  `RW_REQUIRE(rpu_core_vdm_words, $onehot(VdmWords) && VdmWords >= Banks)
  `RW_REQUIRE(rpu_core_sdm_words, $onehot(SdmWords) && SdmWords >= 4)
  `RW_REQUIRE(rpu_core_im_words, ImWords >= 2 && ImWords <= 65536)
  `RW_REQUIRE(rpu_core_latencies,
              ComputeLatency >= 4 && LoadStoreLatency >= 1 && ShuffleLatency >= 3)
  `RW_REQUIRE(rpu_core_ii, Ii == 1 || Ii == 2)
  `RW_REQUIRE(rpu_core_pipes, KnownPipes)
  `RW_REQUIRE(rpu_core_release, KnownRelease)
  `RW_ASSERT(rpu_core_start, !(start_i & busy_o))
  `RW_ASSERT(rpu_core_host, !(host_request_i & busy_o))
endmodule
