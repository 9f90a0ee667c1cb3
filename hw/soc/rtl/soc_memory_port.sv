`include "registers.svh"
`include "assertions.svh"

/// One port of the memory, AXI4: its content is the simulator's, its timing is here.
///
/// The first beat of a burst comes `Latency` cycles after its address, the others one a cycle; a burst
/// whose address came meanwhile follows without a gap. A write is answered `Latency` cycles after its
/// last beat. At most `Outstanding` bursts of each kind are on their way. An address that no memory has
/// is answered with an error. `crates/target-rise`'s `dma_latency` is two more than `Latency`.
module soc_memory_port #(
    parameter int unsigned BeatBytes   = 8,
    parameter int unsigned Latency     = 30,
    parameter int unsigned Outstanding = 8
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   ar_valid_i,
    output logic                   ar_ready_o,
    input  logic [63:0]            ar_addr_i,
    input  logic [7:0]             ar_len_i,
    input  logic [2:0]             ar_size_i,
    output logic                   r_valid_o,
    input  logic                   r_ready_i,
    output logic [8*BeatBytes-1:0] r_data_o,
    output logic [1:0]             r_resp_o,
    output logic                   r_last_o,
    input  logic                   aw_valid_i,
    output logic                   aw_ready_o,
    input  logic [63:0]            aw_addr_i,
    input  logic [2:0]             aw_size_i,
    input  logic                   w_valid_i,
    output logic                   w_ready_o,
    input  logic [8*BeatBytes-1:0] w_data_i,
    input  logic [BeatBytes-1:0]   w_strb_i,
    input  logic                   w_last_i,
    output logic                   b_valid_o,
    input  logic                   b_ready_i,
    output logic [1:0]             b_resp_o
);
  localparam int unsigned Words = (BeatBytes > 8) ? BeatBytes / 8 : 1;
  localparam logic [1:0] Failed = 2'b10;
  localparam int unsigned CountWidth = $clog2(Outstanding + 1);
  localparam int unsigned SlotWidth = (Outstanding > 1) ? $clog2(Outstanding) : 1;

  // The simulator's memory: eight bytes at an address, a write of those that `strobe` names. Whether there
  // is memory.
  import "DPI-C" function bit soc_memory_read(
    input longint unsigned address,
    output longint unsigned data
  );
  import "DPI-C" function bit soc_memory_write(
    input longint unsigned address,
    input longint unsigned data,
    input byte unsigned strobe
  );

  logic [63:0] now_q;
  `RW_FF(now_q, now_q + 64'd1, '0)

  // ---- Reads: bursts in order, each with the cycle before which nothing comes of it.
  typedef struct packed {
    logic [63:0] address;
    logic [63:0] first;
    logic [7:0]  left;
    logic [2:0]  size;
  } burst_t;
  burst_t [Outstanding-1:0] reads_q;
  logic [SlotWidth-1:0] oldest_q, newest_q;
  logic [CountWidth-1:0] reads_count_q;
  burst_t read;
  logic read_done;
  assign read       = reads_q[oldest_q];
  assign ar_ready_o = reads_count_q != CountWidth'(Outstanding);
  assign r_valid_o  = reads_count_q != '0 && now_q >= read.first;
  assign r_last_o   = read.left == '0;
  assign read_done  = r_valid_o & r_ready_i & r_last_o;

  function automatic logic [SlotWidth-1:0] after(logic [SlotWidth-1:0] slot);
    return (slot == SlotWidth'(Outstanding - 1)) ? '0 : slot + SlotWidth'(1);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      oldest_q      <= '0;
      newest_q      <= '0;
      reads_count_q <= '0;
      reads_q       <= '0;
    end else begin
      if (ar_valid_i & ar_ready_o) begin
        reads_q[newest_q] <= '{
            address: ar_addr_i,
            first: now_q + 64'(Latency),
            left: ar_len_i,
            size: ar_size_i
        };
        newest_q <= after(newest_q);
      end
      if (r_valid_o & r_ready_i) begin
        reads_q[oldest_q].address <= read.address + (64'd1 << read.size);
        reads_q[oldest_q].left    <= read.left - 8'd1;
      end
      if (read_done) oldest_q <= after(oldest_q);
      reads_count_q <= reads_count_q + CountWidth'(ar_valid_i & ar_ready_o) - CountWidth'(read_done);
    end
  end

  // Whether there is memory for a beat, and the beat as the bus shows it.
  function automatic logic [8*BeatBytes:0] beat_at(logic [63:0] address);
    logic [64*Words-1:0] beat;
    logic is_there;
    longint unsigned word;
    is_there = 1'b1;
    for (int unsigned w = 0; w < Words; w++) begin
      is_there &= soc_memory_read(((address & ~64'(BeatBytes - 1)) + 64'(8 * w)) & ~64'd7, word);
      beat[64*w+:64] = word;
    end
    if (BeatBytes < 8) beat = beat >> {address[2:0] & ~3'(BeatBytes - 1), 3'b000};
    return {is_there, (8 * BeatBytes)'(beat)};
  endfunction
  logic [8*BeatBytes:0] beat;
  assign beat     = r_valid_o ? beat_at(read.address) : '0;
  assign r_data_o = beat[8*BeatBytes-1:0];
  assign r_resp_o = beat[8*BeatBytes] ? 2'b00 : Failed;

  // ---- Writes: one burst's beats at a time; answers in order.
  logic writing_q, write_ok_q;
  logic [63:0] write_address_q;
  logic [2:0] write_size_q;
  logic [Outstanding-1:0][63:0] answer_at_q;
  logic [Outstanding-1:0] answer_ok_q;
  logic [SlotWidth-1:0] oldest_answer_q, newest_answer_q;
  logic [CountWidth-1:0] answers_q;
  logic w_done;
  assign w_done     = w_valid_i & w_ready_o & w_last_i;
  assign aw_ready_o = !writing_q && answers_q != CountWidth'(Outstanding);
  assign w_ready_o  = writing_q;
  assign b_valid_o  = answers_q != '0 && now_q >= answer_at_q[oldest_answer_q];
  assign b_resp_o   = answer_ok_q[oldest_answer_q] ? 2'b00 : Failed;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writing_q       <= 1'b0;
      write_ok_q      <= 1'b1;
      write_address_q <= '0;
      write_size_q    <= '0;
      answer_at_q     <= '0;
      answer_ok_q     <= '0;
      oldest_answer_q <= '0;
      newest_answer_q <= '0;
      answers_q       <= '0;
    end else begin
      if (aw_valid_i & aw_ready_o) begin
        writing_q       <= 1'b1;
        write_ok_q      <= 1'b1;
        write_address_q <= aw_addr_i;
        write_size_q    <= aw_size_i;
      end
      if (w_valid_i & w_ready_o) begin
        logic is_there;
        is_there = write_ok_q;
        for (int unsigned w = 0; w < Words; w++) begin
          logic [63:0] at;
          logic [63:0] data;
          logic [7:0] strobe;
          at = (write_address_q & ~64'(BeatBytes - 1)) + 64'(8 * w);
          if (BeatBytes < 8) begin
            data   = 64'(w_data_i) << (8 * at[2:0]);
            strobe = 8'(w_strb_i) << at[2:0];
          end else begin
            data   = w_data_i[64*w+:64];
            strobe = w_strb_i[8*w+:8];
          end
          if (strobe != '0) is_there &= soc_memory_write(at & ~64'd7, data, strobe);
        end
        write_ok_q      <= is_there;
        write_address_q <= write_address_q + (64'd1 << write_size_q);
        if (w_last_i) begin
          writing_q                    <= 1'b0;
          answer_at_q[newest_answer_q] <= now_q + 64'(Latency);
          answer_ok_q[newest_answer_q] <= is_there;
          newest_answer_q              <= after(newest_answer_q);
        end
      end
      if (b_valid_o & b_ready_i) oldest_answer_q <= after(oldest_answer_q);
      answers_q <= answers_q + CountWidth'(w_done) - CountWidth'(b_valid_o & b_ready_i);
    end
  end

  `RW_REQUIRE(soc_memory_port_sizes, Latency >= 1 && Outstanding >= 1 && BeatBytes >= 4)
endmodule
