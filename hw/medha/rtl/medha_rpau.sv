`include "registers.svh"
`include "assertions.svh"

/// A residue polynomial arithmetic unit: memories, NTT core, dyadic core and unit for automorphisms under
/// one prime, the way onto the ring and from it, and the streams that tell them what to do.
///
/// An operation begins in cycle b, reads its first words in b + IssueCycles, and the next one that waits for
/// it may begin in the cycle after `ended_o`. Which slots it holds meanwhile `medha_owners` says; one that
/// may not begin sets `wrong_o`.
///
/// Of the ring: a row that comes is written in the cycle in which it comes, and goes on from there. A row
/// of its own leaves the memory a cycle after it is read.
module medha_rpau
  import medha_config_pkg::*;
  import medha_isa_pkg::*;
  import medha_pkg::*;
#(
    parameter config_t     Config = medha_machine_pkg::Machine,
    parameter int unsigned Index  = 0,
    localparam int unsigned Banks        = banks(Config),
    localparam int unsigned LogMaxN      = $clog2(Config.max_degree),
    localparam int unsigned BitWidth     = $clog2(LogMaxN + 2),
    localparam int unsigned NttRowWidth  = LogMaxN - $clog2(Banks),
    localparam int unsigned Width        = Config.wide_bits,
    localparam int unsigned Lanes        = Config.dma_lanes,
    localparam int unsigned KernelWidth  = $clog2(Kernels)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,

    /// Set-up: a word of a table.
    input  logic                                   set_i,
    input  table_e                                 table_i,
    input  logic [23:0]                            address_i,
    input  logic [InstructionWidth-1:0]            data_i,

    input  logic                                   start_i,
    input  logic [KernelWidth-1:0]                 kernel_i,
    input  logic                                   halt_i,
    input  logic                                   open_i,
    input  logic [BitWidth-1:0]                    log_n_i,
    input  logic [Units-1:0][CountWidth-1:0]       counts_i,
    output logic                                   running_o,
    /// NTT core, dyadic core, link.
    output logic [2:0]                             ended_o,
    output wrong_e                                 wrong_o,

    input  logic                                   from_ring_i,
    input  logic [Banks-1:0][Width-1:0]            from_ring_data_i,
    /// The row that came goes on.
    output logic                                   pass_o,
    /// A row of its own.
    output logic                                   to_ring_o,
    output logic [Banks-1:0][Width-1:0]            to_ring_data_o,

    /// Lanes that move a tower of this RPAU.
    input  logic [Lanes-1:0]                       lane_want_i,
    input  slot_t [Lanes-1:0]                      lane_slot_i,
    input  logic [Lanes-1:0]                       lane_stores_i,
    output logic [Lanes-1:0]                       lane_allowed_o,
    input  logic [Lanes-1:0]                       lane_end_i,
    input  logic [Lanes-1:0]                       lane_read_i,
    input  logic [Lanes-1:0]                       lane_write_i,
    input  logic [Lanes-1:0][NttRowWidth-1:0]      lane_row_i,
    input  logic [Lanes-1:0][Banks-1:0][Width-1:0] lane_data_i,
    output logic [Lanes-1:0][Banks-1:0][Width-1:0] lane_data_o
);
  localparam int unsigned Own             = bits(Config, Index);
  localparam int unsigned LogBanks        = $clog2(Banks);
  localparam int unsigned Issue           = Config.issue_cycles;
  localparam int unsigned Butterflies     = Config.butterflies;
  localparam int unsigned FactorRows      = 2 * Config.max_degree / Butterflies;
  localparam int unsigned FactorRowWidth  = $clog2(FactorRows);
  localparam int unsigned LogButterflies  = $clog2(Butterflies);
  localparam int unsigned CodeWidth       = $clog2(Config.code_words);
  // A slot's number has eight bits.
  localparam int unsigned Arguments       = (Config.arguments < 256) ? Config.arguments : 256;
  localparam int unsigned ArgumentWidth   = (Arguments > 1) ? $clog2(Arguments) : 1;
  localparam int unsigned ConstantWidth   = (Config.constants > 1) ? $clog2(Config.constants) : 1;
  localparam string       Products        = products_name(Config.products);
  // Owners of slots.
  localparam int unsigned Ntt = 0, Dyadic = 1, Link = 2, Land = 3, Lane = 4;
  localparam int unsigned Owners = Lane + Lanes;
  localparam int unsigned Streams = 4;

  typedef logic [Banks-1:0][Width-1:0] words_t;

  // ---- Tables.
  // The prime, its reciprocals for words of this RPAU and of the ring, its shift.
  logic [63:0] modulus_q[4];
  logic [4:0] slots[Arguments];
  `RW_FFLNR(modulus_q[address_i[1:0]], data_i[63:0], set_i && table_i == TableModulus)
  `RW_FFLNR(slots[address_i[ArgumentWidth-1:0]], data_i[4:0], set_i && table_i == TableArguments)
  logic [Width-1:0] modulus;
  assign modulus = modulus_q[0][Width-1:0];

  function automatic held_t held(slot_t slot, logic [4:0] named, logic valid);
    return '{
        valid: valid,
        bank: slot.bank,
        number: slot.argument ? named : slot.number[4:0]
    };
  endfunction

  // ---- Streams.
  logic [Streams-1:0] want, allowed, begins, done, running, open;
  logic [Streams-1:0] ended;
  micro_t [Streams-1:0] micro;
  for (genvar s = 0; s < Streams; s++) begin : gen_stream
    medha_sequencer #(
        .Words(Config.code_words),
        .IssueCycles(Issue)
    ) i_sequencer (
        .clk_i,
        .rst_ni,
        .code_write_i(set_i && table_i == TableCode && address_i[23:20] == 4'(s)),
        .entry_write_i(set_i && table_i == TableEntries && address_i[23:20] == 4'(s)),
        .address_i(address_i[CodeWidth-1:0]),
        .data_i,
        .start_i,
        .kernel_i,
        .halt_i,
        .open_i(open[s]),
        .counts_i,
        .want_o(want[s]),
        .allowed_i(allowed[s]),
        .begin_o(begins[s]),
        .micro_o(micro[s]),
        .done_i(done[s]),
        .ended_o(ended[s]),
        .running_o(running[s])
    );
  end
  assign ended_o   = ended[Link:Ntt];
  // Nobody waits for what the ring brings.
  logic unused_ended;
  assign unused_ended = ended[Land];
  assign running_o = running != '0;

  // ---- Who holds what.
  logic [Owners-1:0] owner_want, owner_allowed, owner_end;
  held_t [Owners-1:0][2:0] owner_reads;
  held_t [Owners-1:0] owner_write;
  wrong_e wrong;
  logic takes, arrival_lost;
  held_t ntt_to, ntt_from;
  held_t [2:0] operands;
  assign ntt_to      = held(micro[Ntt].d, slots[micro[Ntt].d.number[ArgumentWidth-1:0]], 1'b1);
  assign ntt_from    = held(micro[Ntt].a, slots[micro[Ntt].a.number[ArgumentWidth-1:0]], 1'b1);
  assign operands[0] = held(micro[Dyadic].a, slots[micro[Dyadic].a.number[ArgumentWidth-1:0]],
                            reads_a(micro[Dyadic].opcode));
  assign operands[1] = held(micro[Dyadic].b, slots[micro[Dyadic].b.number[ArgumentWidth-1:0]],
                            reads_b(micro[Dyadic].opcode));
  assign operands[2] = held(micro[Dyadic].c, slots[micro[Dyadic].c.number[ArgumentWidth-1:0]],
                            reads_c(micro[Dyadic].opcode));
  logic first_stage, ntt_first_ends, land_taken;
  assign first_stage = micro[Ntt].opcode == OpNttFirst || micro[Ntt].opcode == OpInttFirst;
  assign takes       = micro[Land].immediate[0];
  always_comb begin
    owner_want              = '0;
    owner_reads             = '0;
    owner_write             = '0;
    owner_end               = '0;
    owner_want[Land:Ntt]    = want;
    // Passing on holds nothing.
    owner_want[Land]        = want[Land] && takes;
    owner_reads[Ntt][0]     = first_stage ? ntt_from : ntt_to;
    owner_write[Ntt]        = ntt_to;
    owner_reads[Dyadic]     = operands;
    owner_write[Dyadic]     = held(micro[Dyadic].d,
                                   slots[micro[Dyadic].d.number[ArgumentWidth-1:0]], 1'b1);
    owner_reads[Link][0]    = held(micro[Link].a, slots[micro[Link].a.number[ArgumentWidth-1:0]],
                                   1'b1);
    owner_write[Land]       = held(micro[Land].d, 5'd0, 1'b1);
    owner_end[Ntt]          = done[Ntt];
    owner_end[Dyadic]       = done[Dyadic];
    owner_end[Link]         = done[Link];
    owner_end[Land]         = done[Land] && land_taken;
    for (int unsigned l = 0; l < Lanes; l++) begin
      owner_want[Lane+l]     = lane_want_i[l];
      owner_reads[Lane+l][0] = held(lane_slot_i[l],
                                    slots[lane_slot_i[l].number[ArgumentWidth-1:0]],
                                    lane_stores_i[l]);
      owner_write[Lane+l]    = held(lane_slot_i[l],
                                    slots[lane_slot_i[l].number[ArgumentWidth-1:0]],
                                    !lane_stores_i[l]);
      owner_end[Lane+l]      = lane_end_i[l];
    end
  end
  medha_owners #(
      .Owners(Owners)
  ) i_owners (
      .clk_i,
      .rst_ni,
      .want_i(owner_want),
      .reads_i(owner_reads),
      .write_i(owner_write),
      .end_i(owner_end),
      .keep_i(Owners'(ntt_first_ends)),
      .allowed_o(owner_allowed),
      .wrong_o(wrong)
  );
  assign allowed        = {owner_allowed[Land] || !takes, owner_allowed[Link:Ntt]};
  assign lane_allowed_o = owner_allowed[Owners-1:Lane];
  assign wrong_o        = arrival_lost ? WrongArrival : wrong;

  // The last row of a tower.
  logic [NttRowWidth-1:0] last_row;
  assign last_row = NttRowWidth'((32'd1 << (log_n_i - BitWidth'(LogBanks))) - 1);

  // ---- From its beginning to the start of a core.
  typedef struct packed {
    held_t       to;
    held_t [2:0] from;
  } where_t;
  typedef struct packed {
    opcode_e     opcode;
    logic [10:0] immediate;
    where_t      where;
  } issued_t;
  logic [Streams-2:0] starts;
  issued_t [Streams-2:0] begun, issued;
  for (genvar s = 0; s < Streams - 1; s++) begin : gen_issue
    assign begun[s] = '{
        opcode: micro[s].opcode,
        immediate: micro[s].immediate,
        where: '{to: owner_write[s], from: owner_reads[s]}
    };
    if (Issue > 1) begin : gen_later
      logic unused_empty;
      valid_line #(
          .Stages(Issue - 1)
      ) i_starts (
          .clk_i,
          .rst_ni,
          .valid_i(begins[s]),
          .valid_o(starts[s]),
          .empty_o(unused_empty)
      );
      delay_line #(
          .data_t(issued_t),
          .Stages(Issue - 1)
      ) i_issued (
          .clk_i,
          .data_i(begun[s]),
          .data_o(issued[s])
      );
    end else begin : gen_at_once
      assign starts[s] = begins[s];
      assign issued[s] = begun[s];
    end
  end

  // ---- NTT core.
  logic [2:0] unused_busy;
  where_t ntt_q;
  logic ntt_read, ntt_write, ntt_inverse, ntt_done, ntt_first_q;
  logic [Banks-1:0][NttRowWidth-1:0] ntt_read_row, ntt_write_row;
  logic [Banks-1:0][Own-1:0] ntt_read_data, ntt_write_data;
  logic [Butterflies-1:0][LogMaxN-1:0] factor_number;
  logic [Butterflies-1:0][Own-1:0] factor, factor_row;
  stages_e stages;
  always_comb begin
    unique case (issued[Ntt].opcode)
      OpNttFirst, OpInttFirst: stages = StagesFirst;
      OpNttRest, OpInttRest: stages = StagesRest;
      default: stages = StagesAll;
    endcase
  end
  `RW_FFLNR(ntt_q, issued[Ntt].where, starts[Ntt])
  `RW_FFLNR(ntt_first_q, first_stage, begins[Ntt])
  medha_ntt_core #(
      .Butterflies(Butterflies),
      .LogMaxN(LogMaxN),
      .Width(Own),
      .MulStages(Config.ntt_latency - 4),
      .IssueCycles(Issue),
      .Products(Products)
  ) i_ntt (
      .clk_i,
      .rst_ni,
      .modulus_i(modulus[Own-1:0]),
      .reciprocal_i(modulus_q[1][Own+2:0]),
      .shift_i(modulus_q[3][$clog2(Own)-1:0]),
      .start_i(starts[Ntt]),
      .stages_i(stages),
      .inverse_i(issued[Ntt].opcode >= OpIntt),
      .log_n_i,
      .busy_o(unused_busy[0]),
      .done_o(ntt_done),
      .read_o(ntt_read),
      .read_row_o(ntt_read_row),
      .read_data_i(ntt_read_data),
      .inverse_o(ntt_inverse),
      .factor_o(factor_number),
      .factor_i(factor),
      .write_o(ntt_write),
      .write_row_o(ntt_write_row),
      .write_data_o(ntt_write_data)
  );
  assign done[Ntt]      = ntt_done;
  assign ntt_first_ends = ntt_done && ntt_first_q;

  // All factors of a row of butterflies stand in one row.
  for (genvar j = 0; j < Butterflies; j++) begin : gen_factor
    mem_1r1w #(
        .Words(FactorRows),
        .Width(Own)
    ) i_factors (
        .clk_i,
        .rst_ni,
        .read_i(ntt_read),
        .read_address_i({ntt_inverse, factor_number[0][LogMaxN-1:LogButterflies]}),
        .read_data_o(factor_row[j]),
        .write_i(set_i && table_i == TableFactors && (Butterflies == 1 ||
                 address_i[LogButterflies:0] % (LogButterflies + 1)'(Butterflies) ==
                 (LogButterflies + 1)'(j))),
        .write_address_i(FactorRowWidth'(address_i >> LogButterflies)),
        .write_data_i(data_i[Own-1:0])
    );
    if (Butterflies > 1) begin : gen_choice
      logic [LogButterflies-1:0] which_q;
      `RW_FFNR(which_q, factor_number[j][LogButterflies-1:0])
      assign factor[j] = factor_row[which_q];
    end else begin : gen_only
      assign factor[j] = factor_row[0];
    end
  end

  // ---- Dyadic core, and the unit for automorphisms.
  where_t dyadic_q;
  logic [2:0][1:0] turn;
  logic [1:0] turns;
  // An operand takes the first turn in which nobody before it has its ports, or reads the same.
  always_comb begin
    turn  = '0;
    turns = '0;
    for (int unsigned i = 1; i < 3; i++) begin
      logic [1:0] taken;
      logic shared;
      taken  = '0;
      shared = 1'b0;
      for (int unsigned k = 0; k < i; k++) begin
        if (issued[Dyadic].where.from[i] == issued[Dyadic].where.from[k] && issued[Dyadic].where.from[i].valid) begin
          shared  = 1'b1;
          turn[i] = turn[k];
        end
        if ((ports_of(issued[Dyadic].where.from[i]) & ports_of(issued[Dyadic].where.from[k])) != '0) begin
          taken |= {turn[k] == 2'd1, turn[k] == 2'd0};
        end
      end
      if (!shared && issued[Dyadic].where.from[i].valid) begin
        turn[i] = !taken[0] ? 2'd0 : !taken[1] ? 2'd1 : 2'd2;
      end
      if (turn[i] > turns) turns = turn[i];
    end
  end

  logic is_move;
  assign is_move = issued[Dyadic].opcode >= OpAutomorphismCoeff;
  `RW_FFLNR(dyadic_q, issued[Dyadic].where, starts[Dyadic])

  // A constant and its half; it stays until the next operation begins.
  logic [1:0][63:0] constant;
  mem_1r1w #(
      .Words(Config.constants),
      .Width(128)
  ) i_constants (
      .clk_i,
      .rst_ni,
      .read_i(begins[Dyadic]),
      .read_address_i(micro[Dyadic].immediate[ConstantWidth-1:0]),
      .read_data_o(constant),
      .write_i(set_i && table_i == TableConstants),
      .write_address_i(address_i[ConstantWidth-1:0]),
      .write_data_i(data_i)
  );

  logic [2:0] dyadic_read;
  logic dyadic_write, dyadic_done, move_read, move_done;
  logic [NttRowWidth-1:0] dyadic_read_row, dyadic_write_row, move_read_row;
  logic [2:0][Banks-1:0][Width-1:0] dyadic_read_data;
  words_t dyadic_write_data, move_write_data;
  logic [Banks-1:0] move_write;
  logic [Banks-1:0][NttRowWidth-1:0] move_write_row;
  medha_dyadic_core #(
      .Banks(Banks),
      .RowWidth(NttRowWidth),
      .Width(Width),
      .MulStages(Config.dyadic_latency - 4),
      .Products(Products)
  ) i_dyadic (
      .clk_i,
      .rst_ni,
      .modulus_i(modulus),
      .reciprocal_i(modulus_q[2][Width+2:0]),
      .shift_i(modulus_q[3][$clog2(Width)-1:0]),
      .start_i(starts[Dyadic] && !is_move),
      .function_i(function_t'(issued[Dyadic].opcode - OpZero)),
      .constant_i(constant[0][Width-1:0]),
      .half_i(constant[1][Width-1:0]),
      .last_row_i(last_row),
      .turn_i(turn),
      .turns_i(turns),
      .busy_o(unused_busy[1]),
      .done_o(dyadic_done),
      .read_o(dyadic_read),
      .read_row_o(dyadic_read_row),
      .read_data_i(dyadic_read_data),
      .write_o(dyadic_write),
      .write_row_o(dyadic_write_row),
      .write_data_o(dyadic_write_data)
  );
  medha_automorphism #(
      .Banks(Banks),
      .LogMaxN(LogMaxN),
      .Width(Width)
  ) i_automorphism (
      .clk_i,
      .rst_ni,
      .modulus_i(modulus),
      .start_i(starts[Dyadic] && is_move),
      .evaluations_i(issued[Dyadic].opcode == OpAutomorphismEval),
      .power_i(constant[0][LogMaxN:0]),
      .log_n_i,
      .busy_o(unused_busy[2]),
      .done_o(move_done),
      .read_o(move_read),
      .read_row_o(move_read_row),
      .read_data_i(dyadic_read_data[0]),
      .write_o(move_write),
      .write_row_o(move_write_row),
      .write_data_o(move_write_data)
  );
  assign done[Dyadic] = dyadic_done || move_done;

  // ---- Onto the ring: as many rows as a tower has, and the way of the last.
  logic sends_d, sends_q, sent_q;
  logic [NttRowWidth-1:0] send_row_d, send_row_q;
  logic [11:0] way_d, way_q;
  held_t send_q;
  `RW_FFLNR(send_q, issued[Link].where.from[0], starts[Link])
  always_comb begin
    sends_d    = sends_q;
    send_row_d = send_row_q;
    way_d      = (way_q == '0) ? '0 : way_q - 1'b1;
    if (starts[Link]) begin
      sends_d    = 1'b1;
      send_row_d = '0;
      // From the first read on: it has ended with the last write.
      way_d      = 12'(issued[Link].immediate) + 12'(last_row) + 12'd1;
    end else if (sends_q) begin
      sends_d    = send_row_q != last_row;
      send_row_d = send_row_q + 1'b1;
    end
  end
  `RW_FF(sends_q, sends_d, 1'b0)
  `RW_FF(send_row_q, send_row_d, '0)
  `RW_FF(way_q, way_d, '0)
  `RW_FF(sent_q, sends_q, 1'b0)
  assign done[Link] = way_q == 12'd1;
  assign to_ring_o  = sent_q;

  // ---- From the ring.
  logic land_wants, land_write;
  logic [NttRowWidth-1:0] land_row;
  held_t land_slot;
  assign open = {land_wants, {3{open_i}}};
  medha_arrivals #(
      .RowWidth(NttRowWidth)
  ) i_arrivals (
      .clk_i,
      .rst_ni,
      .last_row_i(last_row),
      .row_i(from_ring_i),
      .wants_o(land_wants),
      .at_hand_i(want[Land]),
      .begin_i(begins[Land]),
      .slot_i(owner_write[Land]),
      .takes_i(takes),
      .passes_i(micro[Land].immediate[1]),
      .write_o(land_write),
      .slot_o(land_slot),
      .write_row_o(land_row),
      .pass_o,
      .done_o(done[Land]),
      .taken_o(land_taken),
      .lost_o(arrival_lost)
  );

  // What a lane moves.
  held_t [Lanes-1:0] lane_q;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    held_t moved;
    assign moved = '{
        valid: 1'b1,
        bank: owner_write[Lane+l].bank,
        number: owner_write[Lane+l].number
    };
    `RW_FFL(lane_q[l], moved, lane_want_i[l], '0)
  end

  // ---- Memories: who reads and who writes.
  // What was read comes a cycle later; the first stage's last words come when the rest may have begun.
  logic [2:0] ntt_came_q;
  `RW_FFNR(ntt_came_q, ntt_q.from[0].bank)
  localparam int unsigned Readers = 6 + Lanes;
  localparam int unsigned Writers = 4 + Lanes;
  logic [Readers-1:0] read;
  held_t [Readers-1:0] read_from;
  logic [Readers-1:0][Banks-1:0][NttRowWidth-1:0] read_row;
  logic [Writers-1:0][Banks-1:0] write;
  held_t [Writers-1:0] write_to;
  logic [Writers-1:0][Banks-1:0][NttRowWidth-1:0] write_row;
  words_t [Writers-1:0] write_data;
  words_t [Ports-1:0] read_data;
  assign read[5:0]      = {sends_q, move_read, dyadic_read, ntt_read};
  assign read_from[5:0] = {send_q, dyadic_q.from[0], dyadic_q.from, ntt_q.from[0]};
  assign read_row[0]    = ntt_read_row;
  assign read_row[3:1]  = {3{{Banks{dyadic_read_row}}}};
  assign read_row[4]    = {Banks{move_read_row}};
  assign read_row[5]    = {Banks{send_row_q}};
  assign write[3:0]     = {{Banks{land_write}}, move_write, {Banks{dyadic_write}}, {Banks{ntt_write}}};
  assign write_to[3:0]  = {land_slot, dyadic_q.to, dyadic_q.to, ntt_q.to};
  assign write_row[3:0] = {{Banks{land_row}}, move_write_row,
                           {Banks{dyadic_write_row}}, ntt_write_row};
  assign write_data[3]  = from_ring_data_i;
  assign write_data[2]  = move_write_data;
  assign write_data[1]  = dyadic_write_data;
  for (genvar b = 0; b < Banks; b++) begin : gen_ntt_data
    assign write_data[0][b]  = Width'(ntt_write_data[b]);
    assign ntt_read_data[b]  = Own'(read_data[ntt_came_q][b]);
  end
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane_ports
    assign read[6+l]       = lane_read_i[l];
    assign read_from[6+l]  = lane_q[l];
    assign read_row[6+l]   = {Banks{lane_row_i[l]}};
    assign write[4+l]      = {Banks{lane_write_i[l]}};
    assign write_to[4+l]   = lane_q[l];
    assign write_row[4+l]  = {Banks{lane_row_i[l]}};
    assign write_data[4+l] = lane_data_i[l];
    assign lane_data_o[l]  = read_data[lane_q[l].bank];
  end
  medha_memories #(
      .Banks(Banks),
      .BankWords(Config.bank_words),
      .LandingWords(landing_words(Config)),
      .LogMaxN(LogMaxN),
      .Own(Own),
      .Width(Width),
      .HasVirtual(packed_words(Config, Index)),
      .Readers(Readers),
      .Writers(Writers)
  ) i_memories (
      .clk_i,
      .rst_ni,
      .log_n_i,
      .read_i(read),
      .read_from_i(read_from),
      .read_row_i(read_row),
      .read_data_o(read_data),
      .write_i(write),
      .write_to_i(write_to),
      .write_row_i(write_row),
      .write_data_i(write_data)
  );

  assign to_ring_data_o = read_data[send_q.bank];
  for (genvar i = 0; i < 3; i++) begin : gen_operand
    assign dyadic_read_data[i] = read_data[dyadic_q.from[i].bank];
  end
endmodule
