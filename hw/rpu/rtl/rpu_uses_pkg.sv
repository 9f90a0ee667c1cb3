/// Which vector registers an instruction uses, and which register memories hold them.
package rpu_uses_pkg;
  import rpu_isa_pkg::*;

  localparam int unsigned Memories = 16;

  typedef logic [NumRegisters-1:0] mask_t;

  function automatic mask_t one(logic valid, logic [RegisterWidth-1:0] index);
    return valid ? mask_t'(1) << index : '0;
  endfunction

  // Either function looks at its part of the instruction.
  /* verilator lint_off UNUSEDSIGNAL */

  function automatic mask_t sources(logic valid, decoded_t i);
    return one(valid & i.reads_vs, i.vs) | one(valid & i.reads_vt, i.vt) |
           one(valid & i.reads_vt1, i.vt1);
  endfunction

  function automatic mask_t destinations(logic valid, decoded_t i);
    return one(valid & i.writes_vd, i.vd) | one(valid & i.writes_vd1, i.vd1);
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */

  /// The register memories of a set of registers.
  function automatic logic [Memories-1:0] memories(bit quotient, mask_t registers);
    memories = '0;
    for (int r = 0; r < NumRegisters; r++) begin
      memories[rpu_vrf_map_pkg::memory_of(quotient, 6'(r))] |= registers[r];
    end
  endfunction

  /// Whether the memory of a register is taken by who may not wait.
  function automatic logic is_taken(bit quotient, logic [Memories-1:0] taken,
                                    logic [5:0] register_index);
    return taken[rpu_vrf_map_pkg::memory_of(quotient, register_index)];
  endfunction
endpackage
