/// Accelerator and modem read at random through `soc_coherent_mux` while the port stalls at random: each
/// gets what it asked for, in order. A word is its address, and nobody asks where the other one does.
module soc_coherent_mux_tb
  import soc_pkg::*;
;
  localparam int unsigned Requests    = 2000;
  localparam int unsigned Outstanding = 4;
  logic clk = 1'b0, rst_n = 1'b0;
  always #5 clk = ~clk;

  narrow_request_t [1:0] asked;
  narrow_answer_t [1:0] got;
  narrow_request_t request;
  narrow_answer_t answer;
  soc_coherent_mux #(
      .Outstanding(Outstanding)
  ) i_mux (
      .clk_i(clk),
      .rst_ni(rst_n),
      .accelerator_i(asked[0]),
      .accelerator_o(got[0]),
      .modem_i(asked[1]),
      .modem_o(got[1]),
      .port_o(request),
      .port_i(answer)
  );

  // ---- Who asks: bursts of one to eight words, at even addresses of 64 bytes or odd ones.
  int unsigned sent[2], received[2];
  logic [63:0] due[2][$];
  // ---- Who answers.
  typedef struct {
    logic [63:0] address;
    int unsigned left;
  } burst_t;
  burst_t bursts[$];
  logic [63:0] held_address;
  logic held;

  function automatic void fail(string what);
    $display("FAILED: %s", what);
    $fatal(1);
  endfunction

  always @(posedge clk) begin
    if (!rst_n) begin
      asked  <= '0;
      answer <= '0;
      held   <= 1'b0;
    end else begin
      // What was offered and not taken is offered again.
      if (held && (!request.ar_valid || request.ar_addr != held_address)) fail("a request changed");
      held         <= request.ar_valid && !answer.ar_ready;
      held_address <= request.ar_addr;
      if (request.ar_valid && answer.ar_ready)
        bursts.push_back('{request.ar_addr, 32'(request.ar_len) + 1});
      for (int unsigned who = 0; who < 2; who++) begin
        if (asked[who].ar_valid && got[who].ar_ready) begin
          for (int unsigned i = 0; i <= 32'(asked[who].ar_len); i++)
            due[who].push_back(asked[who].ar_addr + 64'(8 * i));
          asked[who].ar_valid <= 1'b0;
          sent[who] = sent[who] + 1;
        end
        if ((!asked[who].ar_valid || got[who].ar_ready) && sent[who] < Requests && $urandom_range(3) == 0)
        begin
          asked[who].ar_valid <= 1'b1;
          asked[who].ar_addr  <= 64'(128 * $urandom_range(1000) + 64 * who);
          asked[who].ar_len   <= narrow_length_t'($urandom_range(7));
          asked[who].ar_size  <= 3'd3;
        end
        if (got[who].r_valid && asked[who].r_ready) begin
          if (due[who].size() == 0) fail("an answer that nobody asked for");
          else if (due[who].pop_front() != got[who].r_data) fail("another's answer");
          received[who] = received[who] + 1;
        end
        asked[who].r_ready <= $urandom_range(3) != 0;
      end
      if (answer.r_valid && request.r_ready) begin
        bursts[0].address = bursts[0].address + 8;
        bursts[0].left    = bursts[0].left - 1;
        if (bursts[0].left == 0) void'(bursts.pop_front());
        answer.r_valid <= 1'b0;
      end
      if ((!answer.r_valid || request.r_ready) && bursts.size() != 0 && $urandom_range(3) != 0) begin
        answer.r_valid <= 1'b1;
        answer.r_data  <= bursts[0].address;
        answer.r_last  <= bursts[0].left == 1;
      end
      answer.ar_ready <= $urandom_range(2) != 0;
      if (sent[0] >= Requests && sent[1] >= Requests && due[0].size() == 0 && due[1].size() == 0) begin
        $display("PASSED: %0d and %0d words", received[0], received[1]);
        $finish;
      end
    end
  end
  initial begin
    #100 rst_n = 1'b1;
    #2000000 fail("it hangs");
  end
endmodule
