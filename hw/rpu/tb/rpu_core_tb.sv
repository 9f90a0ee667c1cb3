/// The testbench of a package of `rpu_core`: applies every case of `vectors.svh`, compares every
/// word of the vector data memory and the cycles, prints PASS or FAIL. `WAVES` names a file of waves.
///
/// A case writes program and both data memories through the host port, starts the program, and reads
/// the vector data memory back as far as it was written. Inputs change on falling edges.
module rpu_core_tb;
  import rpu_machine_pkg::Machine;
  `include "vectors.svh"

  localparam int unsigned WordBits       = Machine.word_bits;
  localparam int unsigned ImAddressWidth = $clog2(Machine.im_words);
  localparam int unsigned CountWidth     = $clog2(Machine.im_words + 1);
  // Above what any instruction takes: each of its words alone, behind all that is in flight.
  localparam int unsigned LongestInstruction =
      8 * (Machine.vector_length + Machine.compute_latency + Machine.load_store_latency +
           Machine.shuffle_latency + Machine.gap);

  typedef logic [WordBits-1:0] word_t;

  logic clk = 1'b0, rst_n = 1'b0;
  always #1 clk = !clk;

  logic start = 1'b0, busy, done, illegal;
  logic [CountWidth-1:0] count = '0;
  logic [31:0] cycles;
  logic host_request = 1'b0, host_write = 1'b0;
  rpu_pkg::memory_e host_memory = rpu_pkg::MemoryInstruction;
  logic [31:0] host_address = '0;
  logic [127:0] host_write_data = '0, host_read_data;

  rpu_core #(
      .Config(Machine)
  ) i_core (
      .clk_i(clk),
      .rst_ni(rst_n),
      .start_i(start),
      .start_address_i(ImAddressWidth'(0)),
      .count_i(count),
      .busy_o(busy),
      .done_o(done),
      .cycles_o(cycles),
      .illegal_o(illegal),
      .host_request_i(host_request),
      .host_write_i(host_write),
      .host_memory_i(host_memory),
      .host_address_i(host_address),
      .host_data_i(host_write_data),
      .host_data_o(host_read_data),
      .move_request_i(1'b0),
      .move_write_i(1'b0),
      .move_memory_i(rpu_pkg::MemoryVector),
      .move_address_i('0),
      .move_enable_i('0),
      .move_data_i('0),
      .move_data_o(),
      .holds_i('0),
      .violation_o()
  );

  logic [63:0] instructions[Machine.im_words];
  word_t scalars[Machine.sdm_words], operands[Machine.vdm_words], result[Machine.vdm_words];
  int unsigned counted, wrong;
  int failed = 0;

  task automatic read_files(input int c);
    $readmemh({"vectors/", CaseName[c], ".instructions.hex"}, instructions, 0,
              CaseInstructions[c] - 1);
    $readmemh({"vectors/", CaseName[c], ".sdm.hex"}, scalars, 0, CaseSdmWords[c] - 1);
    $readmemh({"vectors/", CaseName[c], ".vdm.hex"}, operands, 0, CaseVdmWords[c] - 1);
    $readmemh({"vectors/", CaseName[c], ".result.hex"}, result, 0, CaseVdmWords[c] - 1);
  endtask

  task automatic write(input rpu_pkg::memory_e memory, input int unsigned address,
                       input logic [127:0] data);
    host_request    = 1'b1;
    host_write      = 1'b1;
    host_memory     = memory;
    host_address    = address;
    host_write_data = data;
    @(negedge clk);
    host_request = 1'b0;
    host_write   = 1'b0;
  endtask

  task automatic write_memories(input int c);
    for (int unsigned i = 0; i < CaseInstructions[c]; i++) begin
      write(rpu_pkg::MemoryInstruction, i, 128'(instructions[i]));
    end
    for (int unsigned i = 0; i < CaseSdmWords[c]; i++) begin
      write(rpu_pkg::MemoryScalar, i, 128'(scalars[i]));
    end
    for (int unsigned i = 0; i < CaseVdmWords[c]; i++) begin
      write(rpu_pkg::MemoryVector, i, 128'(operands[i]));
    end
  endtask

  // The core counts from the first instruction in decode to the end of all.
  task automatic run_program(input int c);
    int unsigned waited;
    start  = 1'b1;
    count  = CountWidth'(CaseInstructions[c]);
    waited = 0;
    @(negedge clk);
    start = 1'b0;
    while (!done && waited < CaseInstructions[c] * LongestInstruction) begin
      @(negedge clk);
      waited++;
    end
    counted = done ? cycles : 0;
    @(negedge clk);
    if (busy || illegal) counted = 0;
  endtask

  task automatic compare(input int c);
    wrong       = 0;
    host_memory = rpu_pkg::MemoryVector;
    for (int unsigned i = 0; i < CaseVdmWords[c]; i++) begin
      host_request = 1'b1;
      host_address = i;
      @(negedge clk);
      if (host_read_data !== 128'(result[i])) wrong++;
    end
    host_request = 1'b0;
  endtask

  initial begin
`ifdef WAVES
    $dumpfile(`WAVES);
    $dumpvars(0, rpu_core_tb);
`endif
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    for (int c = 0; c < Cases; c++) begin
      read_files(c);
      write_memories(c);
      run_program(c);
      compare(c);
      if (wrong == 0 && counted == CaseCycles[c]) begin
        $display("%s: %0d instructions, %0d words, %0d cycles, as the simulator says",
                 CaseName[c], CaseInstructions[c], CaseVdmWords[c], counted);
      end else begin
        failed++;
        $display("%s: %0d of %0d words WRONG, %0d cycles, expected %0d", CaseName[c], wrong,
                 CaseVdmWords[c], counted, CaseCycles[c]);
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
