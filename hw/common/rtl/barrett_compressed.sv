/// The arithmetic of `barrett_mul`, with registers inside the products: one chain of partial
/// products, full adders, prefixes and multiplexers, in which `Stages` registers stand at equal
/// distances (`pipeline_pkg`).
///
/// See `barrett_mul` for what is computed. Here z - h q is one sum: the rows of h times the
/// complement of q, h, and z (-q is its complement and one); and the subtraction of q is one more row
/// beside it, so that both remainders leave their adders at once.
module barrett_compressed
  import pipeline_pkg::*;
#(
    parameter int unsigned Width           = 30,
    parameter int unsigned Interval        = 1,
    parameter int unsigned MinModulusBits  = 3,
    parameter bit          ConstantsTravel = 1'b0,
    parameter int unsigned First           = 0,
    parameter int unsigned Total           = barrett_units(Width, MinModulusBits, Interval),
    parameter int unsigned Stages          = 0,
    localparam int unsigned ReciprocalWidth = Width + 3,
    localparam int unsigned ShiftWidth      = $clog2(Width),
    localparam int unsigned Units           = barrett_units(Width, MinModulusBits, Interval),
    localparam int unsigned Latency         =
        registers(First, First + Units, Total, Stages) + 3 * (Interval - 1)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic [Width-1:0]           modulus_i,
    input  logic [ReciprocalWidth-1:0] reciprocal_i,
    input  logic [ShiftWidth-1:0]      shift_i,
    /// Bit i: operands came i cycles ago.
    input  logic [Latency:0]           valid_i,
    input  logic [Width-1:0]           a_i,
    input  logic [Width-1:0]           b_i,
    output logic [Width-1:0]           product_o
);
  localparam int unsigned TopWidth  = Width + 3;
  localparam int unsigned LowWidth  = Width + 1;
  localparam int unsigned HighWidth = TopWidth + ReciprocalWidth;
  // Columns of the quotient's product that are left out: less than 2^(W+3) together.
  localparam int unsigned Dropped   = dropped_columns(Width);
  localparam int unsigned KeptWidth = HighWidth - Dropped;
  localparam int unsigned MinShift  = MinModulusBits - 3;
  localparam int unsigned ShiftSteps = shift_steps(Width, MinModulusBits);

  // The chain.
  localparam int unsigned ZRows      = First;
  localparam int unsigned ZSum       = ZRows + product_units(Width, 0, Interval);
  localparam int unsigned Shift      = ZSum + adder_units(2 * Width);
  localparam int unsigned HRows      = Shift + ChoiceUnits * ShiftSteps;
  localparam int unsigned HSum       = HRows + product_units(TopWidth, 0, Interval);
  localparam int unsigned RRows      = HSum + adder_units(KeptWidth);
  localparam int unsigned RLess      = RRows + product_units(Width, 2, Interval);
  localparam int unsigned RSum       = RLess + AdderUnits;

  // One of two passes waits for the other.
  function automatic int unsigned cycles(int unsigned position, int unsigned waits);
    return registers(First, position, Total, Stages) + waits * (Interval - 1);
  endfunction

  // ---- z = a b.
  logic [2*Width-1:0] z_sum, z_carry, z;
  logic [2*Width-1:0] no_z[1];
  assign no_z[0] = '0;
  compressed_product #(
      .AWidth(Width),
      .BWidth(Width),
      .Interval(Interval),
      .First(ZRows),
      .Total(Total),
      .Stages(Stages)
  ) i_z (
      .clk_i,
      .rst_ni,
      .valid_i(valid_i[0]),
      .a_i,
      .b_i,
      .extra_i(no_z),
      .sum_o(z_sum),
      .carry_o(z_carry)
  );
  prefix_adder #(
      .Width(2 * Width),
      .First(ZSum),
      .Total(Total),
      .Stages(Stages)
  ) i_z_sum (
      .clk_i,
      .a_i(z_sum),
      .b_i(z_carry),
      .sum_o(z)
  );

  // ---- top = floor(z / 2^shift): the fixed part of the shift is a wire.
  logic [TopWidth-1:0] top;
  logic [ShiftWidth-1:0] shift;
  delay_line #(
      .Width(ShiftWidth),
      .Stages(ConstantsTravel ? cycles(Shift, 1) : 0)
  ) i_shift (
      .clk_i,
      .data_i(shift_i - ShiftWidth'(MinShift)),
      .data_o(shift)
  );
  if (ShiftSteps == 0) begin : gen_fixed_shift
    assign top = TopWidth'(z >> MinShift);
  end else begin : gen_shifter
    right_shifter #(
        .InWidth(2 * Width - MinShift),
        .OutWidth(TopWidth),
        .ShiftWidth(ShiftSteps),
        .First(Shift),
        .Total(Total),
        .Stages(Stages)
    ) i_top (
        .clk_i,
        .data_i(z[2*Width-1:MinShift]),
        .shift_i(shift[ShiftSteps-1:0]),
        .data_o(top)
    );
  end

  // ---- h = floor(top * reciprocal / 2^(W + 5)).
  logic [ReciprocalWidth-1:0] reciprocal;
  logic [HighWidth-1:0] h_sum, h_carry;
  logic [HighWidth-1:0] no_h[1];
  logic [HighWidth-1:Dropped] h_high;
  logic [Width-1:0] h;
  assign no_h[0] = '0;
  delay_line #(
      .Width(ReciprocalWidth),
      .Stages(ConstantsTravel ? cycles(HRows, 1) : 0)
  ) i_reciprocal (
      .clk_i,
      .data_i(reciprocal_i),
      .data_o(reciprocal)
  );
  compressed_product #(
      .AWidth(ReciprocalWidth),
      .BWidth(TopWidth),
      .Dropped(Dropped),
      .Interval(Interval),
      .First(HRows),
      .Total(Total),
      .Stages(Stages)
  ) i_h (
      .clk_i,
      .rst_ni,
      .valid_i(valid_i[cycles(HRows, 1)]),
      .a_i(reciprocal),
      .b_i(top),
      .extra_i(no_h),
      .sum_o(h_sum),
      .carry_o(h_carry)
  );
  prefix_adder #(
      .Width(KeptWidth),
      .First(HSum),
      .Total(Total),
      .Stages(Stages)
  ) i_h_sum (
      .clk_i,
      .a_i(h_sum[HighWidth-1:Dropped]),
      .b_i(h_carry[HighWidth-1:Dropped]),
      .sum_o(h_high)
  );
  assign h = h_high[Width+5+:Width];

  // ---- z - h q, and q less.
  logic [Width-1:0] modulus, modulus_last;
  logic [LowWidth-1:0] r_sum, r_carry, z_low, r_extra[2], less_rows[3], less_sum, less_carry;
  logic [LowWidth-1:0] plain[2], less[2];
  delay_line #(
      .Width(Width),
      .Stages(ConstantsTravel ? cycles(RRows, 2) : 0)
  ) i_modulus (
      .clk_i,
      .data_i(modulus_i),
      .data_o(modulus)
  );
  delay_line #(
      .Width(Width),
      .Stages(ConstantsTravel ? cycles(RLess, 3) - cycles(RRows, 2) : 0)
  ) i_modulus_last (
      .clk_i,
      .data_i(modulus),
      .data_o(modulus_last)
  );
  delay_line #(
      .Width(LowWidth),
      .Stages(cycles(RRows, 2) - cycles(Shift, 1))
  ) i_z_low (
      .clk_i,
      .data_i(z[LowWidth-1:0]),
      .data_o(z_low)
  );
  assign r_extra[0] = z_low;
  assign r_extra[1] = LowWidth'(h);
  compressed_product #(
      .AWidth(LowWidth),
      .BWidth(Width),
      .ProductWidth(LowWidth),
      .Extra(2),
      .Interval(Interval),
      .First(RRows),
      .Total(Total),
      .Stages(Stages)
  ) i_r (
      .clk_i,
      .rst_ni,
      .valid_i(valid_i[cycles(RRows, 2)]),
      .a_i(~{1'b0, modulus}),
      .b_i(h),
      .extra_i(r_extra),
      .sum_o(r_sum),
      .carry_o(r_carry)
  );
  assign less_rows[0] = r_sum;
  assign less_rows[1] = r_carry;
  assign less_rows[2] = ~{1'b0, modulus_last};
  compression_tree #(
      .Rows(3),
      .Width(LowWidth),
      .First(RLess),
      .Total(Total),
      .Stages(Stages)
  ) i_less_rows (
      .clk_i,
      .rows_i(less_rows),
      .sum_o(less_sum),
      .carry_o(less_carry)
  );
  delay_line #(
      .Width(2 * LowWidth),
      .Stages(registers(RLess, RSum, Total, Stages))
  ) i_plain_rows (
      .clk_i,
      .data_i({r_sum, r_carry}),
      .data_o({plain[0], plain[1]})
  );
  // A row of carries has no bit 0: there stands the 1 that ends a complement.
  assign less[0] = less_sum;
  assign less[1] = {less_carry[LowWidth-1:1], 1'b1};
  residue_choice #(
      .Width(Width),
      .First(RSum),
      .Total(Total),
      .Stages(Stages)
  ) i_choice (
      .clk_i,
      .x_i(less),
      .above_i(plain),
      .residue_o(product_o)
  );

  // Below the quotient and above it; the end of a row of carries; a shift that is fixed.
  logic unused;
  assign unused = &{h_sum, h_carry, h_high, less_carry, shift};
endmodule
