"""What is changed in BlackParrot's sources: texts that stand in a file once, and their successors.

The decoder learns Zmmul and our instructions, whose numbers `spec/host/instructions.toml` has; the
softcore gets an interrupt pin. Our instructions take the multiplier (`multiply_pipe`), and the
place of those of floating point, which this core lacks: their results come where loads have theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import instructions


@dataclass(frozen=True)
class Edit:
    """A text of a file of the package, there once, and what takes its place."""

    file: str
    old: str
    new: str


def _behind(file: str, old: str, added: str) -> Edit:
    return Edit(file, old, old + added)


_DECODER = "bp_be_instr_decoder.v"
_SCHEDULER = "bp_be_scheduler.v"
_CALCULATOR = "bp_be_calculator_top.v"
_DETECTOR = "bp_be_detector.v"
_REGISTERS = "bp_be_csr.v"
_MEMORY = "bp_be_mem_top.v"
_BACK_END = "bp_be_top.v"
_SOFTCORE = "bp_softcore.v"

_OPCODE = f"7'b{instructions.OPCODE:07b}"
#: Of `multiply_pkg::operation_e`: RISC-V's come first.
_FIRST = 4
_MODULUS, _RECIPROCAL = (
    f"12'h{instructions.REGISTERS[name]:03x}" for name in ("modulus", "reciprocal")
)


def _decoded(instruction: instructions.Instruction) -> str:
    """One that takes the multiplier twice says so by writing a register for floating point, too."""
    return f"""
            3'd{instruction.funct3}: begin
              decode.fu_op   = bp_be_fu_op_s'(5'd{_FIRST + instruction.funct3});
              decode.frf_w_v = 1'b{int(instruction.passes > 1)};
            end"""


_ZMMUL = [
    _behind(
        _DECODER,
        "            `RV64_AND             : decode.fu_op = e_int_op_and;\n",
        """\
            32'b0000001?_????????_?0??????_????????: begin
              decode.pipe_int_v = 1'b0;
              decode.pipe_mul_v = 1'b1;
              decode.fu_op = bp_be_fu_op_s'(instr[13:12]);
              illegal_instr = decode.opw_v & (instr[13:12] != 2'b00);
            end
""",
    ),
]
_INTERRUPT = [
    _behind(
        _SOFTCORE,
        "   , input                                             reset_i\n",
        "   , input                                             external_irq_i\n",
    ),
    Edit(
        _SOFTCORE,
        ",.external_irq_i(external_irq_li)",
        ",.external_irq_i(external_irq_i)",
    ),
]
_INSTRUCTIONS = [
    Edit(
        _DECODER,
        "      `RV64_LUI_OP : \n",
        f"""\
      {_OPCODE} :
        begin
          decode.pipe_fp_v = 1'b1;
          decode.irf_w_v   = 1'b1;
          unique case (instr[14:12]){"".join(map(_decoded, instructions.ALL))}
            default: illegal_instr = 1'b1;
          endcase
          if (instr[31:25] != '0) illegal_instr = 1'b1;
        end
      `RV64_LUI_OP :
""",
    ),
    Edit(
        _SCHEDULER,
        "          `RV64_BRANCH_OP, `RV64_STORE_OP, `RV64_OP_OP, `RV64_OP_32_OP, `RV64_AMO_OP: \n",
        "          `RV64_BRANCH_OP, `RV64_STORE_OP, `RV64_OP_OP, `RV64_OP_32_OP, `RV64_AMO_OP,\n"
        f"          {_OPCODE}:\n",
    ),
    # The multiplier is told what is done, and its third cycle is a load's.
    _behind(
        _CALCULATOR,
        "  , input                               flush_i\n",
        "  , input [dword_width_p-1:0]           modulus_i\n"
        "  , input [dword_width_p-1:0]           reciprocal_i\n",
    ),
    Edit(
        _CALCULATOR,
        "   ,.data_o(pipe_mul_data_lo)\n",
        """\
   ,.valid_i(~exc_stage_n[1].poison_v)
   ,.modulus_i(modulus_i)
   ,.reciprocal_i(reciprocal_i)
   ,.busy_o(pipe_mul_busy_lo)
   ,.data_o(pipe_mul_data_lo)
   ,.residue_o(pipe_mul_residue_lo)
""",
    ),
    _behind(
        _CALCULATOR,
        "logic nop_pipe_result_v;\n",
        "logic [dword_width_p-1:0] pipe_mul_residue_lo;\nlogic pipe_mul_busy_lo;\n",
    ),
    Edit(
        _CALCULATOR,
        "assign pipe_fp_data_lo_v  = calc_stage_r[3].pipe_fp_v;\n",
        "assign pipe_fp_data_lo_v  = 1'b0;\n",
    ),
    Edit(
        _CALCULATOR,
        "assign pipe_mem_data_lo_v = calc_stage_r[2].pipe_mem_v;\n",
        "assign pipe_mem_data_lo_v = calc_stage_r[2].pipe_mem_v | calc_stage_r[2].pipe_fp_v;\n",
    ),
    Edit(
        _CALCULATOR,
        "assign comp_stage_mux_li = {pipe_fp_data_lo, pipe_mem_data_lo,",
        "assign comp_stage_mux_li = {pipe_fp_data_lo,\n"
        "  calc_stage_r[2].pipe_fp_v ? pipe_mul_residue_lo : pipe_mem_data_lo,",
    ),
    Edit(
        _CALCULATOR,
        "        calc_status.dep_status[i].mem_iwb_v = calc_stage_r[i].pipe_mem_v \n",
        "        calc_status.dep_status[i].mem_iwb_v = "
        "(calc_stage_r[i].pipe_mem_v | calc_stage_r[i].pipe_fp_v)\n",
    ),
    _behind(
        _DETECTOR,
        "                   | ~mmu_cmd_ready_i\n",
        "                   | dep_status_li[0].fp_fwb_v\n",
    ),
    # Two registers.
    _behind(
        _REGISTERS,
        "    , output                            mstatus_mxr_o\n",
        "    , output [dword_width_p-1:0]        modulus_o\n"
        "    , output [dword_width_p-1:0]        reciprocal_o\n",
    ),
    _behind(
        _REGISTERS,
        "`declare_csr(dpc)\n",
        """
logic [dword_width_p-1:0] modulus_n, modulus_r, reciprocal_n, reciprocal_r;
bsg_dff_reset
 #(.width_p(2*dword_width_p))
 prime_reg
  (.clk_i(clk_i)
   ,.reset_i(reset_i)
   ,.data_i({reciprocal_n, modulus_n})
   ,.data_o({reciprocal_r, modulus_r})
   );
assign modulus_o    = modulus_r;
assign reciprocal_o = reciprocal_r;
""",
    ),
    _behind(
        _REGISTERS,
        "    dpc_li  = dpc_lo;\n",
        "    modulus_n    = modulus_r;\n    reciprocal_n = reciprocal_r;\n",
    ),
    _behind(
        _REGISTERS,
        "              `CSR_ADDR_DPC: csr_data_lo = dpc_lo;\n",
        f"              {_MODULUS}: csr_data_lo = modulus_r;\n"
        f"              {_RECIPROCAL}: csr_data_lo = reciprocal_r;\n",
    ),
    _behind(
        _REGISTERS,
        "              `CSR_ADDR_DPC: dpc_li = csr_data_li;\n",
        f"              {_MODULUS}: modulus_n = csr_data_li;\n"
        f"              {_RECIPROCAL}: reciprocal_n = csr_data_li;\n",
    ),
    _behind(
        _MEMORY,
        "   , output                                  accept_irq_o\n",
        "   , output [dword_width_p-1:0]              modulus_o\n"
        "   , output [dword_width_p-1:0]              reciprocal_o\n",
    ),
    _behind(
        _MEMORY,
        "   ,.mstatus_mxr_o(mstatus_mxr_lo)\n",
        "   ,.modulus_o(modulus_o)\n   ,.reciprocal_o(reciprocal_o)\n",
    ),
    _behind(
        _BACK_END,
        "logic accept_irq_lo;\n",
        "logic [dword_width_p-1:0] modulus_lo, reciprocal_lo;\n",
    ),
    _behind(
        _BACK_END,
        "   ,.flush_i(flush)\n",
        "   ,.modulus_i(modulus_lo)\n   ,.reciprocal_i(reciprocal_lo)\n",
    ),
    _behind(
        _BACK_END,
        "    ,.accept_irq_o(accept_irq_lo)\n",
        "    ,.modulus_o(modulus_lo)\n    ,.reciprocal_o(reciprocal_lo)\n",
    ),
]
EDITS = [*_ZMMUL, *_INTERRUPT, *_INSTRUCTIONS]
