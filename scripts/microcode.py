"""Makes Medha's package of opcodes and its page of the book from `spec/medha/isa.toml`.

What is made is committed, and a test makes it again and compares.
Usage: microcode.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
SOURCE = "spec/medha/isa.toml"
MADE = f"Made by scripts/microcode.py from {SOURCE}."


def camel(mnemonic: str) -> str:
    """`ntt.first` is `OpNttFirst`."""
    return "Op" + "".join(part.title() for part in mnemonic.split("."))


def width(bits: list[int]) -> int:
    return bits[0] - bits[1] + 1


def span(bits: list[int]) -> str:
    return f"{bits[0]}..{bits[1]}"


def enumerators(prefix: str, rows: list[dict[str, Any]], bits: int) -> list[str]:
    """Of an enumeration, each with what it says."""
    lines = []
    for index, row in enumerate(rows):
        end = "," if index + 1 < len(rows) else ""
        lines.append(f"    // {row['summary']}")
        lines.append(f"    {prefix}{row['name'].title()} = {bits}'d{row['code']}{end}")
    return lines


def package(isa: dict[str, Any]) -> str:
    """The SystemVerilog package: opcodes and both words as types."""
    fields, rows, waits = isa["field"], isa["microinstruction"], isa["wait"]
    commands = isa["command_field"]
    opcode = width(fields[0]["bits"])
    longest = max(len(camel(row["mnemonic"])) for row in rows)
    lines = [
        f"// {MADE}",
        "",
        "/// Microinstructions: opcodes, and both words as types.",
        "package medha_isa_pkg;",
        "  // Each module uses its part of a package.",
        "  /* verilator lint_off UNUSEDPARAM */",
        "",
        f"  localparam int unsigned InstructionWidth = {2 * isa['bits']};",
        f"  localparam int unsigned Waits            = {len(waits)};",
        f"  localparam int unsigned UnitWidth        = {width(waits[0]['unit'])};",
        f"  localparam int unsigned CountWidth       = {width(waits[0]['count'])};",
        "  // Units that can be waited for: lane l is l; NTT core, dyadic core and link of RPAU r",
        "  // are MostLanes + 3 r and on.",
        f"  localparam int unsigned Units            = {1 << width(waits[0]['unit'])};",
        f"  localparam int unsigned MostLanes        = {isa['lanes']};",
        f"  localparam int unsigned MostSlots        = {isa['slots']};",
        "  // Kernels whose entries a stream knows.",
        f"  localparam int unsigned Kernels          = {isa['kernels']};",
        "",
        f"  typedef enum logic [{opcode - 1}:0] {{",
    ]
    for index, row in enumerate(rows):
        lines.append(f"    // {row['summary']}")
        end = "," if index + 1 < len(rows) else ""
        number = f"{opcode}'d{row['opcode']}"
        lines.append(f"    {camel(row['mnemonic']):<{longest}} = {number}{end}")
    number = width(fields[2]["bits"]) - 4
    lines += [
        "  } opcode_e;",
        "",
        "  // Where a tower is in an RPAU: a slot of a memory, or the one that the table names.",
        "  typedef struct packed {",
        "    logic       argument;",
        "    logic [2:0] bank;",
        f"    logic [{number - 1}:0] number;",
        "  } slot_t;",
        "",
        "  // The first word.",
        "  typedef struct packed {",
        "    opcode_e opcode;",
    ]
    for row in fields[1:]:
        is_slot = row["name"] in "abcd"
        kind = "slot_t" if is_slot else f"logic [{width(row['bits']) - 1}:0]"
        lines.append(f"    {kind} {row['name']};  // {row['summary']}")
    lines += [
        "  } micro_t;",
        "",
        "  // What must have ended: so many of a unit's.",
        "  typedef struct packed {",
        "    logic [UnitWidth-1:0]  unit;",
        "    logic [CountWidth-1:0] count;",
        "  } wait_t;",
        "",
        "  // What the host's list tells the device.",
        f"  typedef enum logic [{width(commands[0]['bits']) - 1}:0] {{",
    ]
    lines += enumerators("Command", isa["command"], width(commands[0]["bits"]))
    lines += [
        "  } command_e;",
        "",
        "  // Tables of an RPAU; a lane has the first three.",
        f"  typedef enum logic [{width(commands[2]['bits']) - 1}:0] {{",
    ]
    lines += enumerators("Table", isa["table"], width(commands[2]["bits"]))
    lines += [
        "  } table_e;",
        "",
        "  // The first word of a command.",
        "  typedef struct packed {",
    ]
    top = 64
    for row in reversed(commands):
        assert row["bits"][0] < top
        if top - row["bits"][0] > 1:
            lines.append(f"    logic [{top - row['bits'][0] - 2}:0] unused{row['bits'][0]};")
        top = row["bits"][1]
        kind = {"kind": "command_e", "which": "table_e"}.get(row["name"])
        kind = kind or f"logic [{width(row['bits']) - 1}:0]"
        lines.append(f"    {kind} {row['name']};  // {row['summary']}")
    lines += [
        "  } command_t;",
        "",
        "  // Both words.",
        "  typedef struct packed {",
        "    micro_t            micro;",
        "    logic              unused;",
        "    wait_t [Waits-1:0] waits;",
        "  } instruction_t;",
        "",
        "  /* verilator lint_on UNUSEDPARAM */",
        "endpackage",
    ]
    return "\n".join(lines) + "\n"


def page(isa: dict[str, Any]) -> str:
    """The page of the book."""
    lines = [
        f"<!-- {MADE} -->",
        "# Medha's microcode",
        "",
        "Every core, link and DMA lane takes a stream of microinstructions, in order. One is two",
        f"words of {isa['bits']} bits. The first says what to do:",
        "",
        "| field | bits | holds |",
        "|---|---|---|",
    ]
    lines += [f"| {row['name']} | {span(row['bits'])} | {row['summary']} |" for row in isa["field"]]
    lines += [
        "",
        "A slot (`a`, `b`, `c`, `d`) is a bit that says whether the call's table names it, three",
        "bits of memory and a number.",
        "",
        "| code | memory | |",
        "|--:|---|---|",
    ]
    lines += [f"| {row['code']} | `{row['name']}` | {row['summary']} |" for row in isa["memory"]]
    lines += [
        "",
        "The second word says what is waited for: how many of which units must have ended. Lane l",
        "is unit l; NTT core, dyadic core and link of RPAU r are units 4 + 3 r and on.",
        "",
        "| wait | unit | count |",
        "|---|---|---|",
    ]
    lines += [
        f"| {row['name']} | {span(row['unit'])} | {span(row['count'])} |" for row in isa["wait"]
    ]
    lines += ["", "| opcode | | stream | operands | |", "|--:|---|---|---|---|"]
    lines += [
        f"| {row['opcode']} | `{row['mnemonic']}` | {row['unit']} "
        f"| {', '.join(row['operands'])} | {row['summary']} |"
        for row in isa["microinstruction"]
    ]
    lines += [
        "",
        "As text a stream has a microinstruction a line, and behind it what it waits for, unit and",
        "count:",
        "",
        "```text",
        "mul m2[0], m2[arg 2], m3[arg 6]",
        "intt.first m0[0], m2[0] after 8:1",
        "intt.rest m0[0]",
        "stop",
        "```",
        "",
        "## What the host hands over",
        "",
        "A program is a list of beats of 128 bits in memory: commands, some with entries behind",
        "them, a beat each.",
        "",
        "| field | bits | holds |",
        "|---|---|---|",
    ]
    lines += [
        f"| {row['name']} | {span(row['bits'])} | {row['summary']} |"
        for row in isa["command_field"]
    ]
    for title, rows in (("command", isa["command"]), ("table", isa["table"])):
        lines += ["", f"| code | {title} | |", "|--:|---|---|"]
        lines += [f"| {row['code']} | `{row['name']}` | {row['summary']} |" for row in rows]
    return "\n".join(lines) + "\n"


def made() -> dict[str, str]:
    """Path -> text."""
    isa = tomllib.loads((ROOT / SOURCE).read_text())
    return {
        "hw/medha/rtl/medha_isa_pkg.sv": package(isa),
        "docs/medha_microcode.md": page(isa),
    }


if __name__ == "__main__":
    for path, text in made().items():
        (ROOT / path).write_text(text)
        print(path)
