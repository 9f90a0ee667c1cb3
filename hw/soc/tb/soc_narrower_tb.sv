/// Bursts of 64 bytes a beat are written at random through `soc_narrower`, with random strobes, and read back, while
/// the port stalls at random. Some words are `missing`: they fail when read, and their beats with them.
module soc_narrower_tb
  import soc_pkg::*;
;
  localparam int unsigned Rounds    = 500;
  localparam int unsigned WideBytes = 64;
  localparam int unsigned Parts     = WideBytes / 8;
  localparam int unsigned Words     = 4096;
  // Of a burst that is longer than AXI4 has any, behind the narrower.
  localparam int unsigned MostBeats = 64;
  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;

  logic ar_valid, ar_ready, r_valid, r_ready, r_last, aw_valid, aw_ready, w_valid, w_ready, w_last;
  logic b_valid, b_ready;
  logic [63:0] address;
  logic [7:0] length;
  logic [8*WideBytes-1:0] r_data, w_data;
  logic [WideBytes-1:0] w_strb;
  logic [1:0] r_resp, b_resp;
  narrow_request_t request;
  narrow_answer_t answer;
  soc_narrower #(
      .WideBytes(WideBytes)
  ) i_narrower (
      .clk_i(clk),
      .rst_ni(rst_n),
      .ar_valid_i(ar_valid),
      .ar_ready_o(ar_ready),
      .ar_addr_i(address),
      .ar_len_i(length),
      .ar_size_i(3'($clog2(WideBytes))),
      .r_valid_o(r_valid),
      .r_ready_i(r_ready),
      .r_data_o(r_data),
      .r_resp_o(r_resp),
      .r_last_o(r_last),
      .aw_valid_i(aw_valid),
      .aw_ready_o(aw_ready),
      .aw_addr_i(address),
      .aw_len_i(length),
      .aw_size_i(3'($clog2(WideBytes))),
      .w_valid_i(w_valid),
      .w_ready_o(w_ready),
      .w_data_i(w_data),
      .w_strb_i(w_strb),
      .w_last_i(w_last),
      .b_valid_o(b_valid),
      .b_ready_i(b_ready),
      .b_resp_o(b_resp),
      .port_o(request),
      .port_i(answer)
  );

  function automatic void fail(string what);
    $display("FAILED: %s", what);
    $fatal(1);
  endfunction

  function automatic logic missing(int unsigned word);
    return word % 61 == 0;
  endfunction

  // ---- The port: one burst at a time, each word after a while.
  logic [63:0] memory[Words], expected[Words];
  int unsigned reading, reads_left, writing, writes_left;
  logic writes;
  always @(posedge clk) begin
    if (!rst_n) begin
      answer      <= '0;
      reads_left  = 0;
      writes_left = 0;
      writes      = 1'b0;
    end else begin
      if (request.ar_valid && answer.ar_ready) begin
        reading    = 32'(request.ar_addr / 8);
        reads_left = 32'(request.ar_len) + 1;
      end
      if (request.aw_valid && answer.aw_ready) begin
        writing     = 32'(request.aw_addr / 8);
        writes_left = 32'(request.aw_len) + 1;
        writes      = 1'b1;
      end
      if (request.w_valid && answer.w_ready) begin
        for (int unsigned i = 0; i < 8; i++)
          if (request.w_strb[i]) memory[writing][8*i+:8] = request.w_data[8*i+:8];
        writing     = writing + 1;
        writes_left = writes_left - 1;
        if (request.w_last != (writes_left == 0)) fail("the last word is not where the burst ends");
      end
      if (answer.b_valid && request.b_ready) begin
        answer.b_valid <= 1'b0;
        writes = 1'b0;
      end else if (writes && writes_left == 0) answer.b_valid <= 1'b1;
      if (answer.r_valid && request.r_ready) begin
        reading    = reading + 1;
        reads_left = reads_left - 1;
        answer.r_valid <= 1'b0;
      end
      if ((!answer.r_valid || request.r_ready) && reads_left != 0 && $urandom_range(2) != 0) begin
        answer.r_valid <= 1'b1;
        answer.r_data  <= memory[reading];
        answer.r_resp  <= missing(reading) ? 2'b10 : 2'b00;
        answer.r_last  <= reads_left == 1;
      end
      answer.ar_ready <= $urandom_range(1) != 0;
      answer.aw_ready <= $urandom_range(1) != 0;
      answer.w_ready  <= writes_left > 1 && $urandom_range(1) != 0;
      if (writes_left == 1) answer.w_ready <= !answer.w_ready;
    end
  end

  // ---- Who asks, between two edges: what is there then is taken at the next one.
  task automatic write_burst(int unsigned first, int unsigned beats);
    aw_valid = 1'b1;
    #1 while (!aw_ready) @(negedge clk) #1;
    @(negedge clk) aw_valid = 1'b0;
    for (int unsigned beat = 0; beat < beats; beat++) begin
      for (int unsigned i = 0; i < WideBytes; i++) begin
        w_data[8*i+:8] = 8'($urandom());
        w_strb[i]      = $urandom_range(7) != 0;
        if (w_strb[i]) expected[first+beat*Parts+i/8][8*(i%8)+:8] = w_data[8*i+:8];
      end
      w_last  = beat == beats - 1;
      w_valid = 1'b1;
      #1 while (!w_ready) @(negedge clk) #1;
      @(negedge clk) w_valid = 1'b0;
      if ($urandom_range(1) != 0) @(negedge clk);
    end
    b_ready = 1'b1;
    #1 while (!b_valid) @(negedge clk) #1;
    @(negedge clk) b_ready = 1'b0;
  endtask

  task automatic read_burst(int unsigned first, int unsigned beats);
    logic fails;
    ar_valid = 1'b1;
    #1 while (!ar_ready) @(negedge clk) #1;
    @(negedge clk) ar_valid = 1'b0;
    for (int unsigned beat = 0; beat < beats; beat++) begin
      r_ready = $urandom_range(1) != 0;
      #1 while (!(r_valid && r_ready)) @(negedge clk) begin
        r_ready = $urandom_range(1) != 0;
        #1;
      end
      fails = 1'b0;
      for (int unsigned i = 0; i < Parts; i++) begin
        if (r_data[64*i+:64] != expected[first+beat*Parts+i]) fail("another word");
        fails |= missing(first + beat * Parts + i);
      end
      if (r_last != (beat == beats - 1)) fail("the last beat is not where the burst ends");
      if (r_resp[1] != fails) fail("an error is lost, or made");
      @(negedge clk) r_ready = 1'b0;
    end
  endtask

  initial begin
    {ar_valid, r_ready, aw_valid, w_valid, w_last, b_ready} = '0;
    for (int unsigned i = 0; i < Words; i++) begin
      memory[i]   = '0;
      expected[i] = '0;
    end
    #100 rst_n = 1'b1;
    @(negedge clk);
    for (int unsigned round = 0; round < Rounds; round++) begin
      automatic int unsigned beats = $urandom_range(MostBeats, 1);
      automatic int unsigned first = Parts * $urandom_range(Words / Parts - beats);
      address = 64'(8 * first);
      length  = 8'(beats - 1);
      write_burst(first, beats);
      read_burst(first, beats);
    end
    $display("PASSED: %0d bursts", Rounds);
    $finish;
  end
  initial begin
    #20000000 fail("it hangs");
  end
endmodule
