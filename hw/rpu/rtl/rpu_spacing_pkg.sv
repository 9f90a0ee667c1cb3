/// Where the registers of an engine stand: `rpu_law`'s chain of adders, multiplier and adders.
///
/// At equal distances (`pipeline_pkg`) a register that meets a product behind its first levels of
/// adders holds dozens of rows. Moved by a little it stands where two words are left. `spacing` looks
/// for the distance, and for how far the first register comes early, with which the registers hold
/// the fewest bits while no way between two of them is a tenth longer than the longest at equal
/// distances. Bits are estimates: only which of two places is narrower matters.
package rpu_spacing_pkg;
  import pipeline_pkg::*;

  /// Units of the chain as if it were longer or shorter, and those before it.
  typedef struct packed {
    int unsigned total;
    int unsigned phase;
  } spacing_t;

  /// Where the parts of the chain end.
  typedef struct packed {
    int unsigned operands;
    int unsigned choice;
    int unsigned product;
    int unsigned shifted;
    int unsigned quotient;
    int unsigned quotient_sum;
    int unsigned multiple;
    int unsigned product_done;
    int unsigned results;
    int unsigned last;
  } ends_t;

  // Where a register stands that is to stand at a unit, and what it holds there.
  typedef struct packed {
    int unsigned last;
    int unsigned bits;
  } place_t;

  typedef struct packed {
    bit fits;
    int unsigned longest;
    int unsigned bits;
  } cost_t;

  // The smallest modulus of an engine has 3 bits.
  localparam int unsigned MinModulusBits = 3;
  // Distances that are looked at, and first registers for each.
  localparam int unsigned Distances = 24;
  localparam int unsigned Phases    = 8;

  /// Adders, choice of operands, the multiplier (`barrett_units`), adders, choice of results.
  function automatic ends_t ends(int unsigned width);
    ends.operands = modular_units(width);
    ends.choice   = ends.operands + ChoiceUnits;
    ends.product  = ends.choice + product_units(width, 0, 1);
    ends.shifted  = ends.product + adder_units(2 * width) +
                    ChoiceUnits * shift_steps(width, MinModulusBits);
    ends.quotient = ends.shifted + product_units(width + 3, 0, 1);
    ends.quotient_sum = ends.quotient + adder_units(2 * width + 6 - dropped_columns(width));
    ends.multiple     = ends.quotient_sum + product_units(width, 2, 1);
    ends.product_done = ends.choice + barrett_units(width, MinModulusBits, 1);
    ends.results      = ends.product_done + modular_units(width);
    ends.last         = ends.results + ChoiceUnits;
  endfunction

  // In a product that begins at a unit; `share`: how much of a row is kept, in quarters; `beside`:
  // words that wait.
  function automatic place_t in_product(int unsigned width, int unsigned rows, int unsigned share,
                                        int unsigned beside, int unsigned first, int unsigned unit);
    int unsigned chosen, levels;
    if (unit <= first + DigitUnits) begin
      return '{last: first + DigitUnits, bits: (3 + beside) * width};
    end
    chosen = first + DigitUnits + RowUnits;
    levels = (unit <= chosen) ? 0 : (unit - chosen + AdderUnits - 1) / AdderUnits;
    return '{
        last: chosen + AdderUnits * levels,
        bits: (rows_left(rows, levels) * share / 4 + beside) * width
    };
  endfunction

  // The place behind the level that a unit of the chain lies in.
  function automatic place_t place(int unsigned width, ends_t at, int unsigned unit);
    int unsigned rows;
    rows = pass_digits(width, 1) + 1;
    // Factors, constants, and what the adders make.
    if (unit <= at.operands) return '{last: unit, bits: 10 * width};
    if (unit <= at.choice) return '{last: at.choice, bits: 6 * width};
    if (unit <= at.product) return in_product(width, rows, 5, 3, at.choice, unit);
    if (unit <= at.shifted) return '{last: unit, bits: 7 * width};
    if (unit <= at.quotient) return in_product(width, rows + 1, 4, 4, at.shifted, unit);
    if (unit <= at.quotient_sum) return '{last: unit, bits: 6 * width};
    // Half of a product, with two rows more.
    if (unit <= at.multiple) return in_product(width, rows + 2, 3, 3, at.quotient_sum, unit);
    if (unit <= at.product_done) return '{last: unit, bits: 4 * width};
    if (unit <= at.results) return '{last: unit, bits: 6 * width};
    return '{last: at.last, bits: 2 * width};
  endfunction

  // With so many registers; those that come after the last adder stand at the end.
  function automatic cost_t cost(int unsigned width, int unsigned latency, ends_t at,
                                 spacing_t spaced);
    int unsigned first, skipped, unit, count;
    place_t here;
    cost    = '{fits: 1'b0, longest: 0, bits: 0};
    skipped = spaced.phase * latency / spaced.total;
    first   = 0;
    count   = 0;
    for (int unsigned k = 1; k <= latency; k++) begin
      unit = ((k + skipped) * spaced.total + latency - 1) / latency - spaced.phase;
      if (unit <= at.results) begin
        here      = place(width, at, unit);
        count     = count + 1;
        cost.bits = cost.bits + here.bits;
        if (here.last - first > cost.longest) cost.longest = here.last - first;
        first = here.last;
      end
    end
    if (at.last - first > cost.longest) cost.longest = at.last - first;
    cost.bits = cost.bits + 2 * width * (latency - count);
    cost.fits = latency - count >= 1 && latency - count <= 2;
  endfunction

  function automatic spacing_t spacing(int unsigned width, int unsigned latency);
    int unsigned allowed, least, step;
    ends_t at;
    spacing_t tried;
    cost_t found;
    at      = ends(width);
    spacing = '{total: at.last, phase: 0};
    found   = cost(width, latency, at, spacing);
    allowed = found.longest + found.longest / 10;
    least   = found.bits;
    for (int unsigned i = 0; i <= Distances; i++) begin
      tried.total = at.last - at.last / 4 + i * (at.last / 2) / Distances;
      step        = (tried.total / latency + Phases - 1) / Phases;
      for (int unsigned early = 0; early * latency < tried.total; early += step) begin
        tried.phase = early;
        found       = cost(width, latency, at, tried);
        if (found.fits && found.longest <= allowed && found.bits < least) begin
          least   = found.bits;
          spacing = tried;
        end
      end
    end
  endfunction
endpackage
