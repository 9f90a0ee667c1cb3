`include "registers.svh"
`include "assertions.svh"

/// A register array that turns rows into columns, or columns into rows, `Words` words at a time.
///
/// A group is a matrix of `Words` rows and 2^`log_length_i` columns, at most `Length`. Rows enter
/// one behind the other, `Words` neighbours in a beat; a column is one beat. One group leaves while
/// the next enters, each in its half of the array. Word k of row s lies in bank s + k modulo `Words`:
/// neighbours of a row, and the words of a column, lie in different banks.
/// Timing: `words_o` is beat 0 of a group in the cycle in which the next group's beat 0 enters, and
/// so on: 2^`log_length_i` shifts behind. Area: 2 `Words` `Length` words without reset; a rotation of
/// `Words` words and `Words` multiplexers of 2 `Length` words to read.
module rise_transposer #(
    parameter int unsigned Words  = 2,
    parameter int unsigned Length = 16,
    parameter int unsigned Width  = 30,
    localparam int unsigned LogLength      = $clog2(Length),
    localparam int unsigned LogLengthWidth = $clog2(LogLength + 1)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,

    /// log2 of the columns of a group, not below log2 of `Words`; constant between two clears.
    input  logic [LogLengthWidth-1:0]   log_length_i,
    /// Columns enter and rows leave.
    input  logic                        to_rows_i,
    /// Before the first beat of the first group.
    input  logic                        clear_i,
    input  logic                        shift_i,
    input  logic [Words-1:0][Width-1:0] words_i,
    output logic [Words-1:0][Width-1:0] words_o
);
  localparam int unsigned LogWords = $clog2(Words);
  typedef logic [LogLength-1:0] beat_t;
  typedef logic [LogWords-1:0] lane_t;

  beat_t beat_d, beat_q, last, row_beats;
  lane_t row, column;
  logic half_q;
  logic [LogLength+LogWords-1:0] beat;
  assign last   = ~({LogLength{1'b1}} << log_length_i);
  assign beat_d = (clear_i || beat_q == last) ? '0 : beat_q + beat_t'(1);
  `RW_FFL(beat_q, beat_d, clear_i | shift_i, '0)
  `RW_FFL(half_q, ~clear_i & ~half_q, clear_i | (shift_i & beat_q == last), 1'b0)

  // A row is 2^(log_length - log words) beats: that many places of every bank.
  assign row_beats = beat_t'(log_length_i) - beat_t'(LogWords);
  assign row       = lane_t'(beat_q >> row_beats);
  assign column    = lane_t'(beat_q);
  assign beat      = (LogLength + LogWords)'(beat_q);

  lane_t turn_in, turn_out;
  assign turn_in  = to_rows_i ? column : row;
  assign turn_out = to_rows_i ? row : column;

  // Of every bank: where the beat as a row, and as a column, has its word.
  logic [Words-1:0][LogLength-1:0] by_column;
  logic [Words-1:0][Width-1:0] read;
  for (genvar bank = 0; bank < Words; bank++) begin : gen_bank
    logic [2*Length-1:0][Width-1:0] words_q;
    beat_t write_place, read_place;
    lane_t from, row_of_word;
    assign from            = lane_t'(bank) - turn_in;
    assign row_of_word     = lane_t'(bank) - column;
    assign by_column[bank] = (beat_t'(row_of_word) << row_beats) | beat_t'(beat >> LogWords);
    assign write_place     = to_rows_i ? by_column[bank] : beat_q;
    assign read_place      = to_rows_i ? beat_q : by_column[bank];
    assign read[bank]      = words_q[{~half_q, read_place}];
    `RW_FFLNR(words_q[{half_q, write_place}], words_i[from], shift_i)
  end
  for (genvar lane = 0; lane < Words; lane++) begin : gen_lane
    assign words_o[lane] = read[lane_t'(lane)+turn_out];
  end

  `RW_REQUIRE(rise_transposer_words, Words >= 2 && Words == 1 << LogWords)
  `RW_REQUIRE(rise_transposer_length, Length >= Words && Length == 1 << LogLength)
  `RW_ASSERT(rise_transposer_group, !shift_i || 32'(log_length_i) >= LogWords)
endmodule
