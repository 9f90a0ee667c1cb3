// Generated from spec/rpu/isa.toml; `cargo run -p ringwright-target-rpu --example generate_isa`
// makes it again.

/// Splits a word of instruction memory into the operands of an instruction.
///
/// Combinational. An operand that the instruction does not have is 0, and so is every bit of
/// `decoded_o` where `legal_o` is not set: the opcode is none (0 is none: an empty memory traps),
/// a bit that the instruction does not use is not 0, a mode or VALUE does not exist, or two
/// destinations are one.
module rpu_decoder (
    input  logic [rpu_isa_pkg::InstructionWidth-1:0] instruction_i,
    output rpu_isa_pkg::decoded_t                    decoded_o,
    output logic                                     legal_o
);
  import rpu_isa_pkg::*;

  always_comb begin
    decoded_o = '0;
    legal_o   = 1'b1;
    if ((instruction_i & VloadMask) == VloadPattern &&
        (instruction_i[13:12] != ModeLinear || instruction_i[10:6] == '0)) begin
      decoded_o.op             = OpVload;
      decoded_o.class_id       = ClassLoadStore;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.rm             = instruction_i[5:0];
      decoded_o.address        = instruction_i[43:24];
      decoded_o.mode           = mode_e'(instruction_i[13:12]);
      decoded_o.value          = instruction_i[10:6];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_address  = 1'b1;
    end else if ((instruction_i & VstoreMask) == VstorePattern &&
        (instruction_i[13:12] != ModeLinear || instruction_i[10:6] == '0)) begin
      decoded_o.op             = OpVstore;
      decoded_o.class_id       = ClassLoadStore;
      decoded_o.vs             = instruction_i[23:18];
      decoded_o.rm             = instruction_i[5:0];
      decoded_o.address        = instruction_i[43:24];
      decoded_o.mode           = mode_e'(instruction_i[13:12]);
      decoded_o.value          = instruction_i[10:6];
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_address  = 1'b1;
    end else if ((instruction_i & SloadMask) == SloadPattern) begin
      decoded_o.op             = OpSload;
      decoded_o.class_id       = ClassLoadStore;
      decoded_o.rt             = instruction_i[11:6];
      decoded_o.address        = instruction_i[43:24];
      decoded_o.writes_scalar  = 1'b1;
    end else if ((instruction_i & MloadMask) == MloadPattern) begin
      decoded_o.op             = OpMload;
      decoded_o.class_id       = ClassLoadStore;
      decoded_o.rt             = instruction_i[11:6];
      decoded_o.address        = instruction_i[43:24];
      decoded_o.writes_modulus = 1'b1;
    end else if ((instruction_i & AloadMask) == AloadPattern) begin
      decoded_o.op             = OpAload;
      decoded_o.class_id       = ClassLoadStore;
      decoded_o.rt             = instruction_i[11:6];
      decoded_o.address        = instruction_i[43:24];
      decoded_o.writes_address = 1'b1;
    end else if ((instruction_i & VaddMask) == VaddPattern) begin
      decoded_o.op             = OpVadd;
      decoded_o.class_id       = ClassCompute;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.vt             = instruction_i[11:6];
      decoded_o.rm             = instruction_i[5:0];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_vt       = 1'b1;
      decoded_o.reads_modulus  = 1'b1;
    end else if ((instruction_i & VsubMask) == VsubPattern) begin
      decoded_o.op             = OpVsub;
      decoded_o.class_id       = ClassCompute;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.vt             = instruction_i[11:6];
      decoded_o.rm             = instruction_i[5:0];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_vt       = 1'b1;
      decoded_o.reads_modulus  = 1'b1;
    end else if ((instruction_i & VmulMask) == VmulPattern) begin
      decoded_o.op             = OpVmul;
      decoded_o.class_id       = ClassCompute;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.vt             = instruction_i[11:6];
      decoded_o.rm             = instruction_i[5:0];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_vt       = 1'b1;
      decoded_o.reads_modulus  = 1'b1;
    end else if ((instruction_i & BflyMask) == BflyPattern &&
        instruction_i[23:18] != instruction_i[60:55]) begin
      decoded_o.op             = OpBfly;
      decoded_o.class_id       = ClassCompute;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vd1            = instruction_i[60:55];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.vt             = instruction_i[11:6];
      decoded_o.vt1            = instruction_i[54:49];
      decoded_o.rm             = instruction_i[5:0];
      decoded_o.gentleman_sande = instruction_i[61];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.writes_vd1     = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_vt       = 1'b1;
      decoded_o.reads_vt1      = 1'b1;
      decoded_o.reads_modulus  = 1'b1;
    end else if ((instruction_i & VaddsMask) == VaddsPattern) begin
      decoded_o.op             = OpVadds;
      decoded_o.class_id       = ClassCompute;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.rt             = instruction_i[11:6];
      decoded_o.rm             = instruction_i[5:0];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_scalar   = 1'b1;
      decoded_o.reads_modulus  = 1'b1;
    end else if ((instruction_i & VsubsMask) == VsubsPattern) begin
      decoded_o.op             = OpVsubs;
      decoded_o.class_id       = ClassCompute;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.rt             = instruction_i[11:6];
      decoded_o.rm             = instruction_i[5:0];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_scalar   = 1'b1;
      decoded_o.reads_modulus  = 1'b1;
    end else if ((instruction_i & VmulsMask) == VmulsPattern) begin
      decoded_o.op             = OpVmuls;
      decoded_o.class_id       = ClassCompute;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.rt             = instruction_i[11:6];
      decoded_o.rm             = instruction_i[5:0];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_scalar   = 1'b1;
      decoded_o.reads_modulus  = 1'b1;
    end else if ((instruction_i & VbcastMask) == VbcastPattern) begin
      decoded_o.op             = OpVbcast;
      decoded_o.class_id       = ClassCompute;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.rt             = instruction_i[11:6];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_scalar   = 1'b1;
    end else if ((instruction_i & UnpkloMask) == UnpkloPattern) begin
      decoded_o.op             = OpUnpklo;
      decoded_o.class_id       = ClassShuffle;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.vt             = instruction_i[11:6];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_vt       = 1'b1;
    end else if ((instruction_i & UnpkhiMask) == UnpkhiPattern) begin
      decoded_o.op             = OpUnpkhi;
      decoded_o.class_id       = ClassShuffle;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.vt             = instruction_i[11:6];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_vt       = 1'b1;
    end else if ((instruction_i & PkloMask) == PkloPattern) begin
      decoded_o.op             = OpPklo;
      decoded_o.class_id       = ClassShuffle;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.vt             = instruction_i[11:6];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_vt       = 1'b1;
    end else if ((instruction_i & PkhiMask) == PkhiPattern) begin
      decoded_o.op             = OpPkhi;
      decoded_o.class_id       = ClassShuffle;
      decoded_o.vd             = instruction_i[23:18];
      decoded_o.vs             = instruction_i[17:12];
      decoded_o.vt             = instruction_i[11:6];
      decoded_o.writes_vd      = 1'b1;
      decoded_o.reads_vs       = 1'b1;
      decoded_o.reads_vt       = 1'b1;
    end else begin
      legal_o = 1'b0;
    end
  end

endmodule
