/// A memory behind an AXI4 port, for testbenches: whole beats, bursts in order, no stalls. Whoever
/// instantiates it fills and reads `words`.
///
/// Timing: the first beat of a read is offered `latency_i` cycles after its address was taken, one or
/// more; one beat a cycle follows. The response to a write comes as long after its last beat. A burst
/// that crosses a page, leaves the memory, is no incrementing one of whole beats, or whose last beat
/// is not where its length says ends the simulation.
module axi_memory #(
    parameter int unsigned WordBits  = 32,
    parameter int unsigned BeatWords = 2,
    parameter int unsigned Words     = 1024,
    localparam int unsigned BeatBytes = BeatWords * WordBits / 8
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    /// Address of the first word, and cycles until the first beat.
    input  logic [63:0]            base_i,
    input  int unsigned            latency_i,

    input  logic                   ar_valid_i,
    output logic                   ar_ready_o,
    input  logic [63:0]            ar_addr_i,
    input  logic [7:0]             ar_len_i,
    input  logic [2:0]             ar_size_i,
    input  logic [1:0]             ar_burst_i,
    output logic                   r_valid_o,
    input  logic                   r_ready_i,
    output logic [8*BeatBytes-1:0] r_data_o,
    output logic [1:0]             r_resp_o,
    input  logic                   aw_valid_i,
    output logic                   aw_ready_o,
    input  logic [63:0]            aw_addr_i,
    input  logic [7:0]             aw_len_i,
    input  logic [2:0]             aw_size_i,
    input  logic [1:0]             aw_burst_i,
    input  logic                   w_valid_i,
    output logic                   w_ready_o,
    input  logic [8*BeatBytes-1:0] w_data_i,
    input  logic [BeatBytes-1:0]   w_strb_i,
    input  logic                   w_last_i,
    output logic                   b_valid_o,
    input  logic                   b_ready_i,
    output logic [1:0]             b_resp_o
);
  localparam logic [63:0] PageBytes    = 64'd4096;
  localparam logic [63:0] MemoryBytes  = 64'(Words) * WordBits / 8;
  localparam logic [1:0]  Incrementing = 2'b01;
  localparam logic [2:0]  WholeBeats   = 3'($clog2(BeatBytes));

  typedef struct {
    int unsigned due;
    int unsigned first;
  } read_t;
  typedef struct {
    int unsigned first;
    logic        last;
  } write_t;

  logic [WordBits-1:0] words[Words];

  // Beats to send, beats to come, responses to send: by the words they begin with, the cycles from
  // which they may be offered.
  read_t reads[$];
  write_t writes[$];
  int unsigned responses[$];
  int unsigned cycle = 0;

  assign ar_ready_o = 1'b1;
  assign aw_ready_o = 1'b1;
  assign w_ready_o  = 1'b1;
  assign r_resp_o   = 2'b00;
  assign b_resp_o   = 2'b00;

  // The word at which a burst begins.
  function automatic int unsigned first_word(logic [63:0] address, logic [7:0] len,
                                             logic [2:0] size, logic [1:0] burst);
    logic [63:0] offset, bytes, last;
    offset = address - base_i;
    bytes  = (64'(len) + 64'd1) * 64'(BeatBytes);
    last   = address + bytes - 64'd1;
    if (size != WholeBeats || burst != Incrementing || address % 64'(BeatBytes) != '0 ||
        address / PageBytes != last / PageBytes || address < base_i ||
        offset + bytes > MemoryBytes) begin
      $fatal(1, "axi_memory: burst of %0d beats at %h", 32'(len) + 1, address);
    end
    return 32'(offset * 8 / WordBits);
  endfunction

  always @(posedge clk_i) begin
    if (rst_ni) accept();
    cycle = cycle + 1;
    // What is offered in the coming cycle.
    r_valid_o <= reads.size() != 0 && reads[0].due <= cycle;
    b_valid_o <= responses.size() != 0 && responses[0] <= cycle;
    if (reads.size() != 0) begin
      for (int unsigned y = 0; y < BeatWords; y++) begin
        r_data_o[y*WordBits+:WordBits] <= words[reads[0].first+y];
      end
    end
  end

  function automatic void accept();
    if (ar_valid_i) begin
      for (int unsigned i = 0; i <= 32'(ar_len_i); i++) begin
        reads.push_back('{
            due: cycle + latency_i,
            first: first_word(ar_addr_i, ar_len_i, ar_size_i, ar_burst_i) + i * BeatWords
        });
      end
    end
    if (aw_valid_i) begin
      for (int unsigned i = 0; i <= 32'(aw_len_i); i++) begin
        writes.push_back('{
            first: first_word(aw_addr_i, aw_len_i, aw_size_i, aw_burst_i) + i * BeatWords,
            last: i == 32'(aw_len_i)
        });
      end
    end
    if (w_valid_i) begin
      if (writes.size() == 0 || w_last_i != writes[0].last || w_strb_i != '1) begin
        $fatal(1, "axi_memory: a beat without its address, without a part, or not the last");
      end
      for (int unsigned y = 0; y < BeatWords; y++) begin
        words[writes[0].first+y] = w_data_i[y*WordBits+:WordBits];
      end
      if (w_last_i) responses.push_back(cycle + latency_i);
      void'(writes.pop_front());
    end
    if (r_valid_o && r_ready_i) void'(reads.pop_front());
    if (b_valid_o && b_ready_i) void'(responses.pop_front());
  endfunction
endmodule
