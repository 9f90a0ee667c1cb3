/// Which lanes meet which banks where an address lies in the bank that its low bits name.
///
/// The banks of a row are then its pattern, turned by the bank of its first element.
package rpu_crosspoints_pkg;
  /// Whether a lane's element can lie `place` banks behind the row's first, in any mode with any value:
  /// linear, 2^v apart, blocks of 2^v with gaps as long, the first 2^v again and again.
  function automatic bit is_used(int unsigned banks, int unsigned lane, int unsigned place);
    if (place == lane % banks) return 1'b1;
    for (int unsigned v = 0; v < 32; v++) begin
      if (place == (lane << v) % banks) return 1'b1;
      if (place == ((lane >> v << v << 1) | (lane & ((1 << v) - 1))) % banks) return 1'b1;
      if (place == (lane & ((1 << v) - 1)) % banks) return 1'b1;
    end
    return 1'b0;
  endfunction

  /// Pairs of a lane and a place.
  function automatic int unsigned count(int unsigned lanes, int unsigned banks);
    count = 0;
    for (int unsigned lane = 0; lane < lanes; lane++) begin
      for (int unsigned place = 0; place < banks; place++) begin
        count += 32'(is_used(banks, lane, place));
      end
    end
  endfunction

  /// Whether a rotator and these pairs are fewer crosspoints than all.
  function automatic bit are_few(int unsigned lanes, int unsigned banks);
    return count(lanes, banks) + banks * $clog2(banks) < lanes * banks;
  endfunction
endpackage
