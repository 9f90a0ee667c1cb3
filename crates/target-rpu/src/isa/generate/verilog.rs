//! The SystemVerilog package and decoder.
//!
//! An instruction is recognised by a mask and a pattern: opcode, fixed fields, and zeros in all bits
//! that none of its operands uses. What a mask cannot say stands beside it: that the linear mode has
//! no VALUE, that two destinations differ.

use crate::isa::tables::{tables, Access, InstructionRow, Kind, Operand};
use crate::isa::Mode;
use std::fmt::Write;

const NOTE: &str = "// Generated from spec/rpu/isa.toml; `cargo run -p ringwright-target-rpu --example generate_isa`
// makes it again.
";

/// What the decoder says, besides operands: one bit each, kind and access of a register operand.
const USES: [(&str, &str, Kind, Access); 11] = [
    ("writes_vd", "vd", Kind::Vector, Access::Write),
    ("writes_vd1", "vd1", Kind::Vector, Access::Write),
    ("reads_vs", "vs", Kind::Vector, Access::Read),
    ("reads_vt", "vt", Kind::Vector, Access::Read),
    ("reads_vt1", "vt1", Kind::Vector, Access::Read),
    ("reads_scalar", "rt", Kind::Scalar, Access::Read),
    ("reads_modulus", "rm", Kind::Modulus, Access::Read),
    ("reads_address", "rm", Kind::Address, Access::Read),
    ("writes_scalar", "rt", Kind::Scalar, Access::Write),
    ("writes_modulus", "rt", Kind::Modulus, Access::Write),
    ("writes_address", "rt", Kind::Address, Access::Write),
];

/// `rpu_isa_pkg.sv`.
pub(super) fn package() -> String {
    let registers = tables().registers.iter().map(|file| file.count).max();
    let registers = registers.unwrap_or(0);
    let address = tables().field("offset").map_or(0, |field| field.width());
    let value = u64::from(Mode::MAX_VALUE);
    let mut out = format!(
        "{NOTE}
/// B512: operands, classes and modes as types, and the pattern of each instruction.
package rpu_isa_pkg;
  // Each module uses its part of a package.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned InstructionWidth = {};
  localparam int unsigned NumRegisters     = {registers};
  localparam int unsigned RegisterWidth    = $clog2(NumRegisters);
  localparam int unsigned AddressWidth     = {address};
  localparam int unsigned ValueWidth       = {};

",
        tables().bits,
        bits_for(value),
    );
    out += &enumeration("class_e", "The queue and pipe.", "Class", &classes());
    let modes = tables().modes.iter().map(|mode| mode.name.clone());
    out += &enumeration(
        "mode_e",
        "Addressing modes.",
        "Mode",
        &modes.collect::<Vec<_>>(),
    );
    let names = tables().instructions.iter().map(|row| row.mnemonic.clone());
    out += &enumeration("op_e", "Instructions.", "Op", &names.collect::<Vec<_>>());
    out += &structure();
    for row in &tables().instructions {
        let name = camel(&row.mnemonic);
        let (mask, pattern) = mask_and_pattern(row);
        let _ = writeln!(
            out,
            "  localparam logic [InstructionWidth-1:0] {name}Mask    = 64'h{mask:016x};"
        );
        let _ = writeln!(
            out,
            "  localparam logic [InstructionWidth-1:0] {name}Pattern = 64'h{pattern:016x};"
        );
    }
    out + "\n  /* verilator lint_on UNUSEDPARAM */\nendpackage\n"
}

/// `rpu_decoder.sv`.
pub(super) fn decoder() -> String {
    let mut out = format!(
        "{NOTE}
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
"
    );
    for (i, row) in tables().instructions.iter().enumerate() {
        let name = camel(&row.mnemonic);
        let open = if i == 0 { "    if" } else { " else if" };
        let _ = writeln!(out, "{open} ({}) begin", condition(row, &name));
        let _ = writeln!(out, "      decoded_o.op             = Op{name};");
        let _ = writeln!(
            out,
            "      decoded_o.class_id       = Class{};",
            camel(&row.class)
        );
        for operand in &row.operands {
            let member = format!("decoded_o.{}", member(operand));
            let _ = writeln!(out, "      {member:<24} = {};", taken(operand));
        }
        for (flag, name, kind, access) in USES {
            let used = row.operands.iter();
            if used
                .clone()
                .any(|o| o.name == name && o.kind == kind && o.access == Some(access))
            {
                let flag = format!("decoded_o.{flag}");
                let _ = writeln!(out, "      {flag:<24} = 1'b1;");
            }
        }
        out += "    end";
    }
    out + " else begin
      legal_o = 1'b0;
    end
  end

endmodule
"
}

