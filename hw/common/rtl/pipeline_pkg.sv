/// Where the registers of a long chain of gates stand.
///
/// A chain is a row of levels, each with a delay in units (below). `stages` registers are spread so
/// that equal delay lies between two of them, the last one behind the last level: a level that ends
/// at unit `last` has `registers(first, last, ...)` of them behind it, `first` being where it begins.
/// With more registers than levels some levels have several.
///
/// A unit is about 10 ps in ASAP7 (`docs/rtl.md`); only the ratios matter.
package pipeline_pkg;
  /// A digit of Booth's; the choice of a multiple by it, with the fan-out before it.
  localparam int unsigned DigitUnits = 12;
  localparam int unsigned RowUnits = 14;
  /// A full adder.
  localparam int unsigned AdderUnits = 9;
  /// Generate and propagate; one level of prefixes; the sum's exclusive or.
  localparam int unsigned HalfUnits = 4;
  localparam int unsigned PrefixUnits = 4;
  localparam int unsigned SumUnits = 4;
  /// A multiplexer with a select that many share.
  localparam int unsigned ChoiceUnits = 6;

  function automatic int unsigned registers(int unsigned first, int unsigned last,
                                            int unsigned total, int unsigned stages);
    return last * stages / total - first * stages / total;
  endfunction

  /// Rows that remain of `rows` after so many levels of full adders.
  function automatic int unsigned rows_left(int unsigned rows, int unsigned levels);
    rows_left = rows;
    for (int unsigned i = 0; i < levels; i++) rows_left = rows_left - rows_left / 3;
  endfunction

  /// Levels of full adders that leave two rows.
  function automatic int unsigned tree_levels(int unsigned rows);
    tree_levels = 0;
    while (rows_left(rows, tree_levels) > 2) tree_levels++;
  endfunction

  function automatic int unsigned tree_units(int unsigned rows);
    return AdderUnits * tree_levels(rows);
  endfunction

  /// Booth's digits of a factor that are multiplied in one of so many passes.
  function automatic int unsigned pass_digits(int unsigned width, int unsigned passes);
    return (width / 2 + passes) / passes;
  endfunction

  /// A product with further rows, in one pass or two.
  function automatic int unsigned product_units(int unsigned width, int unsigned extra,
                                                int unsigned passes);
    return DigitUnits + RowUnits + tree_units(pass_digits(width, passes) + 1 + extra) +
           ((passes > 1) ? tree_units(2 * passes) : 0);
  endfunction

  function automatic int unsigned adder_units(int unsigned width);
    return HalfUnits + PrefixUnits * $clog2(width) + SumUnits;
  endfunction

  /// `residue_choice`: two sums side by side, then one of them.
  function automatic int unsigned residue_units(int unsigned width);
    return adder_units(width + 1) + ChoiceUnits;
  endfunction

  /// `mod_add`, `mod_sub`.
  function automatic int unsigned modular_units(int unsigned width);
    return AdderUnits + residue_units(width);
  endfunction

  /// Bits of a shift that depend on the modulus.
  function automatic int unsigned shift_steps(int unsigned width, int unsigned min_modulus_bits);
    return (width > min_modulus_bits) ? $clog2(width - min_modulus_bits + 1) : 0;
  endfunction

  /// Columns that `barrett_compressed` leaves out of the quotient's product, 2 W + 6 bits wide.
  function automatic int unsigned dropped_columns(int unsigned width);
    return width + 3 - $clog2((width + 3) / 2 + 6);
  endfunction

  /// `barrett_compressed`: a product, its sum, a shift; the quotient's; the remainder's, and a choice.
  function automatic int unsigned barrett_units(int unsigned width, int unsigned min_modulus_bits,
                                                int unsigned passes);
    return product_units(width, 0, passes) + adder_units(2 * width) +
           ChoiceUnits * shift_steps(width, min_modulus_bits) +
           product_units(width + 3, 0, passes) +
           adder_units(2 * width + 6 - dropped_columns(width)) +
           product_units(width, 2, passes) + AdderUnits + residue_units(width);
  endfunction
endpackage
