//! The tables of the book's chapter on B512.

use crate::isa::tables::{tables, Field, Format, InstructionRow, Kind};
use std::fmt::Write;

/// `docs/b512_instructions.md`.
pub(super) fn tables_of_the_book() -> String {
    let mut out = String::from(
        "<!-- Generated from spec/rpu/isa.toml;
     `cargo run -p ringwright-target-rpu --example generate_isa` makes it again. -->

# B512: tables

Every table of the instruction set, from `spec/rpu/isa.toml`. [B512](b512.md) explains it.

## Registers

| file | text | holds | source |
|---|---|---|---|
",
    );
    for file in &tables().registers {
        let (prefix, last) = (file.prefix, file.count - 1);
        let kind = kind(file.kind);
        let _ = writeln!(
            out,
            "| {kind} | `{prefix}0` to `{prefix}{last}` | {} | {} |",
            file.holds, file.source
        );
    }
    out += "\n## Formats\n\nBits that a format does not name are 0.\n\n| format | fields, high to low |\n|---|---|\n";
    for format in &tables().formats {
        let _ = writeln!(out, "| {} | {} |", format.title, fields(format));
    }
    out += "\n## Fields\n\n| field | bits | source |\n|---|---|---|\n";
    for field in &tables().fields {
        let (name, range) = (&field.name, field.range());
        let _ = writeln!(out, "| {name} | {range} | {} |", field.source);
    }
    out += "\n## Instructions\n\n| text | opcode | does | source |\n|---|---|---|---|\n";
    for row in &tables().instructions {
        let (text, opcode) = (text(row), selection(row));
        let _ = writeln!(
            out,
            "| `{text}` | {opcode} | {} | {} |",
            row.semantics, row.source
        );
    }
    out += "\n## Addressing modes\n\n| text | code | element i of the vector | source |\n|---|---|---|---|\n";
    for mode in &tables().modes {
        let value = if mode.value { " VALUE" } else { "" };
        let (name, code) = (&mode.name, mode.code);
        let _ = writeln!(
            out,
            "| `{name}{value}` | {code} | {} | {} |",
            mode.semantics, mode.source
        );
    }
    out += "\n## Forms of the butterfly\n\n| text | code | form | source |\n|---|---|---|---|\n";
    for form in &tables().forms {
        let (name, code) = (&form.name, form.code);
        let _ = writeln!(
            out,
            "| `{name}` | {code} | {} | {} |",
            form.title, form.source
        );
    }
    out
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Vector => "vector",
        Kind::Scalar => "scalar",
        Kind::Modulus => "modulus",
        Kind::Address => "address",
        Kind::Number => "number",
        Kind::Mode => "mode",
        Kind::Value => "value",
        Kind::Form => "form",
    }
}

fn fields(format: &Format) -> String {
    let mut fields: Vec<&Field> = format
        .fields
        .iter()
        .filter_map(|f| tables().field(f))
        .collect();
    fields.sort_by_key(|field| std::cmp::Reverse(field.bits[0]));
    let fields = fields.iter().map(|f| format!("{} {}", f.name, f.range()));
    fields.collect::<Vec<_>>().join(", ")
}

/// An instruction as it is written, optional operands in brackets.
fn text(row: &InstructionRow) -> String {
    let mut out = row.mnemonic.clone();
    for (i, operand) in row.operands.iter().enumerate() {
        let comma = if i == 0 { " " } else { ", " };
        out += &match operand.kind {
            Kind::Value => continue,
            Kind::Mode => "[, MODE]".into(),
            Kind::Form => "[, FORM]".into(),
            Kind::Number => format!("{comma}{}", operand.name),
            file => {
                let prefix = tables().file(file).map_or(' ', |file| file.prefix);
                format!("{comma}{prefix}:{}", operand.name)
            }
        };
    }
    out
}

fn selection(row: &InstructionRow) -> String {
    let fixed = row
        .fixed
        .iter()
        .map(|(field, number)| format!(", {field} {number}"));
    fixed.fold(row.opcode.to_string(), |all, one| all + &one)
}
