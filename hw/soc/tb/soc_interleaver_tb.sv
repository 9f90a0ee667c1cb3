/// Bursts are read and written at random through `soc_interleaver`, at once, while a port that answers its two
/// identifiers in any order stalls at random. Lines that are `missing` fail, and with them the bursts written there.
module soc_interleaver_tb
  import soc_pkg::*;
;
  localparam int unsigned Bursts    = 1000;
  localparam int unsigned Words     = 4096;
  localparam int unsigned MostBeats = 300;
  localparam int unsigned MostAsked = 3;
  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;

  narrow_request_t asked, request;
  narrow_answer_t got, answer;
  soc_interleaver i_interleaver (
      .clk_i(clk),
      .rst_ni(rst_n),
      .bursts_i(asked),
      .bursts_o(got),
      .port_o(request),
      .port_i(answer)
  );

  function automatic void fail(string what);
    $display("FAILED: %s", what);
    $fatal(1);
  endfunction

  function automatic logic missing(int unsigned word);
    return word / 8 % 37 == 0;
  endfunction

  // What is read is a word's address; what is written goes to a memory of its own.
  logic [63:0] memory[Words], expected[Words];

  // ---- Who asks.
  typedef struct {
    int unsigned first;
    int unsigned beats;
  } burst_t;
  burst_t reads[$], writes[$], unsent[$];
  int unsigned read_bursts, written_bursts, answered, read_beat, sent_beat;

  function automatic burst_t any();
    burst_t burst;
    burst.beats = ($urandom_range(3) == 0) ? $urandom_range(MostBeats, 1) : $urandom_range(20, 1);
    burst.first = $urandom_range(Words - burst.beats);
    return burst;
  endfunction

  function automatic logic any_missing(burst_t burst);
    logic found;
    found = 1'b0;
    for (int unsigned word = burst.first; word < burst.first + burst.beats; word++) found |= missing(word);
    return found;
  endfunction

  task automatic ask_to_read();
    if (asked.ar_valid && got.ar_ready) begin
      reads.push_back('{32'(asked.ar_addr / 8), 32'(asked.ar_len) + 1});
      asked.ar_valid <= 1'b0;
      read_bursts = read_bursts + 1;
    end else if (!asked.ar_valid && read_bursts < Bursts && $urandom_range(2) == 0) begin
      automatic burst_t burst = any();
      asked.ar_valid <= 1'b1;
      asked.ar_addr  <= 64'(8 * burst.first);
      asked.ar_len   <= narrow_length_t'(burst.beats - 1);
      asked.ar_size  <= 3'd3;
    end
    if (got.r_valid && asked.r_ready) begin
      if (reads.size() == 0) fail("an answer that nobody asked for");
      if (got.r_data != 64'(8 * (reads[0].first + read_beat))) fail("another word");
      if (got.r_resp[1] != missing(reads[0].first + read_beat)) fail("a read's error is lost, or made");
      read_beat = read_beat + 1;
      if (got.r_last != (read_beat == reads[0].beats)) fail("the last word is not where the burst ends");
      if (got.r_last) begin
        void'(reads.pop_front());
        read_beat = 0;
      end
    end
    asked.r_ready <= $urandom_range(3) != 0;
  endtask

  task automatic ask_to_write();
    if (asked.aw_valid && got.aw_ready) begin
      automatic burst_t burst = '{32'(asked.aw_addr / 8), 32'(asked.aw_len) + 1};
      writes.push_back(burst);
      asked.aw_valid <= 1'b0;
      written_bursts = written_bursts + 1;
    end else if (!asked.aw_valid && written_bursts < Bursts && writes.size() < MostAsked &&
                 $urandom_range(2) == 0) begin
      automatic burst_t burst = any();
      asked.aw_valid <= 1'b1;
      asked.aw_addr  <= 64'(8 * burst.first);
      asked.aw_len   <= narrow_length_t'(burst.beats - 1);
      asked.aw_size  <= 3'd3;
      // Data may come before their address is taken.
      unsent.push_back(burst);
    end
    if (asked.w_valid && got.w_ready) begin
      automatic int unsigned word = unsent[0].first + sent_beat;
      for (int unsigned i = 0; i < 8; i++)
        if (asked.w_strb[i] && !missing(word)) expected[word][8*i+:8] = asked.w_data[8*i+:8];
      sent_beat = sent_beat + 1;
      if (asked.w_last) begin
        void'(unsent.pop_front());
        sent_beat = 0;
      end
      asked.w_valid <= 1'b0;
    end
    if ((!asked.w_valid || got.w_ready) && unsent.size() != 0 && $urandom_range(3) != 0) begin
      asked.w_valid <= 1'b1;
      asked.w_data  <= {$urandom(), $urandom()};
      asked.w_strb  <= 8'($urandom());
      asked.w_last  <= sent_beat + 1 == unsent[0].beats;
    end
    if (got.b_valid && asked.b_ready) begin
      if (writes.size() == 0) fail("an answer of a write that nobody asked for");
      if (got.b_resp[1] != any_missing(writes[0])) fail("a write's error is lost, or made");
      void'(writes.pop_front());
      answered = answered + 1;
    end
    asked.b_ready <= $urandom_range(3) != 0;
  endtask

  // ---- The port: of each identifier what was asked first is answered first.
  burst_t lines[2][$], filling[$];
  logic failing[2][$], filling_id[$];
  int unsigned filled, beat;
  logic busy, id;

  function automatic burst_t line_of(logic [63:0] address, narrow_length_t length);
    if (address % 64 / 8 + 64'(length) > 7) fail("more than a line");
    return '{32'(address / 8), 32'(length) + 1};
  endfunction

  task automatic answer_reads();
    if (request.ar_valid && answer.ar_ready)
      lines[request.ar_id].push_back(line_of(request.ar_addr, request.ar_len));
    if (request.ar_valid && !request.r_ready) fail("a read that may have to wait");
    if (answer.r_valid) begin
      beat = beat + 1;
      if (answer.r_last) begin
        void'(lines[id].pop_front());
        busy = 1'b0;
      end
    end
    if (!busy) begin
      id   = 1'($urandom_range(1));
      busy = lines[id].size() != 0;
      beat = 0;
    end
    answer.r_valid <= 1'b0;
    if (busy && $urandom_range(3) != 0) begin
      automatic int unsigned word = lines[id][0].first + beat;
      answer.r_valid <= 1'b1;
      answer.r_id    <= id;
      answer.r_data  <= 64'(8 * word);
      answer.r_resp  <= {missing(word), 1'b0};
      answer.r_last  <= beat + 1 == lines[id][0].beats;
    end
    answer.ar_ready <= $urandom_range(2) != 0;
  endtask

  task automatic answer_writes();
    automatic logic which = 1'($urandom_range(1));
    if (request.aw_valid && answer.aw_ready) begin
      filling.push_back(line_of(request.aw_addr, request.aw_len));
      filling_id.push_back(request.aw_id);
    end
    if (request.w_valid && answer.w_ready) begin
      automatic int unsigned word;
      if (filling.size() == 0) fail("a word of no line");
      word = filling[0].first + filled;
      for (int unsigned i = 0; i < 8; i++)
        if (request.w_strb[i] && !missing(word)) memory[word][8*i+:8] = request.w_data[8*i+:8];
      filled = filled + 1;
      if (request.w_last != (filled == filling[0].beats)) fail("the last word is not where the line ends");
      if (request.w_last) begin
        failing[filling_id.pop_front()].push_back(missing(filling[0].first));
        void'(filling.pop_front());
        filled = 0;
      end
    end
    if (request.aw_valid && !request.b_ready) fail("an answer of a write that may have to wait");
    answer.b_valid <= 1'b0;
    if (failing[which].size() != 0 && $urandom_range(3) == 0) begin
      answer.b_valid <= 1'b1;
      answer.b_id    <= which;
      answer.b_resp  <= {failing[which].pop_front(), 1'b0};
    end
    answer.aw_ready <= $urandom_range(2) != 0;
    answer.w_ready  <= $urandom_range(2) != 0;
  endtask

  always @(posedge clk) begin
    if (!rst_n) begin
      asked  <= '0;
      answer <= '0;
      busy = 1'b0;
    end else begin
      ask_to_read();
      ask_to_write();
      answer_reads();
      answer_writes();
      if (read_bursts >= Bursts && reads.size() == 0 && answered >= Bursts) begin
        for (int unsigned word = 0; word < Words; word++)
          if (memory[word] != expected[word]) fail("another word was written");
        $display("PASSED: %0d bursts each way", Bursts);
        $finish;
      end
    end
  end
  initial begin
    for (int unsigned word = 0; word < Words; word++) begin
      memory[word]   = '0;
      expected[word] = '0;
    end
    #100 rst_n = 1'b1;
    #200000000 fail("it hangs");
  end
endmodule
