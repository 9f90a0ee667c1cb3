`include "registers.svh"
`include "assertions.svh"

/// The product of two unsigned numbers, one every `Interval` cycles, 1 or 2.
///
/// The second factor is cut into as many slices as there are stages; each stage adds the product of
/// the first factor and one slice to what came before. So a stage is a carry-save tree over
/// `ceil(BWidth / Stages)` rows and one carry chain, and every register holds a plain number.
/// Registers that hold carry-save pairs would spare all but the last carry chain for about twice
/// the flip-flops: worth it below half a nanosecond, not at the clocks of RISE.
///
/// With `Interval` 2 two slices share the tree and the carry chain of one: half the rows, for a
/// multiplexer before them. Each pair of stages needs its operands for two cycles: those at the
/// inputs rest in the cycle after `valid_i`, the registers inside load every other cycle.
///
/// Timing: `product_o` and `valid_o` are those of `Stages` cycles ago, from a register; 0 is
/// combinational. With `Interval` 2 `Stages` is even, at least 2, and `product_o` rests for a cycle.
/// `ProductWidth` keeps only the low bits and drops the gates of the others. `ADropped` and
/// `BDropped` leave out the product of the low `ADropped` bits of a and the low `BDropped` bits
/// of b, for a caller who needs the high bits and can bear an error below
/// 2^(`ADropped` + `BDropped`).
module multiplier #(
    parameter int unsigned AWidth       = 30,
    parameter int unsigned BWidth       = 30,
    parameter int unsigned ProductWidth = AWidth + BWidth,
    parameter int unsigned Stages       = 2,
    parameter int unsigned Interval     = 1,
    parameter int unsigned ADropped     = 0,
    parameter int unsigned BDropped     = 0
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    valid_i,
    input  logic [AWidth-1:0]       a_i,
    input  logic [BWidth-1:0]       b_i,
    output logic                    valid_o,
    output logic [ProductWidth-1:0] product_o
);
  localparam int unsigned Slices      = (Stages > 0) ? Stages : 1;
  localparam int unsigned Units       = (Interval == 2) ? Slices / 2 : Slices;
  localparam int unsigned SliceWidth  = (BWidth + Slices - 1) / Slices;
  localparam int unsigned RowWidth    = AWidth + SliceWidth;
  localparam int unsigned BPadded     = SliceWidth * Slices;
  // Bits of a whose products with the low bits of b are wanted; low bits of b.
  localparam logic [RowWidth-1:0] AKept = ~((RowWidth'(1) << ADropped) - RowWidth'(1));
  localparam logic [BPadded-1:0]  BLow  = (BPadded'(1) << BDropped) - BPadded'(1);

  // Between units: the factors, and the sum so far.
  logic [Units:0] valid /* verilator split_var */;
  logic [Units:0][AWidth-1:0] a /* verilator split_var */;
  logic [Units:0][BPadded-1:0] b /* verilator split_var */;
  logic [Units:0][ProductWidth-1:0] partial /* verilator split_var */;

  assign valid[0]   = valid_i;
  assign a[0]       = a_i;
  assign b[0]       = BPadded'(b_i);
  assign partial[0] = '0;

  for (genvar i = 0; i < Units; i++) begin : gen_unit
    // The slice of this cycle and its place; `above` is what it is added to, below are bits of the product.
    localparam int unsigned Low = i * (Slices / Units) * SliceWidth;
    localparam logic [ProductWidth-1:0] Done = (ProductWidth'(1) << Low) - ProductWidth'(1);
    logic [SliceWidth-1:0] slice, low_mask, slice_high, slice_low;
    logic [AWidth-1:0] above;
    logic [RowWidth-1:0] wide, sum;
    logic [ProductWidth-1:0] together;

    assign slice_high = slice & ~low_mask;
    assign slice_low  = slice & low_mask;
    assign wide       = RowWidth'(a[i]);
    assign sum        = RowWidth'(above) + wide * RowWidth'(slice_high)
                        + (wide & AKept) * RowWidth'(slice_low);

    // Some of it lies above the product.
    logic unused_sum;
    assign unused_sum = &sum;

    if (Interval == 1) begin : gen_every_cycle
      assign slice    = b[i][Low+:SliceWidth];
      assign low_mask = BLow[Low+:SliceWidth];
      assign above    = AWidth'(partial[i] >> Low);
      assign together = (partial[i] & Done) | (ProductWidth'(sum) << Low);

      if (Stages > 0) begin : gen_registers
        `RW_FF(valid[i+1], valid[i], 1'b0)
        `RW_FFNR(partial[i+1], together)
        `RW_FFNR(a[i+1], a[i])
        `RW_FFNR(b[i+1], b[i])
      end else begin : gen_wires
        assign valid[i+1]   = valid[i];
        assign partial[i+1] = together;
        assign a[i+1]       = a[i];
        assign b[i+1]       = b[i];
      end
    end else if (Interval == 2) begin : gen_every_other_cycle
      logic second_q;
      logic [RowWidth-1:0] first_q;
      assign slice    = second_q ? b[i][Low+SliceWidth+:SliceWidth] : b[i][Low+:SliceWidth];
      assign low_mask = second_q ? BLow[Low+SliceWidth+:SliceWidth] : BLow[Low+:SliceWidth];
      assign above    = second_q ? first_q[SliceWidth+:AWidth] : AWidth'(partial[i] >> Low);
      assign together = (partial[i] & Done) | (ProductWidth'({sum, first_q[0+:SliceWidth]}) << Low);

      `RW_FF(second_q, valid[i], 1'b0)
      `RW_FF(valid[i+1], second_q, 1'b0)
      `RW_FFNR(first_q, sum)
      `RW_FFLNR(partial[i+1], together, second_q)
      `RW_FFLNR(a[i+1], a[i], second_q)
      `RW_FFLNR(b[i+1], b[i], second_q)
    end else begin : gen_unknown
      $fatal(1, "multiplier: Interval is 1 or 2, not %0d", Interval);
    end
  end

  assign valid_o   = valid[Units];
  assign product_o = partial[Units];

  // The factors leave the last stage unread, clock and reset where there are no stages.
  logic unused;
  assign unused = &{clk_i, rst_ni, a[Units], b[Units]};

  `RW_REQUIRE(multiplier_widths, AWidth >= 1 && BWidth >= 1 && ProductWidth >= 1)
  `RW_REQUIRE(multiplier_pairs, Interval == 1 || (Stages >= 2 && Stages % 2 == 0))
  `RW_REQUIRE(multiplier_dropped, ADropped <= AWidth && BDropped <= BWidth)
endmodule
