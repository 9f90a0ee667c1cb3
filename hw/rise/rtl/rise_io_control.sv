`include "registers.svh"
`include "assertions.svh"

/// The I/O controller: registers of up to two calls, their instructions in order, their interrupts.
///
/// A call is a list of at most nine instructions (`rise_io_control_pkg`), which its request and its
/// samples choose. An instruction starts when the call's constants are there and every earlier
/// instruction that shares a unit or a bank group with it has ended; so the key is loaded while the
/// first transform runs, and the next call draws its samples while this one's result leaves. The
/// next call's constants go before this call's result where that call is there by then.
///
/// Timing: a call's constants are asked for `StartCycles` cycles after `control` was written (and
/// after the start of the call before); an instruction starts in the cycle after the last one that
/// it waits for; the interrupt line rises `InterruptCycles` cycles after the response to the call's
/// last word. Area: registers of the calls, and two comparators of every pair of instructions.
module rise_io_control
  import rise_pkg::*, rise_regs_pkg::*, rise_dma_pkg::*, rise_io_control_pkg::*;
#(
    parameter int unsigned LogBanks        = 2,
    parameter int unsigned LogNMax         = 14,
    parameter int unsigned StartCycles     = 4,
    parameter int unsigned InterruptCycles = 4,
    parameter int unsigned QueuedCalls     = 2,
    parameter bit          Samplers        = 1'b1,
    parameter bit          TransformsOnly  = 1'b0,
    localparam int unsigned AxiAddressWidth = 64
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,

    // The register block.
    input  written_t                   written_i,
    input  logic                       control_written_i,
    input  logic                       status_read_i,
    output status_t                    status_o,
    output logic                       interrupt_o,

    // The DMA unit. The group holds from the instruction's first cycle to its last.
    output logic                       dma_start_o,
    output transfer_e                  dma_transfer_o,
    output layout_e                    dma_layout_o,
    output logic [AxiAddressWidth-1:0] dma_address_o,
    output logic                       dma_group_o,
    output logic                       dma_set_o,
    input  logic                       dma_done_i,
    input  logic                       dma_error_i,

    // The sampler; what stands beside the start holds until the last cycle.
    output logic                       sampler_start_o,
    output logic                       sampler_binomial_o,
    output logic                       sampler_add_o,
    output logic [5:0]                 sampler_tail_o,
    output logic [1:0]                 sampler_blocks_o,
    output layout_e                    sampler_layout_o,
    output logic                       sampler_set_o,
    input  logic                       sampler_done_i,

    // The computing units.
    output logic                       bfu_valid_o,
    output op_e                        bfu_op_o,
    output logic                       bfu_group_o,
    output logic                       bfu_set_o,
    input  logic                       bfu_done_i
);
  localparam int unsigned TimerWidth = $clog2(2 * StartCycles + 1);
  localparam int unsigned LineWidth  = $clog2(InterruptCycles + 1);
  typedef logic [TimerWidth-1:0] timer_t;
  typedef logic [LineWidth-1:0] line_t;
  typedef logic [Slots-1:0] slots_t;

  typedef struct packed {
    logic [2:0]  request;
    logic [31:0] constants;
    logic [31:0] source_0;
    logic [31:0] source_1;
    logic [31:0] source_2;
    logic [31:0] destination;
    sample_t     sample;
  } call_t;

  // ---- What a call consists of ------------------------------------------------------------------

  function automatic slots_t slots_of(logic [2:0] request);
    unique case (request)
      RequestHalfEncryption: return 9'b1_0111_1111;
      RequestDecryption:     return 9'b1_1101_1101;
      default:               return 9'b1_0000_0011;
    endcase
  endfunction

  function automatic logic is_forward(logic [2:0] request);
    return request == RequestHalfEncryption || request == RequestForward;
  endfunction

  function automatic logic stores_bg1(logic [2:0] request);
    return request == RequestHalfEncryption || request == RequestDecryption;
  endfunction

  // What is drawn, and whether it is added to a polynomial, are those of the slot's source.
  function automatic resources_t resources(
      logic [2:0] request, logic [1:0] draw, logic add, slot_e slot);
    logic draws, loads;
    resources = '0;
    draws = draw != Draw0None;
    loads = ~draws | add;
    unique case (slot)
      SlotFetch0, SlotFetch2:         resources = '{bg0: 1'b1, sampler: draws, dma: loads, default: '0};
      SlotTransform0, SlotTransform2: resources = '{bg0: 1'b1, bfu: 1'b1, default: '0};
      SlotLoad1:                      resources = '{bg1: 1'b1, dma: 1'b1, default: '0};
      SlotMultiply, SlotAdd: resources = '{bg0: 1'b1, bg1: 1'b1, bfu: 1'b1, default: '0};
      SlotTransformSum:      resources = '{bg1: 1'b1, bfu: 1'b1, default: '0};
      default: begin
        resources = '{dma: 1'b1, default: '0};
        resources.bg0 = ~stores_bg1(request);
        resources.bg1 = stores_bg1(request);
      end
    endcase
  endfunction

  // ---- Calls ------------------------------------------------------------------------------------

  // Two places, of which the second stays empty where one call is queued. The place is the set of
  // constants.
  call_t call_q[2];
  logic [1:0] valid_d, valid_q, fetched_q, fetching_q;
  timer_t timer_q[2];
  slots_t begun_q[2], ended_q[2];
  resources_t needs[2][Slots];
  logic oldest_q, free, accepted, refused, retires;

  // Calls whose interrupts the host has not taken, and those of them that have ended.
  logic [1:0] present_q, finished_q;
  logic full, known, raises, taken;
  assign full  = present_q == 2'(QueuedCalls);
  assign taken = status_read_i && finished_q != '0;
  always_comb begin
    unique case (written_i.control.request)
      RequestHalfEncryption, RequestDecryption: known = !TransformsOnly;
      RequestForward, RequestInverse:           known = 1'b1;
      default:                                  known = 1'b0;
    endcase
    if (!Samplers && (written_i.sample.draw_0 | written_i.sample.draw_2) != '0) known = 1'b0;
    if (written_i.sample.draw_0 > Draw0Binomial || written_i.sample.draw_2 > Draw0Binomial) begin
      known = 1'b0;
    end
    if (written_i.log_n.log_n <= 5'(LogBanks) || written_i.log_n.log_n > 5'(LogNMax)) known = 1'b0;
  end
  assign accepted = control_written_i & known & ~full;
  assign refused  = control_written_i & ~accepted;
  // The other place than the one that is taken; the oldest one's where none is.
  assign free     = (QueuedCalls == 1) ? 1'b0 : valid_q[oldest_q] ? ~oldest_q : oldest_q;

  // A start begins where the one before ends.
  timer_t start;
  assign start = timer_q[~free] + timer_t'(StartCycles - 1);
  for (genvar i = 0; i < 2; i++) begin : gen_call
    logic enters;
    call_t entering;
    assign enters = accepted && free == 1'(i);
    assign entering = '{
            request: written_i.control.request,
            constants: written_i.constants.offset,
            source_0: written_i.source_0.offset,
            source_1: written_i.source_1.offset,
            source_2: written_i.source_2.offset,
            destination: written_i.destination.offset,
            sample: written_i.sample
        };
    assign valid_d[i] = enters | (valid_q[i] & ~(retires && oldest_q == 1'(i)));
    `RW_FF(valid_q[i], valid_d[i], 1'b0)
    `RW_FFLNR(call_q[i], entering, enters)
    `RW_FFL(timer_q[i], enters ? start : timer_q[i] - timer_t'(1), enters || timer_q[i] != '0, '0)
    for (genvar slot = 0; slot < Slots; slot++) begin : gen_slot
      localparam bit First = slot == 32'(SlotFetch0);
      assign needs[i][slot] = resources(
          call_q[i].request,
          First ? call_q[i].sample.draw_0 : call_q[i].sample.draw_2,
          First ? call_q[i].sample.add_0 : call_q[i].sample.add_2,
          slot_e'(slot)
      );
    end
  end
  `RW_FFL(oldest_q, ~oldest_q, retires && QueuedCalls == 2, 1'b0)

  // ---- Which instruction starts -----------------------------------------------------------------

  // Every earlier instruction that shares something has ended: of this call, and of an older one.
  slots_t ready[2];
  logic [1:0] constants_ready;
  for (genvar i = 0; i < 2; i++) begin : gen_order
    logic follows, overtaken;
    assign follows   = oldest_q != 1'(i) && valid_q[1-i];
    assign overtaken = oldest_q == 1'(i) && valid_q[1-i] && !fetched_q[1-i];
    for (genvar slot = 0; slot < Slots; slot++) begin : gen_slot
      slots_t own, older;
      for (genvar other = 0; other < Slots; other++) begin : gen_other
        assign own[other] = other < slot && !ended_q[i][other]
            && (needs[i][slot] & needs[i][other]) != '0;
        assign older[other] = follows && !ended_q[1-i][other]
            && (needs[i][slot] & needs[1-i][other]) != '0;
      end
      assign ready[i][slot] = valid_q[i] && fetched_q[i] && !begun_q[i][slot]
          && own == '0 && older == '0 && !(slot == 32'(SlotStore) && overtaken);
    end
    // Constants: behind what an older call fetches, and not beside its store.
    slots_t waits;
    always_comb begin
      for (int unsigned other = 0; other < Slots; other++) begin
        waits[other] = follows && !ended_q[1-i][other] && needs[1-i][other].dma
            && (other != 32'(SlotStore) || begun_q[1-i][other]);
      end
    end
    assign constants_ready[i] = valid_q[i] && timer_q[i] == '0 && !fetching_q[i] && !fetched_q[i]
        && waits == '0 && !(follows && !fetched_q[1-i]);
  end

  // ---- What runs --------------------------------------------------------------------------------

  typedef struct packed {
    logic  running;
    logic  call;
    slot_e slot;
  } running_t;

  running_t dma_d, dma_q, sampler_d, sampler_q, bfu_d, bfu_q;
  logic dma_constants, dma_constants_q, dma_begins, sampler_begins, bfu_begins;
  always_comb begin
    dma_d         = '{default: '0, slot: SlotFetch0};
    sampler_d     = '{default: '0, slot: SlotFetch0};
    bfu_d         = '{default: '0, slot: SlotFetch0};
    dma_constants = 1'b0;
    for (int unsigned i = 0; i < 2; i++) begin
      if (constants_ready[i]) begin
        dma_d         = '{running: 1'b1, call: 1'(i), slot: SlotFetch0};
        dma_constants = 1'b1;
      end
      for (int unsigned slot = 0; slot < Slots; slot++) begin
        running_t this_one;
        this_one = '{running: 1'b1, call: 1'(i), slot: slot_e'(slot)};
        if (ready[i][slot] && needs[i][slot].dma) dma_d = this_one;
        if (ready[i][slot] && needs[i][slot].sampler) sampler_d = this_one;
        if (ready[i][slot] && needs[i][slot].bfu) bfu_d = this_one;
      end
    end
  end
  assign dma_begins     = dma_d.running;
  assign sampler_begins = sampler_d.running;
  assign bfu_begins     = bfu_d.running;
  `RW_FFL(dma_q, dma_d, dma_begins | dma_done_i, '{default: '0, slot: SlotFetch0})
  `RW_FFL(dma_constants_q, dma_constants, dma_begins | dma_done_i, 1'b0)
  `RW_FFL(sampler_q, sampler_d, sampler_begins | sampler_done_i, '{default: '0, slot: SlotFetch0})
  `RW_FFL(bfu_q, bfu_d, bfu_begins | bfu_done_i, '{default: '0, slot: SlotFetch0})

  for (genvar i = 0; i < 2; i++) begin : gen_progress
    slots_t begun_d, ended_d;
    logic enters, dma_ends;
    assign enters   = accepted && free == 1'(i);
    assign dma_ends = dma_done_i && dma_q.running && dma_q.call == 1'(i);
    always_comb begin
      begun_d = begun_q[i] | ready[i];
      ended_d = ended_q[i];
      // A polynomial that is added to samples has come when the sampler has ended.
      if (dma_ends && !dma_constants_q && !needs[i][dma_q.slot].sampler) ended_d[dma_q.slot] = 1'b1;
      if (sampler_done_i && sampler_q.running && sampler_q.call == 1'(i)) ended_d[sampler_q.slot] = 1'b1;
      if (bfu_done_i && bfu_q.running && bfu_q.call == 1'(i)) ended_d[bfu_q.slot] = 1'b1;
      if (enters) begin
        begun_d = ~slots_of(written_i.control.request);
        ended_d = ~slots_of(written_i.control.request);
      end
    end
    `RW_FF(begun_q[i], begun_d, '0)
    `RW_FF(ended_q[i], ended_d, '0)
    `RW_FFL(fetching_q[i], ~enters, enters | constants_ready[i], 1'b0)
    `RW_FFL(fetched_q[i], ~enters, enters | (dma_ends & dma_constants_q), 1'b0)
  end
  assign retires = dma_done_i && dma_q.running && !dma_constants_q && dma_q.slot == SlotStore;

  // ---- The units --------------------------------------------------------------------------------

  // Set and slot hold while an instruction runs.
  slot_e dma_slot, sampler_slot, bfu_slot;
  sample_t sample;
  logic [31:0] offset;
  logic forward, sampler_first;
  assign dma_set_o     = dma_begins ? dma_d.call : dma_q.call;
  assign sampler_set_o = sampler_begins ? sampler_d.call : sampler_q.call;
  assign bfu_set_o     = bfu_begins ? bfu_d.call : bfu_q.call;
  assign dma_slot      = dma_begins ? dma_d.slot : dma_q.slot;
  assign sampler_slot  = sampler_begins ? sampler_d.slot : sampler_q.slot;
  assign bfu_slot      = bfu_begins ? bfu_d.slot : bfu_q.slot;

  assign dma_start_o   = dma_begins;
  assign dma_group_o   = needs[dma_set_o][dma_slot].bg1;
  assign forward       = is_forward(call_q[dma_set_o].request);
  assign dma_address_o = {written_i.base[1].address, written_i.base[0].address}
      + AxiAddressWidth'(offset);
  always_comb begin
    unique case (dma_slot)
      SlotFetch0: offset = call_q[dma_set_o].source_0;
      SlotLoad1:  offset = call_q[dma_set_o].source_1;
      SlotFetch2: offset = call_q[dma_set_o].source_2;
      default:    offset = call_q[dma_set_o].destination;
    endcase
    dma_transfer_o = needs[dma_set_o][dma_slot].sampler ? TransferAddend : TransferLoad;
    if (dma_slot == SlotStore) dma_transfer_o = TransferStore;
    if (dma_begins && dma_constants) begin
      offset         = call_q[dma_set_o].constants;
      dma_transfer_o = TransferConstants;
    end
    dma_layout_o = forward ? LayoutForwardOut : LayoutInverseIn;
    if (forward && dma_slot inside {SlotFetch0, SlotFetch2}) dma_layout_o = LayoutForwardIn;
    if (!forward && dma_slot == SlotStore) dma_layout_o = LayoutInverseOut;
  end

  assign sample             = call_q[sampler_set_o].sample;
  assign sampler_first      = sampler_slot == SlotFetch0;
  assign sampler_start_o    = sampler_begins;
  assign sampler_layout_o   =
      is_forward(call_q[sampler_set_o].request) ? LayoutForwardIn : LayoutInverseIn;
  assign sampler_binomial_o = (sampler_first ? sample.draw_0 : sample.draw_2) == Draw0Binomial;
  assign sampler_add_o      = sampler_first ? sample.add_0 : sample.add_2;
  assign sampler_tail_o     = sampler_first ? sample.tail_0 : sample.tail_2;
  assign sampler_blocks_o   = sampler_first ? sample.blocks_0 : sample.blocks_2;

  assign bfu_valid_o = bfu_begins;
  assign bfu_group_o = bfu_slot == SlotTransformSum;
  always_comb begin
    unique case (bfu_slot)
      SlotMultiply: bfu_op_o = OpMul;
      SlotAdd:      bfu_op_o = OpAdd;
      default:      bfu_op_o = is_forward(call_q[bfu_set_o].request) ? OpForward : OpInverse;
    endcase
  end

  // ---- Interrupts and status --------------------------------------------------------------------

  // Cycles until the line of the call that ended last rises; calls that ended behind it.
  line_t line_d, line_q;
  logic owed_d, owed_q, refused_q, bus_error_q;
  assign raises = line_q == line_t'(1);
  always_comb begin
    line_d = (line_q == '0) ? '0 : line_q - line_t'(1);
    owed_d = owed_q | (retires & line_q > line_t'(1));
    if (line_q <= line_t'(1) && (retires | owed_q)) begin
      line_d = line_t'(InterruptCycles);
      owed_d = retires & owed_q;
    end
  end
  `RW_FF(line_q, line_d, '0)
  `RW_FF(owed_q, owed_d, 1'b0)
  `RW_FF(finished_q, finished_q + 2'(raises) - 2'(taken), '0)
  `RW_FF(present_q, present_q + 2'(accepted) - 2'(taken), '0)
  `RW_FF(refused_q, refused | (refused_q & ~status_read_i), 1'b0)
  `RW_FF(bus_error_q, dma_error_i | (bus_error_q & ~status_read_i), 1'b0)

  assign interrupt_o = finished_q != '0;
  assign status_o    = '{
          busy: present_q != finished_q,
          full: full,
          finished: finished_q,
          refused: refused_q,
          bus_error: bus_error_q
      };

  logic unused;
  assign unused = ^{written_i.seed};

  `RW_REQUIRE(rise_io_control_calls, QueuedCalls == 1 || QueuedCalls == 2)
  `RW_REQUIRE(rise_io_control_cycles, StartCycles >= 1 && InterruptCycles >= 1)
  `RW_ASSERT(rise_io_control_rests, present_q == finished_q || written_i.log_n != '0)
endmodule
