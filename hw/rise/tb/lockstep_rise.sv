// Without them it is the design alone, for its speed.
`ifndef RW_NO_PROBES
`include "rise_core_probes.svh"

bind rise rise_probes #(
    .PortWords(PortWords),
    .WordBits(WordBits)
) i_probes (
    .clk_i,
    .rst_ni,
    .accepted(i_io_control.accepted),
    .place(i_io_control.free),
    .request(written.control.request),
    .raises(i_io_control.raises),
    .begins({i_io_control.bfu_begins, i_io_control.sampler_begins, i_io_control.dma_begins}),
    // A polynomial that is added to samples has come when the sampler has ended.
    .ends({bfu_done, sampler_done, dma_done && i_dma.transfer_q != TransferAddend}),
    .place_of({bfu_set, sampler_set, dma_set}),
    .slot_of({i_io_control.bfu_slot, i_io_control.sampler_slot, i_io_control.dma_slot}),
    .fetches_constants(i_io_control.dma_begins ? i_io_control.dma_constants
                                               : i_io_control.dma_constants_q),
    .constant(constant_valid),
    .constants(8'(2 * written.log_n.log_n + 4)),
    .constant_index(8'(constant_index)),
    .constant_data
);
`endif

/// `rise` with probes, behind the two vectors through which a lockstep run drives a design: a host
/// at its registers, a memory at its bus. Everything lies in slots of 64 bits.
module lockstep_rise #(
    parameter int unsigned Bfus            = 1,
    parameter int unsigned WordBits        = 30,
    parameter int unsigned BankWords       = 256,
    parameter int unsigned BfuLatency      = 9,
    parameter string       Products        = "Sliced",
    parameter int unsigned TwiddleBatches  = 1,
    parameter int unsigned WriteBuffer     = 1,
    parameter int unsigned ReorderLatency  = 0,
    parameter bit          Samplers        = 1'b1,
    parameter int unsigned RoundsPerCycle  = 1,
    parameter int unsigned PortWords       = 2,
    parameter int unsigned DmaBurstBytes   = 64,
    parameter int unsigned StartCycles     = 4,
    parameter int unsigned InterruptCycles = 4,
    parameter int unsigned QueuedCalls     = 2,
    parameter bit          TransformsOnly  = 1'b0,
    localparam int unsigned BeatBytes = PortWords * ((WordBits <= 30) ? 4 : 8),
    localparam int unsigned BeatSlots = (BeatBytes + 7) / 8
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    /// Slot 0: [0] select, [1] enable, [2] write, [25:16] address, [63:32] word of the host. Slot 1:
    /// [0] AR ready, [1] R valid, [2] AW ready, [3] W ready, [4] B valid. Then the words of R.
    input  logic [BeatSlots+1:0][63:0]    in_i,
    /// Slot 0: [0] ready, [1] error, [2] interrupt, [63:32] word for the host. Slot 1: [0] AR valid,
    /// [1] R ready, [2] AW valid, [3] W valid, [4] W last, [5] B ready, [15:8] AR length, [23:16] AW
    /// length. Slots 2 and 3: AR and AW address. Then the words of W.
    output logic [BeatSlots+3:0][63:0]    out_o
);
  logic [31:0] prdata;
  logic pready, pslverr, interrupt, ar_valid, r_ready, aw_valid, w_valid, w_last, b_ready;
  logic [7:0] ar_len, aw_len;
  logic [63:0] ar_addr, aw_addr;
  logic [2:0] ar_size, aw_size;
  logic [1:0] ar_burst, aw_burst;
  logic [8*BeatBytes-1:0] w_data;
  logic [BeatBytes-1:0] w_strb;
  rise #(
      .Bfus(Bfus),
      .WordBits(WordBits),
      .BankWords(BankWords),
      .BfuLatency(BfuLatency),
      .Products(Products),
      .TwiddleBatches(TwiddleBatches),
      .WriteBuffer(WriteBuffer),
      .ReorderLatency(ReorderLatency),
      .Samplers(Samplers),
      .RoundsPerCycle(RoundsPerCycle),
      .PortWords(PortWords),
      .DmaBurstBytes(DmaBurstBytes),
      .StartCycles(StartCycles),
      .InterruptCycles(InterruptCycles),
      .QueuedCalls(QueuedCalls),
      .TransformsOnly(TransformsOnly)
  ) i_rise (
      .clk_i,
      .rst_ni,
      .apb_psel_i(in_i[0][0]),
      .apb_penable_i(in_i[0][1]),
      .apb_pwrite_i(in_i[0][2]),
      .apb_paddr_i(in_i[0][25:16]),
      .apb_pwdata_i(in_i[0][63:32]),
      .apb_pready_o(pready),
      .apb_prdata_o(prdata),
      .apb_pslverr_o(pslverr),
      .interrupt_o(interrupt),
      .ar_valid_o(ar_valid),
      .ar_ready_i(in_i[1][0]),
      .ar_addr_o(ar_addr),
      .ar_len_o(ar_len),
      .ar_size_o(ar_size),
      .ar_burst_o(ar_burst),
      .r_valid_i(in_i[1][1]),
      .r_ready_o(r_ready),
      .r_data_i((8 * BeatBytes)'(in_i[BeatSlots+1:2])),
      .r_resp_i('0),
      .aw_valid_o(aw_valid),
      .aw_ready_i(in_i[1][2]),
      .aw_addr_o(aw_addr),
      .aw_len_o(aw_len),
      .aw_size_o(aw_size),
      .aw_burst_o(aw_burst),
      .w_valid_o(w_valid),
      .w_ready_i(in_i[1][3]),
      .w_data_o(w_data),
      .w_strb_o(w_strb),
      .w_last_o(w_last),
      .b_valid_i(in_i[1][4]),
      .b_ready_o(b_ready),
      .b_resp_i('0)
  );
  assign out_o[0] = {prdata, 29'd0, interrupt, pslverr, pready};
  assign out_o[1] = 64'({aw_len, ar_len, 2'd0, b_ready, w_last, w_valid, aw_valid, r_ready, ar_valid});
  assign out_o[2] = ar_addr;
  assign out_o[3] = aw_addr;
  assign out_o[BeatSlots+3:4] = (64 * BeatSlots)'(w_data);

  logic unused;
  assign unused = ^{in_i, ar_size, aw_size, ar_burst, aw_burst, w_strb};
endmodule
