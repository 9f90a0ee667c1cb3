`include "registers.svh"
`include "assertions.svh"

/// The DMA unit: one transfer at a time between an AXI4 port and a bank group, the constants of a
/// call, or the sampler.
///
/// Memory holds polynomials in order; banks hold them in the layouts of `rise_layout`. A beat is
/// `PortWords` words. Around a forward transform neighbours in memory lie in one bank: there the unit
/// reads or writes `PortWords` streams in turn, a burst of `BurstBytes` of each (of a beat, if that is
/// more, and of a whole stream, if that is less), and `rise_transposer` turns them into beats of words
/// for different banks.
///
/// Timing, for a memory that answers a read with its first word, or the last word of a write with
/// its response, `latency - 2` cycles later, and never waits: the first word is in its bank `latency`
/// cycles after the instruction (as many more as a burst has words where words are transposed), one
/// beat a cycle follows; a store reads the banks from the cycle of the instruction on, and ends with the response,
/// after as many cycles as a load. Memory may wait in every handshake. Words for the sampler wait
/// for it: the R channel then stalls.
module rise_dma
  import rise_dma_pkg::*;
#(
    parameter int unsigned Bfus      = 1,
    parameter int unsigned WordBits  = 30,
    parameter int unsigned BankWords = 4096,
    parameter int unsigned PortWords = 2,
    parameter int unsigned BurstBytes = 64,
    localparam int unsigned WordBytes     = (WordBits <= 30) ? 4 : 8,
    localparam int unsigned BeatBytes     = PortWords * WordBytes,
    localparam int unsigned LogNMax       = $clog2(4 * Bfus * BankWords),
    localparam int unsigned LogNWidth     = $clog2(LogNMax + 1),
    localparam int unsigned ConstantWidth = WordBits + 2,
    localparam int unsigned ConstantIndexWidth = $clog2(2 * LogNMax + 4),
    localparam int unsigned AxiAddressWidth = 64
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,

    input  logic                       start_i,
    input  transfer_e                  transfer_i,
    input  layout_e                    layout_i,
    input  logic [LogNWidth-1:0]       log_n_i,
    input  logic [AxiAddressWidth-1:0] address_i,
    /// The transfer's last cycle.
    output logic                       done_o,
    /// Memory answered with an error.
    output logic                       error_o,

    // A bank group; read data come one cycle after the request.
    output logic                                bank_request_o,
    output logic                                bank_write_o,
    output logic [PortWords-1:0][LogNMax-1:0]   bank_address_o,
    output logic [PortWords-1:0][WordBits-1:0]  bank_data_o,
    input  logic [PortWords-1:0][WordBits-1:0]  bank_data_i,

    output logic                                    constant_valid_o,
    output logic [ConstantIndexWidth-1:0]           constant_index_o,
    output logic [PortWords-1:0][ConstantWidth-1:0] constant_data_o,

    output logic                       addend_valid_o,
    input  logic                       addend_ready_i,
    output logic [WordBits-1:0]        addend_o,

    // AXI4, one identifier, incrementing bursts of the port's width.
    output logic                       ar_valid_o,
    input  logic                       ar_ready_i,
    output logic [AxiAddressWidth-1:0] ar_addr_o,
    output logic [7:0]                 ar_len_o,
    input  logic                       r_valid_i,
    output logic                       r_ready_o,
    input  logic [8*BeatBytes-1:0]     r_data_i,
    input  logic [1:0]                 r_resp_i,
    output logic                       aw_valid_o,
    input  logic                       aw_ready_i,
    output logic [AxiAddressWidth-1:0] aw_addr_o,
    output logic [7:0]                 aw_len_o,
    output logic                       w_valid_o,
    input  logic                       w_ready_i,
    output logic [8*BeatBytes-1:0]     w_data_o,
    output logic                       w_last_o,
    input  logic                       b_valid_i,
    output logic                       b_ready_o,
    input  logic [1:0]                 b_resp_i
);
  localparam int unsigned LogPort    = $clog2(PortWords);
  localparam int unsigned LogBanks   = $clog2(4 * Bfus);
  localparam int unsigned BeatsWidth = (LogNMax - LogPort + 1 > 9) ? LogNMax - LogPort + 1 : 10;
  localparam int unsigned FifoDepth  = 4;
  // Words that a strided transfer takes of a stream at once.
  localparam int unsigned Length     = (BurstBytes < BeatBytes) ? PortWords : BurstBytes / WordBytes;
  localparam int unsigned LogLength  = $clog2(Length);
  localparam int unsigned LogLengthWidth = $clog2(LogLength + 1);
  localparam int unsigned UsageWidth = $clog2(FifoDepth + 1);
  typedef logic [BeatsWidth-1:0] beats_t;
  typedef logic [LogNMax-1:0] index_t;
  typedef logic [LogNWidth-1:0] log_n_t;
  typedef logic [PortWords-1:0][WordBits-1:0] beat_t;

  // The transfer.
  logic busy_q;
  transfer_e transfer_q;
  layout_e layout, layout_q;
  beats_t beats, beats_q;
  logic strided, loads, stores;
  logic [LogNMax:0] stride, stride_q;

  function automatic logic is_strided(transfer_e transfer, layout_e layout_of);
    return PortWords > 1 && (transfer == TransferLoad || transfer == TransferStore) &&
        (layout_of == LayoutForwardIn || layout_of == LayoutForwardOut);
  endfunction

  // A stream has as many words as the transfer has beats.
  always_comb begin
    stride = (LogNMax + 1)'(1) << (log_n_i - LogNWidth'(LogPort));
    beats  = beats_t'(stride);
    if (transfer_i == TransferConstants) begin
      beats = (beats_t'({log_n_i, 1'b0}) + beats_t'(3 + PortWords)) >> LogPort;
    end
  end
  // A stream may be shorter.
  log_n_t log_stream, log_length;
  assign log_stream = log_n_i - log_n_t'(LogPort);
  assign log_length = (log_stream < log_n_t'(LogLength)) ? log_stream : log_n_t'(LogLength);
  assign layout  = start_i ? layout_i : layout_q;
  assign strided = is_strided(transfer_q, layout_q);
  assign loads   = busy_q && transfer_q == TransferLoad;
  assign stores  = busy_q && transfer_q == TransferStore;

  `RW_FF(busy_q, start_i | (busy_q & ~done_o), 1'b0)
  `RW_FFL(transfer_q, transfer_i, start_i, TransferConstants)
  `RW_FFL(layout_q, layout_i, start_i, LayoutForwardIn)
  `RW_FFLNR(beats_q, beats, start_i)
  `RW_FFLNR(stride_q, stride, start_i)

  // Bursts.
  logic request_valid, request_ready, length_ready;
  logic [AxiAddressWidth-1:0] request_address;
  logic [7:0] request_length;
  rise_dma_addresses #(
      .AddressWidth(AxiAddressWidth),
      .BeatBytes(BeatBytes),
      .Streams(PortWords),
      .BeatsWidth(BeatsWidth)
  ) i_addresses (
      .clk_i,
      .rst_ni,
      .start_i,
      .strided_i(is_strided(transfer_i, layout_i)),
      .address_i,
      .beats_i(beats),
      .log_stretch_i(4'(log_length - log_n_t'(LogPort))),
      .stride_i(AxiAddressWidth'(stride) << $clog2(WordBytes)),
      .valid_o(request_valid),
      .ready_i(request_ready),
      .address_o(request_address),
      .length_o(request_length)
  );
  assign request_ready = (transfer_q == TransferStore) ? aw_ready_i & length_ready : ar_ready_i;
  assign ar_valid_o    = request_valid && transfer_q != TransferStore;
  assign aw_valid_o    = request_valid && length_ready && transfer_q == TransferStore;
  assign ar_addr_o     = request_address;
  assign aw_addr_o     = request_address;
  assign ar_len_o      = request_length;
  assign aw_len_o      = request_length;

  // Words from memory, one beat held.
  logic in_valid, in_ready, received;
  logic [PortWords-1:0][8*WordBytes-1:0] in_data;
  stream_register #(
      .Width(8 * BeatBytes)
  ) i_receive (
      .clk_i,
      .rst_ni,
      .valid_i(r_valid_i),
      .ready_o(r_ready_o),
      .data_i(r_data_i),
      .valid_o(in_valid),
      .ready_i(in_ready),
      .data_o(in_data)
  );
  assign received = in_valid & in_ready;

  // Words from the banks.
  beats_t read_q;
  logic read, read_valid_q, room, out_valid, out_ready;
  logic [UsageWidth-1:0] usage;
  assign read = (start_i && transfer_i == TransferStore) || (stores && read_q != beats_q && room);
  assign room = usage + UsageWidth'(read_valid_q) < UsageWidth'(FifoDepth);
  `RW_FF(read_valid_q, read, 1'b0)
  `RW_FFL(read_q, done_o ? '0 : read_q + beats_t'(1), done_o | read, '0)

  // Beats that came from either side; behind the last one the transposer is emptied.
  // Beats that entered and, of the transposed ones, that left.
  beats_t entered_q, turned_q;
  logic enters, flushes, turned, column;
  beat_t in_words, row, columns;
  assign enters  = stores ? read_valid_q : received;
  assign flushes = strided && entered_q == beats_q && turned_q != beats_q
      && (loads || (stores && room));
  assign turned  = busy_q & strided & (enters | flushes);
  assign column  = turned && entered_q >= beats_t'(1) << log_length;
  assign row     = stores ? bank_data_i : in_words;
  `RW_FFL(entered_q, done_o ? '0 : entered_q + beats_t'(1), done_o | (enters & busy_q), '0)
  `RW_FFL(turned_q, done_o ? '0 : turned_q + beats_t'(1), done_o | column, '0)

  if (PortWords > 1) begin : gen_transposer
    rise_transposer #(
        .Words(PortWords),
        .Length(Length),
        .Width(WordBits)
    ) i_transposer (
        .clk_i,
        .rst_ni,
        .log_length_i(LogLengthWidth'(log_length)),
        .to_rows_i(transfer_q == TransferStore),
        .clear_i(start_i),
        .shift_i(turned),
        .words_i(row),
        .words_o(columns)
    );
  end else begin : gen_straight
    assign columns = row;
  end

  // To and from the banks: by streams where the layout is bit-reversed, else neighbours.
  logic banked;
  beats_t beat;
  index_t place;
  assign banked         = loads & (strided ? column : received);
  assign beat           = banked ? (strided ? turned_q : entered_q) : read_q;
  assign place          = index_t'(beat);
  assign bank_request_o = banked | read;
  assign bank_write_o   = banked;
  assign bank_data_o    = strided ? columns : in_words;
  for (genvar lane = 0; lane < PortWords; lane++) begin : gen_lane
    index_t apart, index;
    assign apart = index_t'(start_i ? stride : stride_q);
    always_comb begin
      index = (place << LogPort) + index_t'(lane);
      if (PortWords > 1 && (layout == LayoutForwardIn || layout == LayoutForwardOut)) begin
        index = place + index_t'(lane) * apart;
      end
    end
    rise_layout #(
        .LogBanks(LogBanks),
        .LogNMax(LogNMax)
    ) i_layout (
        .log_n_i,
        .layout_i(layout),
        .index_i(index),
        .address_o(bank_address_o[lane])
    );
    assign in_words[lane]        = in_data[lane][WordBits-1:0];
    assign constant_data_o[lane] = in_data[lane][ConstantWidth-1:0];
  end
  assign constant_valid_o = received && transfer_q == TransferConstants;
  assign constant_index_o = ConstantIndexWidth'(entered_q << LogPort);

  // To the sampler, word by word.
  logic [LogNWidth-1:0] lane_q;
  logic lane_last;
  assign addend_valid_o = in_valid && transfer_q == TransferAddend;
  assign addend_o       = in_words[lane_q[(LogPort>0?LogPort:1)-1:0]];
  assign lane_last      = lane_q == LogNWidth'(PortWords - 1);
  assign in_ready       = transfer_q != TransferAddend || (addend_ready_i && lane_last);
  `RW_FFL(lane_q, lane_last ? '0 : lane_q + LogNWidth'(1), addend_valid_o & addend_ready_i, '0)

  // To memory. A beat follows its burst's address, whose length waits for it.
  beat_t out_words;
  logic [PortWords-1:0][8*WordBytes-1:0] out_data;
  logic sent, answered, open, last_of_burst, opened, closed;
  logic [7:0] length, burst_place_q;
  beats_t sent_q, unanswered_q;
  fifo #(
      .Depth(FifoDepth),
      .Width(PortWords * WordBits)
  ) i_send (
      .clk_i,
      .rst_ni,
      .valid_i(stores & (strided ? column : read_valid_q)),
      .ready_o(out_ready),
      .data_i(strided ? columns : row),
      .valid_o(out_valid),
      .ready_i(sent),
      .data_o(out_words),
      .usage_o(usage)
  );
  logic [UsageWidth-1:0] lengths;
  fifo #(
      .Depth(FifoDepth),
      .Width(8)
  ) i_lengths (
      .clk_i,
      .rst_ni,
      .valid_i(opened),
      .ready_o(length_ready),
      .data_i(request_length),
      .valid_o(open),
      .ready_i(closed),
      .data_o(length),
      .usage_o(lengths)
  );
  for (genvar lane = 0; lane < PortWords; lane++) begin : gen_out
    assign out_data[lane] = (8 * WordBytes)'(out_words[lane]);
  end
  assign w_data_o      = out_data;
  assign w_valid_o     = out_valid & open;
  assign last_of_burst = burst_place_q == length;
  assign w_last_o      = last_of_burst;
  assign sent          = w_valid_o & w_ready_i;
  assign b_ready_o     = 1'b1;
  assign answered      = b_valid_i & b_ready_o;

  assign opened = aw_valid_o & aw_ready_i;
  assign closed = sent & last_of_burst;
  `RW_FFL(unanswered_q, unanswered_q + beats_t'(opened) - beats_t'(answered), opened | answered, '0)
  `RW_FFL(sent_q, done_o ? '0 : sent_q + beats_t'(1), done_o | sent, '0)
  `RW_FFL(burst_place_q, last_of_burst ? '0 : burst_place_q + 8'd1, sent, '0)

  always_comb begin
    done_o = 1'b0;
    unique case (transfer_q)
      TransferStore: done_o = busy_q && sent_q == beats_q && answered && unanswered_q == beats_t'(1);
      TransferLoad: begin
        done_o = strided ? column && turned_q == beats_q - beats_t'(1)
                         : banked && entered_q == beats_q - beats_t'(1);
      end
      default: done_o = busy_q && received && entered_q == beats_q - beats_t'(1);
    endcase
  end
  assign error_o = (r_valid_i & r_ready_o & r_resp_i[1]) | (answered & b_resp_i[1]);

  logic unused;
  assign unused = ^{r_resp_i[0], b_resp_i[0], out_ready, in_data, beat, lengths, log_length};

  `RW_REQUIRE(rise_dma_port, PortWords >= 1 && 1 << LogPort == PortWords && PortWords <= 4 * Bfus)
  `RW_REQUIRE(rise_dma_burst, 1 << LogLength == Length && Length / PortWords <= 256)
  `RW_ASSERT(rise_dma_idle, !start_i || !busy_q)
  `RW_ASSERT(rise_dma_sends, !(stores && (strided ? column : read_valid_q)) || out_ready)
endmodule