/// The member of the structure that holds an operand.
fn member(operand: &Operand) -> &str {
    match operand.kind {
        Kind::Number => "address",
        Kind::Form => "gentleman_sande",
        _ => &operand.name,
    }
}

fn structure() -> String {
    let mut out = String::from(
        "  /// An instruction as the front end sees it. `address` is also the OFFSET of a vector load or store.
  typedef struct packed {
    op_e                      op;
    class_e                   class_id;
",
    );
    let members = [
        ("logic [RegisterWidth-1:0]", "vd"),
        ("logic [RegisterWidth-1:0]", "vd1"),
        ("logic [RegisterWidth-1:0]", "vs"),
        ("logic [RegisterWidth-1:0]", "vt"),
        ("logic [RegisterWidth-1:0]", "vt1"),
        ("logic [RegisterWidth-1:0]", "rt"),
        ("logic [RegisterWidth-1:0]", "rm"),
        ("logic [AddressWidth-1:0]", "address"),
        ("mode_e", "mode"),
        ("logic [ValueWidth-1:0]", "value"),
        ("logic", "gentleman_sande"),
    ];
    let flags = USES.iter().map(|&(flag, ..)| ("logic", flag));
    for (kind, name) in members.into_iter().chain(flags) {
        let _ = writeln!(out, "    {kind:<25} {name};");
    }
    out + "  } decoded_t;\n\n"
}

fn enumeration(name: &str, title: &str, prefix: &str, words: &[String]) -> String {
    let width = bits_for(words.len() as u64 - 1);
    let range = format!("logic [{}:0]", width - 1);
    let mut out = format!("  /// {title}\n  typedef enum {range} {{\n");
    for (i, word) in words.iter().enumerate() {
        let comma = if i + 1 < words.len() { "," } else { "" };
        let word = format!("{prefix}{}", camel(word));
        let _ = writeln!(out, "    {word:<14} = {width}'d{i}{comma}");
    }
    let _ = writeln!(out, "  }} {name};\n");
    out
}

fn classes() -> Vec<String> {
    let mut classes: Vec<String> = Vec::new();
    for row in &tables().instructions {
        if !classes.contains(&row.class) {
            classes.push(row.class.clone());
        }
    }
    classes
}

/// Bits that must have one value, and that value.
fn mask_and_pattern(row: &InstructionRow) -> (u64, u64) {
    let put = |field: &str, number| tables().field(field).map_or(0, |f| f.put(number));
    let fixed = row.fixed.iter().map(|(field, &number)| put(field, number));
    let pattern = fixed.fold(put("opcode", row.opcode), |word, bits| word | bits);
    let free = row.operands.iter();
    let free = free.map(|operand| put(operand.field(), (1 << width(operand)) - 1));
    (!free.fold(0, |word, bits| word | bits), pattern)
}

/// Bits of a field that its operand needs.
fn width(operand: &Operand) -> u32 {
    match operand.kind {
        Kind::Mode => bits_for(tables().modes.len() as u64 - 1),
        Kind::Form => bits_for(tables().forms.len() as u64 - 1),
        Kind::Value => bits_for(Mode::MAX_VALUE.into()),
        _ => tables().field(operand.field()).map_or(0, |f| f.width()),
    }
}

fn condition(row: &InstructionRow, name: &str) -> String {
    let mut all = vec![format!("(instruction_i & {name}Mask) == {name}Pattern")];
    let bits = |name: &str| row.operand(name).map(slice).unwrap_or_default();
    if row.operand("mode").is_some() {
        let valueless = tables().modes.iter().filter(|mode| !mode.value);
        for mode in valueless {
            let mode = format!("Mode{}", camel(&mode.name));
            all.push(format!(
                "({} != {mode} || {} == '0)",
                bits("mode"),
                bits("value")
            ));
        }
    }
    if let Some([first, second]) = &row.distinct {
        all.push(format!("{} != {}", bits(first), bits(second)));
    }
    all.join(" &&\n        ")
}

/// The bits of an operand.
fn slice(operand: &Operand) -> String {
    let low = tables().field(operand.field()).map_or(0, |f| f.bits[1]);
    match width(operand) {
        1 => format!("instruction_i[{low}]"),
        width => format!("instruction_i[{}:{low}]", low + width - 1),
    }
}

fn taken(operand: &Operand) -> String {
    match operand.kind {
        Kind::Mode => format!("mode_e'({})", slice(operand)),
        _ => slice(operand),
    }
}

/// Bits that hold the numbers to `max`.
fn bits_for(max: u64) -> u32 {
    (u64::BITS - max.leading_zeros()).max(1)
}

/// `load_store` as `LoadStore`.
fn camel(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split('_').map(word).collect()
}
