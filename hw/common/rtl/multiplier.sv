`include "registers.svh"
`include "assertions.svh"

/// The product of two unsigned numbers, one a cycle.
///
/// The second factor is cut into as many slices as there are stages; each stage adds the product of
/// the first factor and one slice to what came before. So a stage is a carry-save tree over
/// `ceil(BWidth / Stages)` rows and one carry chain, and every register holds a plain number.
/// Registers that hold carry-save pairs would spare all but the last carry chain for about twice
/// the flip-flops: worth it below half a nanosecond, not at the clocks of RISE.
///
/// Timing: `product_o` is the product of `Stages` cycles ago, from a register; 0 is combinational.
/// `ProductWidth` keeps only the low bits and drops the gates of the others. `ADropped` and
/// `BDropped` leave out the product of the low `ADropped` bits of a and the low `BDropped` bits
/// of b, for a caller who needs the high bits and can bear an error below
/// 2^(`ADropped` + `BDropped`).
module multiplier #(
    parameter int unsigned AWidth       = 30,
    parameter int unsigned BWidth       = 30,
    parameter int unsigned ProductWidth = AWidth + BWidth,
    parameter int unsigned Stages       = 2,
    parameter int unsigned ADropped     = 0,
    parameter int unsigned BDropped     = 0
) (
    input  logic                    clk_i,
    input  logic [AWidth-1:0]       a_i,
    input  logic [BWidth-1:0]       b_i,
    output logic [ProductWidth-1:0] product_o
);
  localparam int unsigned Slices     = (Stages > 0) ? Stages : 1;
  localparam int unsigned SliceWidth = (BWidth + Slices - 1) / Slices;
  localparam int unsigned RowWidth   = AWidth + SliceWidth;
  localparam int unsigned BPadded    = SliceWidth * Slices;
  // Bits of a whose products with the low bits of b are wanted; low bits of b.
  localparam logic [RowWidth-1:0] AKept = ~((RowWidth'(1) << ADropped) - RowWidth'(1));
  localparam logic [BPadded-1:0]  BLow  = (BPadded'(1) << BDropped) - BPadded'(1);

  logic [Slices:0][AWidth-1:0] a /* verilator split_var */;
  logic [Slices:0][BPadded-1:0] b /* verilator split_var */;
  logic [Slices:0][ProductWidth-1:0] partial /* verilator split_var */;

  assign a[0]       = a_i;
  assign b[0]       = BPadded'(b_i);
  assign partial[0] = '0;

  for (genvar i = 0; i < Slices; i++) begin : gen_slice
    localparam logic [SliceWidth-1:0] LowMask = BLow[i*SliceWidth+:SliceWidth];
    logic [SliceWidth-1:0] slice, slice_high, slice_low;
    logic [RowWidth-1:0] wide, row;
    logic [ProductWidth-1:0] sum;

    assign slice      = b[i][i*SliceWidth+:SliceWidth];
    assign slice_high = slice & ~LowMask;
    assign slice_low  = slice & LowMask;

    assign wide = RowWidth'(a[i]);
    assign row  = wide * RowWidth'(slice_high) + (wide & AKept) * RowWidth'(slice_low);
    assign sum  = partial[i] + ProductWidth'({{ProductWidth{1'b0}}, row} << (i * SliceWidth));

    if (Stages > 0) begin : gen_registers
      `RW_FFNR(partial[i+1], sum)
      `RW_FFNR(a[i+1], a[i])
      `RW_FFNR(b[i+1], b[i])
    end else begin : gen_wires
      assign partial[i+1] = sum;
      assign a[i+1]       = a[i];
      assign b[i+1]       = b[i];
    end
  end

  assign product_o = partial[Slices];

  // The factors leave the last stage unread, and their clock where there are no stages.
  logic unused;
  assign unused = &{clk_i, a[Slices], b[Slices]};

  `RW_REQUIRE(multiplier_widths, AWidth >= 1 && BWidth >= 1 && ProductWidth >= 1)
  `RW_REQUIRE(multiplier_dropped, ADropped <= AWidth && BDropped <= BWidth)
endmodule
