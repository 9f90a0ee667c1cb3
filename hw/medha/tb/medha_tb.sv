/// The testbench of a package of `medha`: a host at its registers, a memory behind its ports. Applies every
/// case of `vectors.svh`, compares every word of every result, prints PASS or FAIL. `WAVES` names a file of
/// waves.
///
/// A case fills memory, writes where the list lies and rings, waits for the interrupt, and reads what went
/// wrong and how many cycles kernels ran. The memory answers at once. What the host does changes on falling edges.
module medha_tb;
  import medha_machine_pkg::Machine;
  import medha_config_pkg::*;
  `include "vectors.svh"

  localparam int unsigned Lanes     = Machine.dma_lanes;
  localparam int unsigned PortBytes = port_bytes(Machine);
  localparam int unsigned Ports     = 1 + Lanes;
  // Registers of spec/medha/regs.toml.
  localparam logic [4:0] List = 5'h00, Doorbell = 5'h04, Status = 5'h08, Error = 5'h0c, Cycles = 5'h10;
  // Beyond what a list of that many beats takes.
  localparam int unsigned Patience = 1000;

  function automatic int unsigned largest(int unsigned values[Cases]);
    largest = 1;
    foreach (values[c]) if (values[c] > largest) largest = values[c];
  endfunction
  localparam int unsigned Words = largest(CaseWords);

  logic clk = 1'b0, rst_n = 1'b0;
  always #1 clk = !clk;

  logic select = 1'b0, enable = 1'b0, write = 1'b0, ready, error, interrupt;
  logic [4:0] address = '0;
  logic [31:0] write_data = '0, read_data;
  logic [Ports-1:0] ar_valid, ar_ready, r_valid, r_ready, aw_valid, aw_ready, w_valid, w_ready;
  logic [Ports-1:0] w_last, b_valid, b_ready;
  logic [Ports-1:0][39:0] ar_addr, aw_addr;
  logic [Ports-1:0][7:0] ar_len, aw_len;
  logic [127:0] list_data;
  logic [Lanes-1:0][8*PortBytes-1:0] r_data, w_data;

  medha #(
      .Config(Machine)
  ) i_medha (
      .clk_i(clk),
      .rst_ni(rst_n),
      .irq_o(interrupt),
      .apb_psel_i(select),
      .apb_penable_i(enable),
      .apb_pwrite_i(write),
      .apb_paddr_i(address),
      .apb_pwdata_i(write_data),
      .apb_pready_o(ready),
      .apb_prdata_o(read_data),
      .apb_pslverr_o(error),
      .list_ar_valid_o(ar_valid[0]),
      .list_ar_ready_i(ar_ready[0]),
      .list_ar_addr_o(ar_addr[0]),
      .list_ar_len_o(ar_len[0]),
      .list_ar_size_o(),
      .list_ar_burst_o(),
      .list_r_valid_i(r_valid[0]),
      .list_r_ready_o(r_ready[0]),
      .list_r_data_i(list_data),
      .list_r_resp_i('0),
      .lane_ar_valid_o(ar_valid[Ports-1:1]),
      .lane_ar_ready_i(ar_ready[Ports-1:1]),
      .lane_ar_addr_o(ar_addr[Ports-1:1]),
      .lane_ar_len_o(ar_len[Ports-1:1]),
      .lane_ar_size_o(),
      .lane_ar_burst_o(),
      .lane_r_valid_i(r_valid[Ports-1:1]),
      .lane_r_ready_o(r_ready[Ports-1:1]),
      .lane_r_data_i(r_data),
      .lane_r_resp_i('0),
      .lane_aw_valid_o(aw_valid[Ports-1:1]),
      .lane_aw_ready_i(aw_ready[Ports-1:1]),
      .lane_aw_addr_o(aw_addr[Ports-1:1]),
      .lane_aw_len_o(aw_len[Ports-1:1]),
      .lane_aw_size_o(),
      .lane_aw_burst_o(),
      .lane_w_valid_o(w_valid[Ports-1:1]),
      .lane_w_ready_i(w_ready[Ports-1:1]),
      .lane_w_data_o(w_data),
      .lane_w_strb_o(),
      .lane_w_last_o(w_last[Ports-1:1]),
      .lane_b_valid_i(b_valid[Ports-1:1]),
      .lane_b_ready_o(b_ready[Ports-1:1]),
      .lane_b_resp_i('0)
  );
  assign aw_valid[0] = 1'b0;
  assign aw_addr[0]  = '0;
  assign aw_len[0]   = '0;
  assign w_valid[0]  = 1'b0;
  assign w_last[0]   = 1'b0;
  assign b_ready[0]  = 1'b0;

  // ---- Memory: at each port one burst that is read and one that is written.
  logic [63:0] words[Words];
  int unsigned read_at[Ports], read_left[Ports], write_at[Ports];
  logic writes[Ports];
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    localparam int unsigned BeatWords = (p == 0) ? 2 : PortBytes / 8;
    initial begin
      read_left[p] = 0;
      writes[p]    = 1'b0;
      b_valid[p]   = 1'b0;
    end
    assign ar_ready[p] = read_left[p] == 0;
    assign r_valid[p]  = read_left[p] != 0;
    assign aw_ready[p] = !writes[p] && !b_valid[p];
    assign w_ready[p]  = writes[p];
    for (genvar w = 0; w < BeatWords; w++) begin : gen_word
      if (p == 0) begin : gen_list
        assign list_data[64*w+:64] = words[(read_at[p]+w)%Words];
      end else begin : gen_lane
        assign r_data[p-1][64*w+:64] = words[(read_at[p]+w)%Words];
      end
    end
    always @(posedge clk) begin
      if (ar_valid[p] && ar_ready[p]) begin
        read_at[p]   <= 32'(ar_addr[p] >> 3);
        read_left[p] <= 32'(ar_len[p]) + 1;
      end else if (r_valid[p] && r_ready[p]) begin
        read_at[p]   <= read_at[p] + BeatWords;
        read_left[p] <= read_left[p] - 1;
      end
      if (aw_valid[p] && aw_ready[p]) begin
        write_at[p] <= 32'(aw_addr[p] >> 3);
        writes[p]   <= 1'b1;
      end
      if (w_valid[p] && w_ready[p]) begin
        for (int unsigned w = 0; w < BeatWords; w++) begin
          if (p > 0) words[write_at[p]+w] <= w_data[(p > 0) ? p - 1 : 0][64*w+:64];
        end
        write_at[p] <= write_at[p] + BeatWords;
        writes[p]   <= !w_last[p];
        b_valid[p]  <= w_last[p];
      end
      if (b_valid[p] && b_ready[p]) b_valid[p] <= 1'b0;
    end
  end

  logic [63:0] result[Words];
  logic compared[Words];
  int unsigned wrong, ran, came;
  int failed = 0;

  task automatic access(input logic writing, input logic [4:0] offset, input logic [31:0] data);
    select     = 1'b1;
    write      = writing;
    address    = offset;
    write_data = data;
    @(negedge clk);
    enable = 1'b1;
    @(negedge clk);
    came   = read_data;
    select = 1'b0;
    enable = 1'b0;
  endtask

  task automatic run_list(input int c);
    int unsigned waited;
    access(1'b1, List, 0);
    access(1'b1, Doorbell, CaseBeats[c]);
    waited = 0;
    while (!interrupt && waited < CaseBeats[c] * Patience) begin
      @(negedge clk);
      waited++;
    end
    access(1'b0, Status, 0);
    // Busy, or failed.
    wrong = (came & 32'b1001) != 0 || waited == CaseBeats[c] * Patience ? 1 : 0;
    access(1'b0, Cycles, 0);
    ran = came;
    access(1'b0, Error, 0);
  endtask

  initial begin
`ifdef WAVES
    $dumpfile(`WAVES);
    $dumpvars(0, medha_tb);
`endif
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    for (int c = 0; c < Cases; c++) begin
      $readmemh({"vectors/", CaseName[c], ".memory.hex"}, words, 0, CaseWords[c] - 1);
      $readmemh({"vectors/", CaseName[c], ".result.hex"}, result, 0, CaseWords[c] - 1);
      $readmemh({"vectors/", CaseName[c], ".compared.hex"}, compared, 0, CaseWords[c] - 1);
      run_list(c);
      for (int unsigned i = 0; i < CaseWords[c]; i++) begin
        if (compared[i] && words[i] !== result[i]) wrong++;
      end
      if (wrong == 0) begin
        $display("%s: %0d beats, kernels ran for %0d cycles, the results are right", CaseName[c],
                 CaseBeats[c], ran);
      end else begin
        failed++;
        $display("%s: %0d WRONG, error %h", CaseName[c], wrong, came);
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
