`include "registers.svh"
`include "assertions.svh"

/// X becomes X to an odd power: the words of a tower change places, out of one slot into another.
///
/// Word i of a row has its new place from one product: of i and the power modulo 2N on coefficients,
/// where a product of N or more changes the word's sign, since X^N is -1; of 2 brv(i) + 1 and the
/// inverse of the power on evaluations, since word i is the value at psi^(2 brv(i) + 1). `power_i` is
/// the factor in either case. Words of a row that go to one bank are written one after the other,
/// those of the lowest bank first; the next row is read with the last of them. Words lie in their banks
/// as `medha_ntt_core` says.
///
/// Timing: the first read is in the cycle after `start_i`, a row's words come a cycle later and take as
/// many cycles as the bank has to take that most of them go to; they are written a cycle after they are
/// chosen. `done_o` is 1 in the cycle of the last write. `evaluations_i` and `log_n_i` are taken with
/// `start_i`, which waits for `busy_o` to be 0; the power is wanted from the first words on until the
/// last write. Read data stay until the next read.
module medha_automorphism #(
    parameter int unsigned Banks   = 4,
    parameter int unsigned LogMaxN = 8,
    parameter int unsigned Width   = 30,
    localparam int unsigned LogBanks = $clog2(Banks),
    localparam int unsigned RowWidth = LogMaxN - LogBanks,
    localparam int unsigned BitWidth = $clog2(LogMaxN + 2)
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,

    input  logic [Width-1:0]               modulus_i,

    input  logic                           start_i,
    input  logic                           evaluations_i,
    input  logic [LogMaxN:0]               power_i,
    input  logic [BitWidth-1:0]            log_n_i,
    output logic                           busy_o,
    output logic                           done_o,

    output logic                           read_o,
    output logic [RowWidth-1:0]            read_row_o,
    input  logic [Banks-1:0][Width-1:0]    read_data_i,

    output logic [Banks-1:0]               write_o,
    output logic [Banks-1:0][RowWidth-1:0] write_row_o,
    output logic [Banks-1:0][Width-1:0]    write_data_o
);
  typedef logic [LogMaxN-1:0] word_t;
  typedef logic [LogBanks-1:0] bank_t;

  // The exclusive or of a word's digits.
  function automatic bank_t bank_of(word_t word);
    bank_of = '0;
    for (int unsigned i = 0; i < LogMaxN; i++) begin
      bank_of[i%LogBanks] ^= word[i];
    end
  endfunction

  logic evaluations_q, busy_d, busy_q, fresh_q, reads;
  logic [LogMaxN:0] mask;
  logic [BitWidth-1:0] log_n_q;
  logic [RowWidth-1:0] next_d, next_q, row_q, last_row;
  assign mask     = (LogMaxN + 1)'((64'd2 << log_n_q) - 1);
  assign last_row = RowWidth'((64'd1 << (log_n_q - BitWidth'(LogBanks))) - 1);
  `RW_FFLNR(evaluations_q, evaluations_i, start_i)
  `RW_FFLNR(log_n_q, log_n_i, start_i)

  // Bits of a word in the opposite order.
  function automatic word_t reversed(word_t word, logic [BitWidth-1:0] log_n);
    word_t all;
    for (int unsigned i = 0; i < LogMaxN; i++) all[i] = word[LogMaxN-1-i];
    reversed = all >> (BitWidth'(LogMaxN) - log_n);
  endfunction

  // Where the words of the row go; the word of a bank has the low digit that makes its exclusive or.
  word_t place[Banks];
  logic [Banks-1:0] negative;
  for (genvar b = 0; b < Banks; b++) begin : gen_place
    word_t from;
    logic [LogMaxN:0] factor, product;
    assign from        = {row_q, bank_t'(b) ^ bank_of({row_q, bank_t'(0)})};
    assign factor      = evaluations_q ? {reversed(from, log_n_q), 1'b1} : {1'b0, from};
    assign product     = (factor * power_i) & mask;
    // The bit of N.
    assign negative[b] = !evaluations_q && (product & (mask ^ (mask >> 1))) != '0;
    assign place[b]    = evaluations_q ? reversed(product[LogMaxN:1], log_n_q) :
                                         product[LogMaxN-1:0] & mask[LogMaxN:1];
  end

  // Of the words that wait, the lowest bank's for each bank that takes one.
  logic [Banks-1:0] waits_q, waits, chosen, takes;
  bank_t [Banks-1:0] source;
  assign waits = fresh_q ? '1 : waits_q;
  always_comb begin
    chosen = '0;
    takes  = '0;
    source = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      if (waits[b] && !takes[bank_of(place[b])]) begin
        takes[bank_of(place[b])]  = 1'b1;
        source[bank_of(place[b])] = bank_t'(b);
        chosen[b]                 = 1'b1;
      end
    end
  end
  logic [Banks-1:0] left;
  logic row_ends, ends;
  assign left     = waits & ~chosen;
  assign row_ends = left == '0;

  // A row is there from the cycle after its read; the first one is read when the unit begins.
  logic begins_q, there_q;
  assign ends  = there_q && row_ends && row_q == last_row;
  assign reads = begins_q || (there_q && row_ends && !ends);
  always_comb begin
    busy_d = busy_q;
    next_d = next_q;
    if (start_i) begin
      busy_d = 1'b1;
      next_d = '0;
    end else begin
      if (reads) next_d = next_q + 1'b1;
      if (ends) busy_d = 1'b0;
    end
  end
  `RW_FF(busy_q, busy_d, 1'b0)
  `RW_FF(begins_q, start_i, 1'b0)
  `RW_FF(next_q, next_d, '0)
  `RW_FFL(row_q, next_q, reads, '0)
  `RW_FF(fresh_q, reads, 1'b0)
  `RW_FF(there_q, reads || (there_q && !row_ends), 1'b0)
  `RW_FF(waits_q, left, '0)
  assign busy_o     = busy_q;
  assign read_o     = reads;
  assign read_row_o = next_q;

  logic [Banks-1:0] write_q;
  logic done_q;
  `RW_FF(write_q, there_q ? takes : '0, '0)
  `RW_FF(done_q, ends, 1'b0)
  for (genvar b = 0; b < Banks; b++) begin : gen_write
    logic [Width-1:0] word, moved;
    logic [RowWidth-1:0] row;
    assign word  = read_data_i[source[b]];
    assign moved = negative[source[b]] && word != '0 ? modulus_i - word : word;
    assign row   = place[source[b]][LogMaxN-1:LogBanks];
    logic [Width-1:0] moved_q;
    logic [RowWidth-1:0] into_q;
    `RW_FFNR(moved_q, moved)
    `RW_FFNR(into_q, row)
    assign write_row_o[b]  = into_q;
    assign write_data_o[b] = moved_q;
  end
  assign write_o = write_q;
  assign done_o  = done_q;

  `RW_REQUIRE(medha_automorphism_banks, Banks >= 2 && (Banks & (Banks - 1)) == 0)
  `RW_REQUIRE(medha_automorphism_degree, LogMaxN > LogBanks)
  `RW_ASSERT(medha_automorphism_start, !start_i || !busy_q)
  `RW_ASSERT(medha_automorphism_odd, !there_q || power_i[0])
endmodule
