/// Which of the 16 register memories holds a vector register, and at which layer of the four.
package rpu_vrf_map_pkg;
  // Either function looks at its part of the number.
  /* verilator lint_off UNUSEDSIGNAL */

  /// `quotient`: four neighbours lie in one memory; else registers 16 apart do.
  function automatic logic [3:0] memory_of(bit quotient, logic [5:0] register_index);
    return quotient ? register_index[5:2] : register_index[3:0];
  endfunction

  function automatic logic [1:0] layer_of(bit quotient, logic [5:0] register_index);
    return quotient ? register_index[1:0] : register_index[5:4];
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */
endpackage
