/// The testbench of a package of `rise`: a host at its registers, a memory at its bus. Applies every
/// case of `vectors.svh`, compares every word of memory and the cycle of every interrupt, prints PASS
/// or FAIL. `WAVES` names a file of waves.
///
/// A case fills memory and does what `<case>.host.hex` says, one access to a register a line, its
/// offset in bits 41..32. Where bit 42 is 0 it writes bits 31..0. Where it is 1 it waits for the
/// interrupt line and reads `status`; bits 31..0 are the cycle in which it sees the line, counted
/// from the case's first access. The memory never stalls. Inputs change on falling edges.
module rise_tb;
  `include "parameters.svh"
  `include "vectors.svh"

  localparam int unsigned BusBits   = (WordBits <= 30) ? 32 : 64;
  localparam int unsigned BeatBytes = PortWords * BusBits / 8;
  // Beyond the expected cycle of an interrupt: it does not come.
  localparam int unsigned Patience = 10_000;
  // Fields of the register `status`.
  localparam logic [31:0] Finished = 32'h0000_0030;
  localparam logic [31:0] Errors   = 32'h0000_0300;

  typedef logic [BusBits-1:0] word_t;
  typedef struct packed {
    logic        awaits;
    logic [9:0]  offset;
    logic [31:0] value;
  } access_t;

  function automatic int unsigned largest(int unsigned values[Cases]);
    largest = 1;
    foreach (values[c]) if (values[c] > largest) largest = values[c];
  endfunction
  localparam int unsigned Words    = largest(CaseWords);
  localparam int unsigned Accesses = largest(CaseAccesses);

  logic clk = 1'b0, rst_n = 1'b0;
  always #1 clk = !clk;

  logic select = 1'b0, enable = 1'b0, write = 1'b0, ready, error, interrupt;
  logic [9:0] address = '0;
  logic [31:0] write_data = '0, read_data;
  logic [63:0] base = '0;
  int unsigned latency = 1;
  logic ar_valid, ar_ready, r_valid, r_ready, aw_valid, aw_ready, w_valid, w_ready, w_last;
  logic b_valid, b_ready;
  logic [63:0] ar_addr, aw_addr;
  logic [7:0] ar_len, aw_len;
  logic [2:0] ar_size, aw_size;
  logic [1:0] ar_burst, aw_burst, r_resp, b_resp;
  logic [8*BeatBytes-1:0] r_data, w_data;
  logic [BeatBytes-1:0] w_strb;

  rise #(
      .Bfus(Bfus),
      .WordBits(WordBits),
      .BankWords(BankWords),
      .BfuLatency(BfuLatency),
      .TwiddleBatches(TwiddleBatches),
      .WriteBuffer(WriteBuffer),
      .ReorderLatency(ReorderLatency),
      .Samplers(Samplers != 0),
      .RoundsPerCycle(RoundsPerCycle),
      .PortWords(PortWords),
      .DmaBurstBytes(DmaBurstBytes),
      .StartCycles(StartCycles),
      .InterruptCycles(InterruptCycles),
      .QueuedCalls(QueuedCalls),
      .TransformsOnly(TransformsOnly != 0)
  ) i_rise (
      .clk_i(clk),
      .rst_ni(rst_n),
      .apb_psel_i(select),
      .apb_penable_i(enable),
      .apb_pwrite_i(write),
      .apb_paddr_i(address),
      .apb_pwdata_i(write_data),
      .apb_pready_o(ready),
      .apb_prdata_o(read_data),
      .apb_pslverr_o(error),
      .interrupt_o(interrupt),
      .ar_valid_o(ar_valid),
      .ar_ready_i(ar_ready),
      .ar_addr_o(ar_addr),
      .ar_len_o(ar_len),
      .ar_size_o(ar_size),
      .ar_burst_o(ar_burst),
      .r_valid_i(r_valid),
      .r_ready_o(r_ready),
      .r_data_i(r_data),
      .r_resp_i(r_resp),
      .aw_valid_o(aw_valid),
      .aw_ready_i(aw_ready),
      .aw_addr_o(aw_addr),
      .aw_len_o(aw_len),
      .aw_size_o(aw_size),
      .aw_burst_o(aw_burst),
      .w_valid_o(w_valid),
      .w_ready_i(w_ready),
      .w_data_o(w_data),
      .w_strb_o(w_strb),
      .w_last_o(w_last),
      .b_valid_i(b_valid),
      .b_ready_o(b_ready),
      .b_resp_i(b_resp)
  );

  axi_memory #(
      .WordBits(BusBits),
      .BeatWords(PortWords),
      .Words(Words)
  ) i_memory (
      .clk_i(clk),
      .rst_ni(rst_n),
      .base_i(base),
      .latency_i(latency),
      .ar_valid_i(ar_valid),
      .ar_ready_o(ar_ready),
      .ar_addr_i(ar_addr),
      .ar_len_i(ar_len),
      .ar_size_i(ar_size),
      .ar_burst_i(ar_burst),
      .r_valid_o(r_valid),
      .r_ready_i(r_ready),
      .r_data_o(r_data),
      .r_resp_o(r_resp),
      .aw_valid_i(aw_valid),
      .aw_ready_o(aw_ready),
      .aw_addr_i(aw_addr),
      .aw_len_i(aw_len),
      .aw_size_i(aw_size),
      .aw_burst_i(aw_burst),
      .w_valid_i(w_valid),
      .w_ready_o(w_ready),
      .w_data_i(w_data),
      .w_strb_i(w_strb),
      .w_last_i(w_last),
      .b_valid_o(b_valid),
      .b_ready_i(b_ready),
      .b_resp_o(b_resp)
  );

  access_t accesses[Accesses];
  word_t result[Words];
  int unsigned cycle, calls, wrong, late;
  int failed = 0;

  task automatic next_cycle();
    @(negedge clk);
    cycle++;
  endtask

  task automatic read_files(input int c);
    $readmemh({"vectors/", CaseName[c], ".host.hex"}, accesses, 0, CaseAccesses[c] - 1);
    $readmemh({"vectors/", CaseName[c], ".memory.hex"}, i_memory.words, 0, CaseWords[c] - 1);
    $readmemh({"vectors/", CaseName[c], ".result.hex"}, result, 0, CaseWords[c] - 1);
    base    = 64'(CaseBase[c]);
    latency = CaseMemoryLatency[c];
  endtask

  // Two cycles; the word read is what the second one shows.
  task automatic access(input logic writes, input logic [9:0] offset, input logic [31:0] value,
                        output logic [31:0] found);
    select     = 1'b1;
    write      = writes;
    address    = offset;
    write_data = value;
    next_cycle();
    enable = 1'b1;
    @(posedge clk);
    found = read_data;
    if (!ready || error) begin
      $display("  access to register %h: ready %b, error %b", offset, ready, error);
      late++;
    end
    next_cycle();
    select = 1'b0;
    enable = 1'b0;
  endtask

  // Sees the line, then takes one interrupt by reading `status`.
  task automatic take_interrupt(input logic [9:0] offset, input int unsigned expected);
    logic [31:0] status;
    while (!interrupt && cycle < expected + Patience) next_cycle();
    if (cycle != expected) begin
      $display("  call %0d: interrupt in cycle %0d, expected %0d", calls, cycle, expected);
      late++;
    end
    calls++;
    next_cycle();
    access(1'b0, offset, '0, status);
    if ((status & Finished) == '0 || (status & Errors) != '0) begin
      $display("  status %h", status);
      late++;
    end
  endtask

  task automatic run_host(input int c);
    logic [31:0] unused_word;
    cycle = 0;
    calls = 0;
    late  = 0;
    for (int unsigned i = 0; i < CaseAccesses[c]; i++) begin
      if (accesses[i].awaits) take_interrupt(accesses[i].offset, accesses[i].value);
      else access(1'b1, accesses[i].offset, accesses[i].value, unused_word);
    end
  endtask

  task automatic compare(input int c);
    wrong = 0;
    for (int unsigned i = 0; i < CaseWords[c]; i++) begin
      if (i_memory.words[i] !== result[i]) wrong++;
    end
  endtask

  initial begin
`ifdef WAVES
    $dumpfile(`WAVES);
    $dumpvars(0, rise_tb);
`endif
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    for (int c = 0; c < Cases; c++) begin
      read_files(c);
      run_host(c);
      compare(c);
      if (wrong == 0 && late == 0) begin
        $display("%s: %0d calls, %0d words, %0d cycles, as the simulator says", CaseName[c], calls,
                 CaseWords[c], cycle);
      end else begin
        failed++;
        $display("%s: %0d of %0d words WRONG, %0d times something else", CaseName[c], wrong,
                 CaseWords[c], late);
      end
    end
    if (failed == 0) begin
      $display("PASS: %0d cases", Cases);
      $finish;
    end else begin
      $display("FAIL: %0d of %0d cases", failed, Cases);
      $fatal(1);
    end
  end
endmodule
