`include "registers.svh"
`include "assertions.svh"

/// The RPU's memories on an AXI4 bus: the controlling core fills them before a program and reads
/// them after it.
///
/// One beat is one word of one memory, whatever its width; the words follow each other at
/// `DataWidth / 8` bytes. The two highest address bits choose the memory (`memory_e`). Bursts are
/// incremental and whole beats wide, one at a time; while both directions wait, writes go first.
/// SLVERR answers a burst of another kind, a beat with strobes missing or beyond the memory, and
/// everything while a program runs (`blocked_i`): such beats change nothing and read 0.
///
/// Timing: one beat a cycle either way; the first word read leaves three cycles after its address.
/// Area: a burst's address and length, and three words on their way out.
module rpu_axi_port #(
    parameter int unsigned DataWidth    = 64,
    parameter int unsigned WordBits     = 64,
    parameter int unsigned VdmWords     = 2048,
    parameter int unsigned SdmWords     = 64,
    parameter int unsigned ImWords      = 256,
    parameter int unsigned IdWidth      = 4,
    localparam int unsigned AddressWidth = 32,
    localparam int unsigned StrobeWidth  = DataWidth / 8
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    input  logic                    aw_valid_i,
    output logic                    aw_ready_o,
    input  logic [IdWidth-1:0]      aw_id_i,
    input  logic [AddressWidth-1:0] aw_addr_i,
    input  logic [7:0]              aw_len_i,
    input  logic [2:0]              aw_size_i,
    input  logic [1:0]              aw_burst_i,
    input  logic                    w_valid_i,
    output logic                    w_ready_o,
    input  logic [DataWidth-1:0]    w_data_i,
    input  logic [StrobeWidth-1:0]  w_strb_i,
    input  logic                    w_last_i,
    output logic                    b_valid_o,
    input  logic                    b_ready_i,
    output logic [IdWidth-1:0]      b_id_o,
    output logic [1:0]              b_resp_o,

    input  logic                    ar_valid_i,
    output logic                    ar_ready_o,
    input  logic [IdWidth-1:0]      ar_id_i,
    input  logic [AddressWidth-1:0] ar_addr_i,
    input  logic [7:0]              ar_len_i,
    input  logic [2:0]              ar_size_i,
    input  logic [1:0]              ar_burst_i,
    output logic                    r_valid_o,
    input  logic                    r_ready_i,
    output logic [IdWidth-1:0]      r_id_o,
    output logic [DataWidth-1:0]    r_data_o,
    output logic [1:0]              r_resp_o,
    output logic                    r_last_o,

    /// A program runs, or is about to: no access to the memories.
    input  logic                    blocked_i,
    /// A burst is under way.
    output logic                    busy_o,

    output logic                    host_request_o,
    output logic                    host_write_o,
    output rpu_pkg::memory_e        host_memory_o,
    output logic [31:0]             host_address_o,
    output logic [127:0]            host_data_o,
    input  logic [127:0]            host_data_i
);
  localparam int unsigned ByteWidth = $clog2(StrobeWidth);
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;
  localparam logic [1:0] Incremental = 2'b01;

  typedef enum logic [1:0] {Idle, Write, Respond, Read} state_e;
  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic error;
    logic last;
  } beat_t;

  state_e state_d, state_q;
  logic [IdWidth-1:0] id_d, id_q;
  logic [1:0] memory_d, memory_q;
  logic [31:0] index_d, index_q, words;
  logic [7:0] left_d, left_q;
  // The burst is of a kind that is not served; a beat of it went wrong.
  logic refused_d, refused_q, error_d, error_q;
  logic present, beat, asked, room;

  // Whole beats, one after the other.
  function automatic logic served(logic [2:0] size, logic [1:0] burst, logic [7:0] length,
                                  logic [ByteWidth-1:0] byte_of_beat);
    return 32'(size) == ByteWidth && (burst == Incremental || length == '0) && byte_of_beat == '0;
  endfunction

  always_comb begin
    unique case (memory_q)
      rpu_pkg::MemoryInstruction: words = 32'(ImWords);
      rpu_pkg::MemoryScalar:      words = 32'(SdmWords);
      rpu_pkg::MemoryVector:      words = 32'(VdmWords);
      default:                    words = '0;
    endcase
  end
  assign present = ~refused_q & ~blocked_i & (index_q < words);

  // Where a burst would begin.
  logic [AddressWidth-1:0] address;
  assign address = aw_valid_i ? aw_addr_i : ar_addr_i;

  assign aw_ready_o = state_q == Idle;
  assign ar_ready_o = (state_q == Idle) & ~aw_valid_i;
  assign w_ready_o  = state_q == Write;
  assign b_valid_o  = state_q == Respond;
  assign b_id_o     = id_q;
  assign b_resp_o   = error_q ? SlaveError : Okay;
  assign busy_o     = (state_q != Idle) | r_valid_o;

  logic written;
  assign written = present & (&w_strb_i);
  assign asked   = (state_q == Read) & room;
  assign beat    = (w_valid_i & w_ready_o) | asked;

  always_comb begin
    state_d   = state_q;
    id_d      = id_q;
    memory_d  = memory_q;
    index_d   = index_q + 32'(beat);
    left_d    = left_q - 8'(beat);
    refused_d = refused_q;
    error_d   = error_q | (w_ready_o & w_valid_i & ~written);
    unique case (state_q)
      Idle: begin
        memory_d = address[AddressWidth-1-:2];
        index_d  = 32'(address[AddressWidth-3:ByteWidth]);
        error_d  = 1'b0;
        left_d   = aw_valid_i ? aw_len_i : ar_len_i;
        id_d     = aw_valid_i ? aw_id_i : ar_id_i;
        if (aw_valid_i) begin
          state_d   = Write;
          refused_d = ~served(aw_size_i, aw_burst_i, aw_len_i, address[ByteWidth-1:0]);
        end else if (ar_valid_i) begin
          state_d   = Read;
          refused_d = ~served(ar_size_i, ar_burst_i, ar_len_i, address[ByteWidth-1:0]);
        end
      end
      Write:   if (w_valid_i & w_last_i) state_d = Respond;
      Respond: if (b_ready_i) state_d = Idle;
      Read:    if (asked & (left_q == '0)) state_d = Idle;
      default: ;
    endcase
  end
  `RW_FF(state_q, state_d, Idle)
  `RW_FFNR(id_q, id_d)
  `RW_FFNR(memory_q, memory_d)
  `RW_FFNR(index_q, index_d)
  `RW_FFNR(left_q, left_d)
  `RW_FFNR(refused_q, refused_d)
  `RW_FFNR(error_q, error_d)

  assign host_request_o = (w_valid_i & w_ready_o & written) | (asked & present);
  assign host_write_o   = state_q == Write;
  assign host_memory_o  = rpu_pkg::memory_e'(memory_q);
  assign host_address_o = index_q;
  assign host_data_o    = 128'(w_data_i);

  // Words read are here one cycle after they were asked for.
  logic asked_q, present_q, last_q;
  logic [IdWidth-1:0] read_id_q;
  beat_t arrived, leaving;
  logic [1:0] usage;
  `RW_FF(asked_q, asked, 1'b0)
  `RW_FFNR(present_q, present)
  `RW_FFNR(last_q, left_q == '0)
  `RW_FFLNR(read_id_q, id_q, asked)
  assign arrived = '{data: present_q ? DataWidth'(host_data_i) : '0, error: ~present_q, last: last_q};
  assign room    = 32'(usage) + 32'(asked_q) < 32'd3;
  logic unused_ready;
  fifo #(
      .Depth(3),
      .data_t(beat_t)
  ) i_beats (
      .clk_i,
      .rst_ni,
      .valid_i(asked_q),
      .ready_o(unused_ready),
      .data_i(arrived),
      .valid_o(r_valid_o),
      .ready_i(r_ready_i),
      .data_o(leaving),
      .usage_o(usage)
  );
  assign r_id_o   = read_id_q;
  assign r_data_o = leaving.data;
  assign r_resp_o = leaving.error ? SlaveError : Okay;
  assign r_last_o = leaving.last;

  logic unused;
  assign unused = &{unused_ready, host_data_i, 32'(WordBits)};

  `RW_REQUIRE(rpu_axi_port_width, DataWidth == 64 || DataWidth == 128)
  `RW_REQUIRE(rpu_axi_port_word, DataWidth >= WordBits)
  `RW_ASSERT(rpu_axi_port_room, !(asked_q & unused_ready == 1'b0))
endmodule
