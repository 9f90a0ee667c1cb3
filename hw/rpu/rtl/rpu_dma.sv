`include "registers.svh"
`include "assertions.svh"

/// The DMA port: moves words between off-chip memory, as an AXI4 manager, and the device's memories.
///
/// Moves are taken in order, cut into bursts (`rpu_dma_bursts`) and asked for ahead: up to
/// `Outstanding` bursts wait for memory. Data pass in the order of the bursts. So a store is asked
/// for when all before it has arrived, and no write waits for a read; a load of a page that a store
/// has not reached yet waits (`rpu_dma_pages`). A move ends when its words are in the device's
/// memory, or when memory has said of all its bursts that they are written; moves end in order.
/// Fetches of commands go before the next burst; their data are always taken.
///
/// One identifier, incremental bursts of whole beats; a store's last beat has strobes. SLVERR or
/// DECERR are told through `error_o`; so is a memory with something to do and no handshake for
/// `Timeout` cycles. Whoever hears of an error raises `stop_i`: moves are dropped, bursts under way
/// come to their end.
///
/// Timing: a move taken in cycle c has its address on the bus in c + 3. A word that arrives in cycle
/// c is in its memory behind c + 1; one beat a cycle. A store's first beat leaves three cycles after
/// the burst's turn has come. Area: the order of bursts, four beats on their way out, one line.
module rpu_dma
  import rpu_config_pkg::*;
  import rpu_pkg::*;
