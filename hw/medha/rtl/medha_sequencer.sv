`include "registers.svh"
`include "assertions.svh"

/// Takes the microinstructions of one stream in order.
///
/// One begins when the one before it has ended, so many of other units' have ended as it waits for, and
/// `open_i` is 1: `begin_o` is 1 in that cycle if `allowed_i` is. `wait` takes `IssueCycles + 1`; every other
/// microinstruction ends with `done_i`, 1 in the cycle before the next one may begin. `stop` ends the stream,
/// and so does `halt_i`.
/// The kernel's entry is looked up with `start_i`; the first microinstruction can begin two cycles later.
///
/// `want_o` says that one would begin, so that its owner can say whether it may. `ended_o` is 1 when one
/// ends, for those that count.
module medha_sequencer
  import medha_isa_pkg::*;
#(
    parameter int unsigned Words       = 64,
    parameter int unsigned IssueCycles = 2,
    localparam int unsigned AddressWidth = (Words > 1) ? $clog2(Words) : 1,
    localparam int unsigned KernelWidth  = $clog2(Kernels)
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,

    /// Set-up: a microinstruction, or where a kernel begins.
    input  logic                             code_write_i,
    input  logic                             entry_write_i,
    input  logic [AddressWidth-1:0]          address_i,
    input  logic [InstructionWidth-1:0]      data_i,

    input  logic                             start_i,
    input  logic [KernelWidth-1:0]           kernel_i,
    input  logic                             halt_i,
    input  logic                             open_i,
    input  logic [Units-1:0][CountWidth-1:0] counts_i,

    output logic                             want_o,
    input  logic                             allowed_i,
    output logic                             begin_o,
    output micro_t                           micro_o,
    input  logic                             done_i,
    output logic                             ended_o,
    output logic                             running_o
);
  logic [AddressWidth-1:0] entry, next_d, next_q;
  logic looked_q, read, head_q, running_d, running_q, busy_d, busy_q;
  mem_1r1w #(
      .Words(Kernels),
      .Width(AddressWidth)
  ) i_entries (
      .clk_i,
      .rst_ni,
      .read_i(start_i),
      .read_address_i(kernel_i),
      .read_data_o(entry),
      .write_i(entry_write_i),
      .write_address_i(address_i[KernelWidth-1:0]),
      .write_data_i(data_i[AddressWidth-1:0])
  );

  instruction_t head;
  logic [AddressWidth-1:0] address;
  assign address = looked_q ? entry : next_q;
  mem_1r1w #(
      .Words(Words),
      .Width(InstructionWidth)
  ) i_code (
      .clk_i,
      .rst_ni,
      .read_i(read),
      .read_address_i(address),
      .read_data_o(head),
      .write_i(code_write_i),
      .write_address_i(address_i),
      .write_data_i(data_i)
  );

  logic [Waits-1:0] over;
  for (genvar i = 0; i < Waits; i++) begin : gen_wait
    assign over[i] = counts_i[head.waits[i].unit] >= head.waits[i].count;
  end
  logic is_stop, is_wait, ready, begins, stops, waited;
  assign is_stop = head.micro.opcode == OpStop;
  assign is_wait = head.micro.opcode == OpWait;
  assign ready   = running_q && head_q && !busy_q && (&over);
  assign want_o  = ready && open_i && !is_stop && !is_wait;
  assign begin_o = want_o && allowed_i;
  assign begins  = begin_o || (ready && is_wait);
  assign stops   = halt_i || (ready && is_stop);
  assign micro_o = head.micro;
  assign read    = looked_q || begins;

  logic unused_empty;
  valid_line #(
      .Stages(IssueCycles)
  ) i_waited (
      .clk_i,
      .rst_ni,
      .valid_i(ready && is_wait),
      .valid_o(waited),
      .empty_o(unused_empty)
  );
  assign ended_o = done_i || waited;

  always_comb begin
    next_d    = next_q;
    running_d = running_q;
    busy_d    = busy_q;
    if (read) next_d = address + 1'b1;
    if (ended_o) busy_d = 1'b0;
    if (begins) busy_d = 1'b1;
    if (start_i) running_d = 1'b1;
    else if (stops) running_d = 1'b0;
  end
  `RW_FF(looked_q, start_i, 1'b0)
  `RW_FF(head_q, looked_q || (head_q && !stops), 1'b0)
  `RW_FF(next_q, next_d, '0)
  `RW_FF(running_q, running_d, 1'b0)
  `RW_FF(busy_q, busy_d, 1'b0)
  assign running_o = running_q;

  logic unused;
  assign unused = head.unused;
  `RW_REQUIRE(medha_sequencer_words, Words >= Kernels)
  `RW_ASSERT(medha_sequencer_done, !done_i || busy_q || begins)
endmodule
