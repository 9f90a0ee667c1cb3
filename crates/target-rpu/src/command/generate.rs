//! What is made from `spec/rpu/commands.toml` and committed: the SystemVerilog package and the tables of
//! the book.

use super::tables::{tables, Field, KindRow};
use crate::isa::Generated;
use std::fmt::Write;

/// Every generated file.
pub fn generated() -> Vec<Generated> {
    let file = |path, text| Generated { path, text };
    vec![
        file("hw/rpu/rtl/rpu_command_pkg.sv", package()),
        file("docs/rpu_commands.md", tables_of_the_book()),
    ]
}

fn bits() -> u32 {
    8 * tables().bytes as u32
}

/// Fields from high to low, with the bits between them.
fn stretches() -> Vec<(String, [u32; 2])> {
    let mut fields: Vec<&Field> = tables().fields.iter().collect();
    fields.sort_by_key(|field| std::cmp::Reverse(field.bits[0]));
    let (mut stretches, mut above) = (Vec::new(), bits());
    for field in fields {
        let [high, low] = field.bits;
        if high + 1 < above {
            let name = format!("reserved_{}", high + 1);
            stretches.push((name, [above - 1, high + 1]));
        }
        stretches.push((field.name.clone(), field.bits));
        above = low;
    }
    if above > 0 {
        stretches.push(("reserved_0".to_owned(), [above - 1, 0]));
    }
    stretches
}

fn camel(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(word).collect()
}

/// The bits of a kind, as a number.
fn mask(row: &KindRow) -> String {
    let digit = |digit: u32| {
        let set = (0..4).filter(|bit| row.has(4 * digit + bit));
        let value: u32 = set.map(|bit| 1 << bit).sum();
        char::from_digit(value, 16).unwrap_or('0')
    };
    let digits: Vec<char> = (0..bits() / 4).rev().map(digit).collect();
    let groups: Vec<String> = digits
        .chunks(8)
        .map(|group| group.iter().collect())
        .collect();
    groups.join("_")
}

fn package() -> String {
    let mut out = format!(
        "// Generated from spec/rpu/commands.toml; `cargo run -p ringwright-target-rpu --example
// generate_isa` makes it again.

/// Commands of the device as they lie in off-chip memory, and what the error register says.
package rpu_command_pkg;
  // Each module uses its part of a package.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned CommandBytes  = {};
  localparam int unsigned CommandWidth  = {};
  localparam int unsigned ListAlignment = {};
  localparam int unsigned AddressWidth  = {};

  typedef enum logic [3:0] {{
",
        tables().bytes,
        bits(),
        tables().list_alignment,
        tables().field("address").bits[0] - tables().field("address").bits[1] + 1,
    );
    let kinds = tables().kinds.iter();
    let kinds = kinds.map(|row| format!("    Command{} = 4'd{}", camel(&row.name), row.code));
    out += &kinds.collect::<Vec<_>>().join(",\n");
    out += "\n  } kind_e;\n\n  typedef enum logic [3:0] {\n";
    let errors = tables().errors.iter();
    let errors = errors.map(|row| format!("    Error{} = 4'd{}", camel(&row.name), row.code));
    out += &errors.collect::<Vec<_>>().join(",\n");
    out += "\n  } error_e;\n\n  typedef struct packed {\n";
    for (name, [high, low]) in stretches() {
        let _ = writeln!(out, "    logic [{}:0] {name};", high - low);
    }
    out += "  } command_t;

  /// The bits that a kind has; none for what is no kind.
  function automatic logic [CommandWidth-1:0] bits_of(logic [3:0] kind);
    unique case (kind)
";
    for row in &tables().kinds {
        let (name, mask) = (camel(&row.name), mask(row));
        let _ = writeln!(out, "      Command{name}: return {}'h{mask};", bits());
    }
    out += "      default: return '0;
    endcase
  endfunction

  /* verilator lint_on UNUSEDPARAM */
endpackage
";
    out
}

fn tables_of_the_book() -> String {
    let mut out = format!(
        "<!-- Generated from spec/rpu/commands.toml;
     `cargo run -p ringwright-target-rpu --example generate_isa` makes it again. -->

# The RPU's list of commands: tables

A command is {} bytes in off-chip memory, little-endian; a list begins at a multiple of {} bytes. [The RPU in
RTL](rpu_rtl.md) says how the device works through it.

## Kinds

| code | kind | does | fields |
|---|---|---|---|
",
        tables().bytes,
        tables().list_alignment
    );
    for row in &tables().kinds {
        let fields = row.fields.iter().map(|name| format!("`{name}`"));
        let fields: Vec<String> = fields.collect();
        let (code, name, fields) = (row.code, &row.name, fields.join(", "));
        let _ = writeln!(out, "| {code} | `{name}` | {} | {fields} |", row.summary);
    }
    out += "\n## Fields\n\nBits that a kind does not have are 0.\n\n| bits | field | what it holds |\n|---|---|---|\n";
    for field in &tables().fields {
        let range = match field.bits {
            [high, low] if high == low => high.to_string(),
            [high, low] => format!("{high}:{low}"),
        };
        let _ = writeln!(out, "| {range} | `{}` | {} |", field.name, field.summary);
    }
    out += "\n## Errors\n\nWhat the register `error` says.\n\n| code | error | what has happened |\n|---|---|---|\n";
    for row in &tables().errors {
        let _ = writeln!(out, "| {} | `{}` | {} |", row.code, row.name, row.summary);
    }
    out
}
