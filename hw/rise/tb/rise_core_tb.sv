/// The testbench of a package of `rise_core`: applies every case of `vectors.svh`, compares every
/// word of the result and the cycles, prints PASS or FAIL. `WAVES` names a file of waves.
///
/// A case writes its constants and both bank groups through the ports, runs one instruction, and
/// reads the result. Inputs change on falling edges.
module rise_core_tb;
  import rise_pkg::*;
  `include "parameters.svh"
  `include "vectors.svh"

  localparam int unsigned LogNMax            = $clog2(4 * Bfus * BankWords);
  localparam int unsigned LogNWidth          = $clog2(LogNMax + 1);
  localparam int unsigned ConstantWidth      = WordBits + 2;
  localparam int unsigned ConstantWords      = 2 * LogNMax + 4;
  localparam int unsigned ConstantIndexWidth = $clog2(ConstantWords);
  localparam int unsigned Words              = 1 << LogNMax;
  // Far beyond the longest instruction.
  localparam int unsigned Limit              = 64 * Words * LogNMax;

  typedef logic [WordBits-1:0] word_t;
  typedef logic [LogNMax-1:0] address_t;

  logic clk = 1'b0, rst_n = 1'b0;
  always #1 clk = !clk;

  logic constant_valid = 1'b0;
  logic [ConstantIndexWidth-1:0] constant_index = '0;
  logic [PortWords-1:0][ConstantWidth-1:0] constant_data = '0;
  logic instruction_valid = 1'b0, instruction_ready, done;
  op_e instruction_op = OpForward;
  logic [LogNWidth-1:0] instruction_log_n = '0;
  logic [1:0] port_write = '0;
  logic [1:0][PortWords-1:0] port_request = '0;
  logic [1:0][PortWords-1:0][LogNMax-1:0] port_address = '0;
  logic [1:0][PortWords-1:0][WordBits-1:0] port_write_data = '0;
  logic [1:0][PortWords-1:0][WordBits-1:0] port_read_data;
  logic [QueuedCalls-1:0][WordBits-1:0] modulus;

  rise_core #(
      .Bfus(Bfus),
      .WordBits(WordBits),
      .BankWords(BankWords),
      .BfuLatency(BfuLatency),
      .TwiddleBatches(TwiddleBatches),
      .WriteBuffer(WriteBuffer),
      .ReorderLatency(ReorderLatency),
      .QueuedCalls(QueuedCalls),
      .PortWords(PortWords)
  ) i_core (
      .clk_i(clk),
      .rst_ni(rst_n),
      .constant_valid_i(constant_valid),
      .constant_set_i(1'b0),
      .constant_index_i(constant_index),
      .constant_data_i(constant_data),
      .instruction_valid_i(instruction_valid),
      .instruction_ready_o(instruction_ready),
      .instruction_op_i(instruction_op),
      .instruction_group_i(1'b0),
      .instruction_set_i(1'b0),
      .instruction_log_n_i(instruction_log_n),
      .done_o(done),
      .port_write_i(port_write),
      .port_request_i(port_request),
      .port_address_i(port_address),
      .port_write_data_i(port_write_data),
      .port_read_data_o(port_read_data),
      .modulus_o(modulus)
  );

  logic [ConstantWidth-1:0] constants[ConstantWords];
  word_t operand0[Words], operand1[Words], result[Words];
  int unsigned n, cycles, wrong;
  int failed = 0;

  task automatic read_files(input int c);
    n = 1 << CaseLogN[c];
    $readmemh({"vectors/", CaseName[c], ".constants.hex"}, constants, 0, CaseConstants[c] - 1);
    $readmemh({"vectors/", CaseName[c], ".bg0.hex"}, operand0, 0, n - 1);
    $readmemh({"vectors/", CaseName[c], ".bg1.hex"}, operand1, 0, n - 1);
    $readmemh({"vectors/", CaseName[c], ".result.hex"}, result, 0, n - 1);
  endtask

  task automatic write_constants(input int c);
    for (int i = 0; i < CaseConstants[c]; i += PortWords) begin
      constant_valid = 1'b1;
      constant_index = ConstantIndexWidth'(i);
      for (int y = 0; y < PortWords; y++) begin
        if (i + y < CaseConstants[c]) constant_data[y] = constants[i+y];
      end
      @(negedge clk);
    end
    constant_valid = 1'b0;
  endtask

  task automatic write_groups();
    for (int unsigned first = 0; first < n; first += PortWords) begin
      port_write   = '1;
      port_request = '1;
      for (int unsigned y = 0; y < PortWords; y++) begin
        port_address[0][y]    = address_t'(first + y);
        port_address[1][y]    = address_t'(first + y);
        port_write_data[0][y] = operand0[first+y];
        port_write_data[1][y] = operand1[first+y];
      end
      @(negedge clk);
    end
    port_write   = '0;
    port_request = '0;
  endtask

  // From the cycle in which it is accepted to the one in which it is done, both counted.
  task automatic run_instruction(input int c);
    instruction_op    = op_e'(CaseOp[c]);
    instruction_log_n = LogNWidth'(CaseLogN[c]);
    instruction_valid = 1'b1;
    while (!instruction_ready) @(negedge clk);
    cycles = 1;
    while (!done && cycles < Limit) begin
      @(negedge clk);
      instruction_valid = 1'b0;
      cycles++;
    end
    @(negedge clk);
    instruction_valid = 1'b0;
  endtask

  task automatic compare(input int c);
    wrong = 0;
    for (int unsigned first = 0; first < n; first += PortWords) begin
      port_request[CaseResultGroup[c]] = '1;
      for (int unsigned y = 0; y < PortWords; y++) begin
        port_address[CaseResultGroup[c]][y] = address_t'(first + y);
      end
      @(negedge clk);
      for (int unsigned y = 0; y < PortWords; y++) begin
        if (port_read_data[CaseResultGroup[c]][y] !== result[first+y]) wrong++;
      end
    end
    port_request = '0;
  endtask

  initial begin
`ifdef WAVES
    $dumpfile(`WAVES);
    $dumpvars(0, rise_core_tb);
`endif
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    for (int c = 0; c < Cases; c++) begin
      read_files(c);
      write_constants(c);
      write_groups();
      run_instruction(c);
      compare(c);
      if (wrong == 0 && cycles == CaseCycles[c]) begin
        $display("%s: %0d words, %0d cycles, as the simulator says", CaseName[c], n, cycles);
      end else begin
        failed++;
        $display("%s: %0d of %0d words WRONG, %0d cycles, expected %0d", CaseName[c], wrong, n,
                 cycles, CaseCycles[c]);
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

  // Without waves or a second set of constants some of it is not looked at.
  logic unused;
  assign unused = &modulus;
endmodule
