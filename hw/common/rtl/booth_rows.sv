/// The rows of a product by Booth's recoding in MacSorley's form (Proc. IRE 49, 1961): a digit from -2
/// to 2 for every two bits of b, and a row, that multiple of a, for every digit. One more row of
/// constants ends the signs of all others.
///
/// The rows add up to a times the digits modulo 2^`RowWidth`. Bits below `Dropped` are left out, of
/// every row less than 2^`Dropped`. `digits_i` is b above a 0: digit i lies in its bits 2 i + 2 to 2 i.
/// Timing: `DigitUnits` and `RowUnits` of `pipeline_pkg` from `First` on of a chain of `Total` units with
/// `Stages` registers. Area: four gates a bit of a row, half as many rows as b has bits.
module booth_rows
  import pipeline_pkg::*;
#(
    parameter int unsigned Width    = 16,
    parameter int unsigned Digits   = 9,
    parameter int unsigned RowWidth = 32,
    parameter int unsigned Dropped  = 0,
    parameter int unsigned First    = 0,
    parameter int unsigned Total    = DigitUnits + RowUnits,
    parameter int unsigned Stages   = 0
) (
    input  logic                clk_i,
    input  logic [Width-1:0]    a_i,
    input  logic [2*Digits:0]   digits_i,
    output logic [RowWidth-1:0] rows_o[Digits+1]
);
  typedef logic [RowWidth-1:0] row_t;
  localparam int unsigned Chosen  = First + DigitUnits;
  localparam int unsigned SignBit = Width + 1;

  // Whether a digit is 1 or -1, 2 or -2, below 0.
  logic [Digits-1:0] one_d, one, two_d, two, negative_d, negative;
  for (genvar i = 0; i < Digits; i++) begin : gen_digit
    logic [2:0] bits;
    assign bits          = digits_i[2*i+:3];
    assign one_d[i]      = bits[1] ^ bits[0];
    assign two_d[i]      = (bits[2] ^ bits[1]) & ~one_d[i];
    assign negative_d[i] = bits[2];
  end
  logic [Width-1:0] a;
  delay_line #(
      .Width(Width + 3 * Digits),
      .Stages(registers(First, Chosen, Total, Stages))
  ) i_digits (
      .clk_i,
      .data_i({a_i, one_d, two_d, negative_d}),
      .data_o({a, one, two, negative})
  );

  // Minus the signs of all rows.
  function automatic row_t ends();
    ends = '0;
    for (int unsigned i = 0; i < Digits; i++) ends = ends - (row_t'(1) << (2 * i + SignBit));
  endfunction
  localparam row_t Ends = ends();

  // A multiple has Width + 1 bits, complemented below 0, and its sign, which the row of constants
  // takes at its complement; the 1 that a complement lacks stands in the row above, below its bits.
  for (genvar i = 0; i <= Digits; i++) begin : gen_row
    row_t row, lacking;
    assign lacking = (i > 0) ? row_t'(negative[(i > 0)?i-1 : 0]) << (2 * i - 2) : '0;
    if (i < Digits) begin : gen_multiple
      logic [Width:0] multiple;
      logic [Width+1:0] signed_;
      assign multiple = ({1'b0, a} & {Width + 1{one[i]}}) | ({a, 1'b0} & {Width + 1{two[i]}});
      assign signed_  = {~negative[i], multiple ^ {Width + 1{negative[i]}}};
      assign row      = (row_t'(signed_) << (2 * i)) | lacking;
      // Bits beyond the row.
      logic unused;
      assign unused = &signed_;
    end else begin : gen_ends
      assign row = Ends | lacking;
    end
    delay_line #(
        .Width(RowWidth),
        .Stages(registers(Chosen, Chosen + RowUnits, Total, Stages))
    ) i_row (
        .clk_i,
        .data_i(row >> Dropped << Dropped),
        .data_o(rows_o[i])
    );
  end
endmodule
