`include "registers.svh"
`include "assertions.svh"

/// A bank group: one polynomial in 4P banks of one read-or-write port, a write buffer before each.
///
/// The bank of a word is its address modulo 4P (RACE section IV-C2 at P = 1). The computing units
/// read and write halves of a row (2P banks, butterflies) or quarters (P banks, passes), each once a
/// cycle. The external port, for DMA and sampler, reaches `PortWords` words in different banks.
///
/// Timing: data one cycle after its read; a word that finds its port free can be read one cycle
/// after its write. Nobody waits: two reads of one bank, or accesses of both sides in one cycle, are
/// errors (asserted). Area: the banks, their buffers, a 4-to-1 multiplexer behind the banks, and a
/// `PortWords` by 4P crossbar either way.
module rise_bank_group #(
    parameter int unsigned Bfus        = 1,
    parameter int unsigned WordBits    = 30,
    parameter int unsigned BankWords   = 4096,
    parameter int unsigned WriteBuffer = 1,
    parameter int unsigned PortWords   = 2,
    localparam int unsigned Banks        = 4 * Bfus,
    localparam int unsigned RowWidth     = $clog2(BankWords),
    localparam int unsigned AddressWidth = RowWidth + $clog2(Banks)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,

    // Computing units: the quarter of the banks, `wide` for two of them.
    input  logic                                   read_i,
    input  logic                                   read_wide_i,
    input  logic [RowWidth-1:0]                    read_row_i,
    input  logic [1:0]                             read_quarter_i,
    /// In the next cycle; the upper half is of a wide read.
    output logic [2*Bfus-1:0][WordBits-1:0]        read_data_o,

    input  logic                                   write_i,
    input  logic                                   write_wide_i,
    input  logic [RowWidth-1:0]                    write_row_i,
    input  logic [1:0]                             write_quarter_i,
    input  logic [2*Bfus-1:0][WordBits-1:0]        write_data_i,

    // DMA and sampler.
    input  logic                                   port_write_i,
    input  logic [PortWords-1:0]                   port_request_i,
    input  logic [PortWords-1:0][AddressWidth-1:0] port_address_i,
    input  logic [PortWords-1:0][WordBits-1:0]     port_write_data_i,
    /// In the cycle after a read.
    output logic [PortWords-1:0][WordBits-1:0]     port_read_data_o,

    /// No word waits in a buffer.
    output logic                                   settled_o
);
  localparam int unsigned BankWidth = $clog2(Banks);
  localparam int unsigned UsageWidth = (WriteBuffer > 0) ? $clog2(WriteBuffer + 1) : 1;

  // Which quarters the computing units reach.
  logic [3:0] read_quarters, write_quarters;
  always_comb begin
    for (int unsigned q = 0; q < 4; q++) begin
      read_quarters[q]  = read_i && (read_quarter_i == 2'(q) ||
                                     (read_wide_i && read_quarter_i[1] == 1'(q >> 1)));
      write_quarters[q] = write_i && (write_quarter_i == 2'(q) ||
                                      (write_wide_i && write_quarter_i[1] == 1'(q >> 1)));
    end
  end

  logic [Banks-1:0][WordBits-1:0] bank_data;
  logic [Banks-1:0] waits;

  // What each bank's port does, also for those who watch.
  logic [Banks-1:0] bank_read, bank_write;
  logic [Banks-1:0][RowWidth-1:0] bank_row;
  logic [Banks-1:0][WordBits-1:0] bank_write_data;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    localparam int unsigned Quarter = b / Bfus;
    localparam int unsigned Lane = b % Bfus;

    logic [PortWords-1:0] hits;
    logic [RowWidth-1:0] port_row;
    logic [WordBits-1:0] port_data;
    always_comb begin
      port_row  = '0;
      port_data = '0;
      for (int unsigned y = 0; y < PortWords; y++) begin
        hits[y] = port_request_i[y] && port_address_i[y][BankWidth-1:0] == BankWidth'(b);
        if (hits[y]) begin
          port_row  |= port_address_i[y][AddressWidth-1:BankWidth];
          port_data |= port_write_data_i[y];
        end
      end
    end

    logic port_hit, write, request;
    logic [RowWidth-1:0] read_row, write_row;
    logic [WordBits-1:0] computed, write_data;
    logic [UsageWidth-1:0] usage;
    assign port_hit     = |hits;
    assign bank_read[b] = read_quarters[Quarter] | (port_hit & ~port_write_i);
    assign write        = write_quarters[Quarter] | (port_hit & port_write_i);
    // The second quarter of a half takes the upper words.
    if (Quarter % 2 == 1) begin : gen_upper
      assign computed = write_wide_i ? write_data_i[Bfus+Lane] : write_data_i[Lane];
    end else begin : gen_lower
      assign computed = write_data_i[Lane];
    end
    assign read_row   = port_hit ? port_row : read_row_i;
    assign write_row  = port_hit ? port_row : write_row_i;
    assign write_data = port_hit ? port_data : computed;

    rise_write_buffer #(
        .Depth(WriteBuffer),
        .RowWidth(RowWidth),
        .Width(WordBits)
    ) i_buffer (
        .clk_i,
        .rst_ni,
        .read_i(bank_read[b]),
        .read_row_i(read_row),
        .write_i(write),
        .write_row_i(write_row),
        .write_data_i(write_data),
        .request_o(request),
        .write_o(bank_write[b]),
        .row_o(bank_row[b]),
        .data_o(bank_write_data[b]),
        .usage_o(usage)
    );
    mem_1rw #(
        .Words(BankWords),
        .Width(WordBits)
    ) i_bank (
        .clk_i,
        .rst_ni,
        .request_i(request),
        .write_i(bank_write[b]),
        .address_i(bank_row[b]),
        .write_data_i(bank_write_data[b]),
        .read_data_o(bank_data[b])
    );
    assign waits[b] = usage != '0;

    `RW_ASSERT(rise_bank_group_one_word, (hits & (hits - PortWords'(1))) == '0)
    `RW_ASSERT(rise_bank_group_one_reader,
               !port_hit || !(read_quarters[Quarter] || write_quarters[Quarter]))
  end
  assign settled_o = waits == '0;

  // Words behind the banks: those of the quarter, or half, that was read.
  logic [1:0] quarter_q;
  `RW_FFLNR(quarter_q, read_quarter_i, read_i)
  always_comb begin
    for (int unsigned k = 0; k < Bfus; k++) begin
      read_data_o[k]      = bank_data[32'(quarter_q)*Bfus+k];
      read_data_o[Bfus+k] = bank_data[(2*32'(quarter_q[1])+1)*Bfus+k];
    end
  end

  for (genvar y = 0; y < PortWords; y++) begin : gen_port
    logic [BankWidth-1:0] bank_q;
    `RW_FFLNR(bank_q, port_address_i[y][BankWidth-1:0], port_request_i[y])
    assign port_read_data_o[y] = bank_data[bank_q];
  end

  `RW_REQUIRE(rise_bank_group_bfus, Bfus >= 1 && Bfus <= 32 && (Bfus & (Bfus - 1)) == 0)
  `RW_REQUIRE(rise_bank_group_bank_words, BankWords >= 2 && (BankWords & (BankWords - 1)) == 0)
  `RW_REQUIRE(rise_bank_group_port_words, PortWords >= 1 && PortWords <= Banks)
  `RW_ASSERT(rise_bank_group_wide_reads, !(read_i && read_wide_i) || !read_quarter_i[0])
  `RW_ASSERT(rise_bank_group_wide_writes, !(write_i && write_wide_i) || !write_quarter_i[0])
`ifndef SYNTHESIS
  // What the proof of the write buffers takes for granted: `formal_rise_write_buffer`.
  logic [3:0] read_last, write_last;
  `RW_FF(read_last, read_quarters, '0)
  `RW_FF(write_last, write_quarters, '0)
  `RW_ASSERT(rise_bank_group_reads_apart, (read_quarters & read_last) == '0)
  `RW_ASSERT(rise_bank_group_writes_apart, (write_quarters & write_last) == '0)
`endif
endmodule
