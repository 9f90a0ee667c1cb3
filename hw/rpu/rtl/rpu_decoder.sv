// Generated from spec/rpu/isa.toml; `cargo run -p ringwright-target-rpu --example generate_isa`
// makes it again.

/// Splits a word of instruction memory into the operands of an instruction.
///
/// Combinational. An operand that the instruction does not have is 0, and so is every bit of
/// `instruction_o` where `illegal_o` is set: the opcode is none (0 is none: an empty memory traps),
/// a bit that the instruction does not use is not 0, a mode or VALUE does not exist, or two
/// destinations are one.
module rpu_decoder (
    input  logic [rpu_isa_pkg::InstructionWidth-1:0] word_i,
    output rpu_isa_pkg::instruction_t                instruction_o,
    output logic                                     illegal_o
);
  import rpu_isa_pkg::*;

  always_comb begin
    instruction_o = '0;
    illegal_o     = 1'b0;
    if ((word_i & VloadMask) == VloadPattern &&
        (word_i[13:12] != ModeLinear || word_i[10:6] == '0)) begin
      instruction_o.mnemonic       = OpVload;
      instruction_o.unit           = ClassLoadStore;
      instruction_o.vd             = word_i[23:18];
      instruction_o.rm             = word_i[5:0];
      instruction_o.offset         = word_i[43:24];
      instruction_o.mode           = mode_e'(word_i[13:12]);
      instruction_o.value          = word_i[10:6];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_address  = 1'b1;
    end else if ((word_i & VstoreMask) == VstorePattern &&
        (word_i[13:12] != ModeLinear || word_i[10:6] == '0)) begin
      instruction_o.mnemonic       = OpVstore;
      instruction_o.unit           = ClassLoadStore;
      instruction_o.vs             = word_i[23:18];
      instruction_o.rm             = word_i[5:0];
      instruction_o.offset         = word_i[43:24];
      instruction_o.mode           = mode_e'(word_i[13:12]);
      instruction_o.value          = word_i[10:6];
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_address  = 1'b1;
    end else if ((word_i & SloadMask) == SloadPattern) begin
      instruction_o.mnemonic       = OpSload;
      instruction_o.unit           = ClassLoadStore;
      instruction_o.rt             = word_i[11:6];
      instruction_o.offset         = word_i[43:24];
      instruction_o.writes_scalar  = 1'b1;
    end else if ((word_i & MloadMask) == MloadPattern) begin
      instruction_o.mnemonic       = OpMload;
      instruction_o.unit           = ClassLoadStore;
      instruction_o.rt             = word_i[11:6];
      instruction_o.offset         = word_i[43:24];
      instruction_o.writes_modulus = 1'b1;
    end else if ((word_i & AloadMask) == AloadPattern) begin
      instruction_o.mnemonic       = OpAload;
      instruction_o.unit           = ClassLoadStore;
      instruction_o.rt             = word_i[11:6];
      instruction_o.offset         = word_i[43:24];
      instruction_o.writes_address = 1'b1;
    end else if ((word_i & VaddMask) == VaddPattern) begin
      instruction_o.mnemonic       = OpVadd;
      instruction_o.unit           = ClassCompute;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vs             = word_i[17:12];
      instruction_o.vt             = word_i[11:6];
      instruction_o.rm             = word_i[5:0];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_vt       = 1'b1;
      instruction_o.reads_modulus  = 1'b1;
    end else if ((word_i & VsubMask) == VsubPattern) begin
      instruction_o.mnemonic       = OpVsub;
      instruction_o.unit           = ClassCompute;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vs             = word_i[17:12];
      instruction_o.vt             = word_i[11:6];
      instruction_o.rm             = word_i[5:0];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_vt       = 1'b1;
      instruction_o.reads_modulus  = 1'b1;
    end else if ((word_i & VmulMask) == VmulPattern) begin
      instruction_o.mnemonic       = OpVmul;
      instruction_o.unit           = ClassCompute;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vs             = word_i[17:12];
      instruction_o.vt             = word_i[11:6];
      instruction_o.rm             = word_i[5:0];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_vt       = 1'b1;
      instruction_o.reads_modulus  = 1'b1;
    end else if ((word_i & BflyMask) == BflyPattern &&
        word_i[23:18] != word_i[60:55]) begin
      instruction_o.mnemonic       = OpBfly;
      instruction_o.unit           = ClassCompute;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vd1            = word_i[60:55];
      instruction_o.vs             = word_i[17:12];
      instruction_o.vt             = word_i[11:6];
      instruction_o.vt1            = word_i[54:49];
      instruction_o.rm             = word_i[5:0];
      instruction_o.form           = form_e'(word_i[61]);
      instruction_o.writes_vd      = 1'b1;
      instruction_o.writes_vd1     = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_vt       = 1'b1;
      instruction_o.reads_vt1      = 1'b1;
      instruction_o.reads_modulus  = 1'b1;
    end else if ((word_i & VaddsMask) == VaddsPattern) begin
      instruction_o.mnemonic       = OpVadds;
      instruction_o.unit           = ClassCompute;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vs             = word_i[17:12];
      instruction_o.rt             = word_i[11:6];
      instruction_o.rm             = word_i[5:0];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_scalar   = 1'b1;
      instruction_o.reads_modulus  = 1'b1;
    end else if ((word_i & VsubsMask) == VsubsPattern) begin
      instruction_o.mnemonic       = OpVsubs;
      instruction_o.unit           = ClassCompute;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vs             = word_i[17:12];
      instruction_o.rt             = word_i[11:6];
      instruction_o.rm             = word_i[5:0];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_scalar   = 1'b1;
      instruction_o.reads_modulus  = 1'b1;
    end else if ((word_i & VmulsMask) == VmulsPattern) begin
      instruction_o.mnemonic       = OpVmuls;
      instruction_o.unit           = ClassCompute;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vs             = word_i[17:12];
      instruction_o.rt             = word_i[11:6];
      instruction_o.rm             = word_i[5:0];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_scalar   = 1'b1;
      instruction_o.reads_modulus  = 1'b1;
    end else if ((word_i & VbcastMask) == VbcastPattern) begin
      instruction_o.mnemonic       = OpVbcast;
      instruction_o.unit           = ClassCompute;
      instruction_o.vd             = word_i[23:18];
      instruction_o.rt             = word_i[11:6];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_scalar   = 1'b1;
    end else if ((word_i & UnpkloMask) == UnpkloPattern) begin
      instruction_o.mnemonic       = OpUnpklo;
      instruction_o.unit           = ClassShuffle;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vs             = word_i[17:12];
      instruction_o.vt             = word_i[11:6];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_vt       = 1'b1;
    end else if ((word_i & UnpkhiMask) == UnpkhiPattern) begin
      instruction_o.mnemonic       = OpUnpkhi;
      instruction_o.unit           = ClassShuffle;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vs             = word_i[17:12];
      instruction_o.vt             = word_i[11:6];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_vt       = 1'b1;
    end else if ((word_i & PkloMask) == PkloPattern) begin
      instruction_o.mnemonic       = OpPklo;
      instruction_o.unit           = ClassShuffle;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vs             = word_i[17:12];
      instruction_o.vt             = word_i[11:6];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_vt       = 1'b1;
    end else if ((word_i & PkhiMask) == PkhiPattern) begin
      instruction_o.mnemonic       = OpPkhi;
      instruction_o.unit           = ClassShuffle;
      instruction_o.vd             = word_i[23:18];
      instruction_o.vs             = word_i[17:12];
      instruction_o.vt             = word_i[11:6];
      instruction_o.writes_vd      = 1'b1;
      instruction_o.reads_vs       = 1'b1;
      instruction_o.reads_vt       = 1'b1;
    end else begin
      illegal_o = 1'b1;
    end
  end

endmodule