#(
    parameter config_t     Config      = rpu_machine_pkg::Machine,
    parameter int unsigned Outstanding = 8,
    parameter int unsigned BurstBeats  = 16,
    parameter int unsigned Timeout     = 65536,
    localparam int unsigned Line         = line_words(Config),
    localparam int unsigned ElementBits  = element_bits(Config),
    localparam int unsigned DataWidth    = 8 * Config.port_bytes,
    localparam int unsigned AddressWidth = rpu_command_pkg::AddressWidth
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,

    input  logic                              stop_i,
    input  logic                              move_valid_i,
    output logic                              move_ready_o,
    input  move_t                             move_i,
    /// A move has ended; it was the last of its list.
    output logic                              move_done_o,
    output logic                              list_done_o,

    input  logic                              fetch_valid_i,
    output logic                              fetch_ready_o,
    input  logic [AddressWidth-1:0]           fetch_address_i,
    input  logic [7:0]                        fetch_length_i,
    output logic                              fetch_data_valid_o,
    output logic [DataWidth-1:0]              fetch_data_o,

    /// Nothing is under way.
    output logic                              idle_o,
    output port_error_t                       error_o,

    // The memories of the device; words read come one cycle after they were asked for.
    output logic                              line_request_o,
    output logic                              line_write_o,
    output memory_e                           line_memory_o,
    output logic [31:0]                       line_address_o,
    output logic [Line-1:0]                   line_enable_o,
    output logic [Line-1:0][ElementBits-1:0]  line_data_o,
    input  logic [Line-1:0][ElementBits-1:0]  line_data_i,

    // AXI4.
    output logic                              ar_valid_o,
    input  logic                              ar_ready_i,
    output logic [AddressWidth-1:0]           ar_addr_o,
    output logic [7:0]                        ar_len_o,
    input  logic                              r_valid_i,
    output logic                              r_ready_o,
    input  logic [DataWidth-1:0]              r_data_i,
    input  logic [1:0]                        r_resp_i,
    input  logic                              r_last_i,
    output logic                              aw_valid_o,
    input  logic                              aw_ready_i,
    output logic [AddressWidth-1:0]           aw_addr_o,
    output logic [7:0]                        aw_len_o,
    output logic                              w_valid_o,
    input  logic                              w_ready_i,
    output logic [DataWidth-1:0]              w_data_o,
    output logic [Config.port_bytes-1:0]      w_strb_o,
    output logic                              w_last_o,
    input  logic                              b_valid_i,
    output logic                              b_ready_o,
    input  logic [1:0]                        b_resp_i
);
  localparam int unsigned UsageWidth   = $clog2(Outstanding + 1);
  localparam int unsigned OutBeats     = 4;
  localparam int unsigned OutWidth     = $clog2(OutBeats + 1);
  localparam int unsigned TimeoutWidth = $clog2(Timeout + 1);

  typedef struct packed {
    logic [AddressWidth-1:0] address;
    logic [7:0]              length;
  } request_t;
  typedef struct packed {
    logic [DataWidth-1:0]         data;
    logic [Config.port_bytes-1:0] strobe;
    logic                         last;
  } out_beat_t;
  typedef struct packed {
    logic store;
    logic move_ends;
    logic list_ends;
  } end_t;

  // ---- Bursts of moves, and fetches before them.
  logic cut_valid, cut_ready;
  burst_t cut, next, head;
  rpu_dma_bursts #(
      .Config(Config),
      .BurstBeats(BurstBeats)
  ) i_bursts (
      .clk_i,
      .rst_ni,
      .stop_i,
      .valid_i(move_valid_i),
      .ready_o(move_ready_o),
      .move_i,
      .valid_o(cut_valid),
      .ready_i(cut_ready),
      .burst_o(cut)
  );

  logic request_ready, order_ready, pages_ready, page_hit, pages_empty, asked, asks_read;
  always_comb begin
    next = cut;
    if (fetch_valid_i) begin
      next         = '0;
      next.fetch   = 1'b1;
      next.address = fetch_address_i;
      next.length  = fetch_length_i;
    end
  end
  // What goes into the order of data; a read goes to the bus at once.
  assign asks_read     = fetch_valid_i | ~cut.store;
  assign asked         = order_ready & (asks_read ? request_ready & (fetch_valid_i | ~page_hit) : pages_ready) &
                         (fetch_valid_i | cut_valid);
  assign fetch_ready_o = asked & fetch_valid_i;
  assign cut_ready     = asked & ~fetch_valid_i;

  logic head_valid, head_done, ended_store;
  logic [UsageWidth-1:0] unused_usage;
  fifo #(
      .Depth(Outstanding),
      .data_t(burst_t)
  ) i_order (
      .clk_i,
      .rst_ni,
      .valid_i(asked),
      .ready_o(order_ready),
      .data_i(next),
      .valid_o(head_valid),
      .ready_i(head_done),
      .data_o(head),
      .usage_o(unused_usage)
  );
  rpu_dma_pages #(
      .Depth(Outstanding),
      .Width(AddressWidth - 12)
  ) i_pages (
      .clk_i,
      .rst_ni,
      .ready_o(pages_ready),
      .push_i(asked & ~asks_read),
      .page_i(cut.address[AddressWidth-1:12]),
      .pop_i(ended_store),
      .hit_o(page_hit),
      .empty_o(pages_empty)
  );
  request_t read_request, write_request;
  stream_register #(
      .data_t(request_t)
  ) i_ar (
      .clk_i,
      .rst_ni,
      .valid_i(asked & asks_read),
      .ready_o(request_ready),
      .data_i('{address: next.address, length: next.length}),
      .valid_o(ar_valid_o),
      .ready_i(ar_ready_i),
      .data_o(read_request)
  );
  assign ar_addr_o = read_request.address;
  assign ar_len_o  = read_request.length;

  // ---- The burst whose data pass: which beat, where in the memory, how many words are left.
  logic [7:0] beat_d, beat_q;
  logic [2:0] shift;
  logic [31:0] words, left, left_q, place, place_q;
  logic [Line-1:0] enable;
  logic passes, last_beat, reads, stores, out_room, aw_ready, aw_done_d, aw_done_q, aw_valid;
  assign reads     = head_valid & ~head.store;
  assign stores    = head_valid & head.store;
  assign shift     = beat_shift(Config, head.memory == MemoryInstruction, head.narrow);
  assign words     = 32'd1 << shift;
  assign place     = (beat_q == '0) ? head.place : place_q;
  assign left      = (beat_q == '0) ? head.count : left_q;
  assign last_beat = beat_q == head.length;
  always_comb begin
    for (int unsigned j = 0; j < Line; j++) enable[j] = (j < left) && (j < words);
  end

  // A store's address goes first, or with its first beat.
  assign aw_valid  = stores & ~aw_done_q;
  assign aw_done_d = ~head_done & (aw_done_q | (stores & aw_ready));
  `RW_FF(aw_done_q, aw_done_d, 1'b0)

  assign r_ready_o = reads;
  assign passes    = reads ? r_valid_i : stores & out_room & (aw_done_q | aw_ready);
  assign head_done = passes & last_beat;
  assign beat_d    = head_done ? '0 : beat_q + 8'(passes);
  `RW_FF(beat_q, beat_d, '0)
  `RW_FFLNR(place_q, place + words, passes)
  `RW_FFLNR(left_q, left - words, passes)

  // ---- In: a line behind a register.
  logic loads, load_q, load_narrow_q;
  logic [DataWidth-1:0] load_data_q;
  logic [Line-1:0] load_enable_q;
  logic [31:0] load_place_q;
  memory_e load_memory_q;
  end_t ends, load_ends_q;
  assign loads = reads & ~head.fetch & r_valid_i;
  assign ends  = '{
      store: head.store,
      move_ends: head.move_ends & last_beat,
      list_ends: head.list_ends & last_beat
  };
  `RW_FF(load_q, loads, 1'b0)
  `RW_FFLNR(load_data_q, r_data_i, loads)
  `RW_FFLNR(load_enable_q, enable, loads)
  `RW_FFLNR(load_place_q, place, loads)
  `RW_FFLNR(load_memory_q, head.memory, loads)
  `RW_FFLNR(load_narrow_q, head.narrow, loads)
  `RW_FFLNR(load_ends_q, ends, loads)

  assign fetch_data_valid_o = reads & head.fetch & r_valid_i;
  assign fetch_data_o       = r_data_i;

  // ---- Out: lines are asked for while there is room for them. A line that is written goes first.
  logic asks_line, asks_line_q, out_ready;
  logic out_narrow_q;
  logic [Config.port_bytes-1:0] strobe, strobe_q;
  logic [DataWidth-1:0] stored;
  end_t out_ends_q;
  logic out_last_q;
  logic [OutWidth-1:0] out_usage;
  out_beat_t out_beat;
  assign asks_line = stores & passes;
  assign out_room  = (32'(out_usage) + 32'(asks_line_q) < OutBeats) & ~load_q;
  // Bytes of the words that are left; a beat has 1 to `Line` words.
  always_comb begin
    strobe = '0;
    for (int unsigned s = 0; s <= $clog2(Line); s++) begin
      for (int unsigned i = 0; i < Config.port_bytes; i++) begin
        if (32'(shift) == s) strobe[i] = enable[(i<<s)/Config.port_bytes];
      end
    end
  end
  `RW_FF(asks_line_q, asks_line, 1'b0)
  `RW_FFLNR(out_narrow_q, head.narrow, asks_line)
  `RW_FFLNR(strobe_q, strobe, asks_line)
  `RW_FFLNR(out_last_q, last_beat, asks_line)
  `RW_FFLNR(out_ends_q, ends, asks_line)

  rpu_dma_lines #(
      .Config(Config)
  ) i_lines (
      .instructions_i(load_memory_q == MemoryInstruction),
      .narrow_i(load_q ? load_narrow_q : out_narrow_q),
      .beat_i(load_data_q),
      .line_o(line_data_o),
      .line_i(line_data_i),
      .beat_o(stored)
  );
  fifo #(
      .Depth(OutBeats),
      .data_t(out_beat_t)
  ) i_out (
      .clk_i,
      .rst_ni,
      .valid_i(asks_line_q),
      .ready_o(out_ready),
      .data_i('{data: stored, strobe: strobe_q, last: out_last_q}),
      .valid_o(w_valid_o),
      .ready_i(w_ready_i),
      .data_o(out_beat),
      .usage_o(out_usage)
  );
  assign w_data_o = out_beat.data;
  assign w_strb_o = out_beat.strobe;
  assign w_last_o = out_beat.last;
  stream_register #(
      .data_t(request_t)
  ) i_aw (
      .clk_i,
      .rst_ni,
      .valid_i(aw_valid),
      .ready_o(aw_ready),
      .data_i('{address: head.address, length: head.length}),
      .valid_o(aw_valid_o),
      .ready_i(aw_ready_i),
      .data_o(write_request)
  );
  assign aw_addr_o = write_request.address;
  assign aw_len_o  = write_request.length;

  assign line_request_o = load_q | asks_line;
  assign line_write_o   = load_q;
  assign line_memory_o  = load_q ? load_memory_q : MemoryVector;
  assign line_address_o = load_q ? load_place_q : place;
  assign line_enable_o  = load_q ? load_enable_q : enable;

  // ---- Ends, in order: a load's comes with its last line, a store's with memory's response.
  logic end_valid, end_ready, end_push, ending, responded;
  end_t end_in, end_out;
  logic [UsageWidth-1:0] unused_ends;
  logic [UsageWidth-1:0] responses_d, responses_q;
  assign end_in      = load_q ? load_ends_q : out_ends_q;
  assign end_push    = load_q ? load_ends_q.move_ends : asks_line_q & out_last_q;
  assign responded   = b_valid_i & b_ready_o;
  assign ending      = end_valid & (~end_out.store | (responses_q != '0) | responded);
  assign ended_store = ending & end_out.store;
  assign responses_d = responses_q + UsageWidth'(responded) - UsageWidth'(ended_store);
  assign b_ready_o   = 1'b1;
  `RW_FF(responses_q, responses_d, '0)

  // Without anything before it an end passes at once.
  logic queue_valid, bypass;
  end_t queued;
  assign bypass    = end_push & ~queue_valid & (~end_in.store);
  assign end_valid = queue_valid | bypass;
  assign end_out   = queue_valid ? queued : end_in;
  fifo #(
      .Depth(Outstanding),
      .data_t(end_t)
  ) i_ends (
      .clk_i,
      .rst_ni,
      .valid_i(end_push & ~bypass),
      .ready_o(end_ready),
      .data_i(end_in),
      .valid_o(queue_valid),
      .ready_i(ending),
      .data_o(queued),
      .usage_o(unused_ends)
  );
  assign move_done_o = ending & end_out.move_ends;
  assign list_done_o = ending & end_out.list_ends;

  // ---- What goes wrong.
  logic waiting, progress;
  logic [TimeoutWidth-1:0] waited_d, waited_q;
  assign idle_o   = ~(cut_valid | head_valid | load_q | asks_line_q | queue_valid | ar_valid_o |
                      aw_valid_o | w_valid_o | ~pages_empty);
  assign waiting  = head_valid | queue_valid | ar_valid_o | aw_valid_o | w_valid_o;
  assign progress = (ar_valid_o & ar_ready_i) | (r_valid_i & r_ready_o) | (aw_valid_o & aw_ready_i) |
                    (w_valid_o & w_ready_i) | responded;
  assign waited_d = (~waiting | progress) ? '0 : waited_q + TimeoutWidth'({~error_o.timeout});
  `RW_FF(waited_q, waited_d, '0)
  assign error_o = '{
      read: r_valid_i & r_ready_o & r_resp_i[1],
      write: responded & b_resp_i[1],
      timeout: waited_q == TimeoutWidth'(Timeout)
  };

  logic unused;
  assign unused = &{unused_usage, unused_ends, out_ready, end_ready, r_resp_i[0], b_resp_i[0]};

  `RW_REQUIRE(rpu_dma_sizes, Outstanding >= 2 && BurstBeats >= 1 && BurstBeats <= 256 && Timeout >= 1)
  `RW_ASSERT(rpu_dma_last, !(r_valid_i && r_ready_o) || r_last_i == last_beat)
  `RW_ASSERT(rpu_dma_room, !(asks_line_q & ~out_ready) && !(end_push & ~bypass & ~end_ready))
  `RW_ASSERT(rpu_dma_one_way, !(load_q & asks_line))
  `RW_ASSERT(rpu_dma_response, !responded || responses_q != '1)
endmodule
