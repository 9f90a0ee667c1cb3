"""Makes a device's register block from `spec/<device>/regs.toml`.

One file says what registers there are; from it come the SystemVerilog package and module, the C
header and the page of the book. What is made is committed, and a test makes it again and compares.
Usage: registers.py            writes the files of every device that has a regs.toml

Access is by 32-bit words over APB. A register is written or read by the host, never both: what the
hardware would have to echo is one more thing that can differ. `notify` gives the hardware a pulse,
one cycle after a write (with the value) or in the cycle of a read. A `window` is a run of words
that the hardware stores itself.
"""

from __future__ import annotations

import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
WORD_BYTES = 4
WORD_BITS = 32


class SpecError(Exception):
    """A register file that cannot be built; the message names the register."""


@dataclass(frozen=True)
class Field:
    """Bits of a register."""

    name: str
    bits: list[int]
    summary: str
    values: list[dict[str, Any]] = field(default_factory=list)

    @property
    def high(self) -> int:
        return self.bits[0]

    @property
    def low(self) -> int:
        return self.bits[1]

    @property
    def width(self) -> int:
        return self.high - self.low + 1


@dataclass(frozen=True)
class Register:
    """One register, or `count` of them in a row."""

    name: str
    offset: int
    access: str
    summary: str
    field: list[Field]
    count: int = 1
    reset: int = 0
    notify: bool = False
    per_call: bool = False
    per_run: bool = False

    @property
    def words(self) -> int:
        return self.count


@dataclass(frozen=True)
class Window:
    """Words that the hardware stores itself; written by the host."""

    name: str
    offset: int
    words: int
    access: str
    summary: str


@dataclass(frozen=True)
class Device:
    """All registers of a device."""

    name: str
    title: str
    address_bits: int
    registers: list[Register]
    windows: list[Window]

    def accessed(self, access: str) -> list[Register]:
        return [register for register in self.registers if register.access == access]

    @property
    def written(self) -> list[Register]:
        return self.accessed("write")

    @property
    def read(self) -> list[Register]:
        return self.accessed("read")


def load(text: str) -> Device:
    """Reads and checks a register file."""
    raw = tomllib.loads(text)
    registers = [
        Register(**{**entry, "field": [Field(**part) for part in entry["field"]]})
        for entry in raw["register"]
    ]
    windows = [Window(**entry) for entry in raw.get("window", [])]
    device = Device(raw["name"], raw["title"], raw["address_bits"], registers, windows)
    _check_places(device)
    for register in registers:
        _check_fields(register)
    return device


def _check_places(device: Device) -> None:
    end = 0
    for entry in [*device.registers, *device.windows]:
        if entry.offset % WORD_BYTES or entry.offset < end:
            raise SpecError(f"{entry.name}: offset {entry.offset:#x}, allowed is {end:#x} or more")
        if entry.access not in ("read", "write"):
            raise SpecError(f"{entry.name}: access {entry.access!r}, allowed are read and write")
        end = entry.offset + WORD_BYTES * entry.words
    if end > 1 << device.address_bits:
        raise SpecError(f"{device.name}: ends at {end:#x}, beyond {device.address_bits} bits")
    for window in device.windows:
        size = WORD_BYTES * window.words
        if size & (size - 1) or window.offset % size or window.access != "write":
            raise SpecError(f"{window.name}: a window is written, its size a power of two, aligned")


def _check_fields(register: Register) -> None:
    free = (1 << WORD_BITS) - 1
    for part in register.field:
        mask = ((1 << part.width) - 1) << part.low
        if part.low < 0 or part.width < 1 or mask & ~free:
            raise SpecError(f"{register.name}.{part.name}: bits {part.bits} are taken or none")
        free &= ~mask
        if any(value["value"] >> part.width for value in part.values):
            raise SpecError(f"{register.name}.{part.name}: a value exceeds its {part.width} bits")


def camel(name: str) -> str:
    """A name as SystemVerilog's parameters are written."""
    return "".join(word.capitalize() for word in name.split("_"))


def _heading(device: Device, mark: str) -> str:
    made = f"Made by scripts/registers.py from spec/{device.name}/regs.toml."
    return f"{mark} {device.title}: registers.\n{mark} {made}\n"


def _comment(text: str, indent: str = "") -> str:
    head = f"{indent}// "
    return textwrap.fill(text, 100, initial_indent=head, subsequent_indent=head)


def _descending(register: Register) -> list[Field]:
    return sorted(register.field, key=lambda part: -part.low)


def package(device: Device) -> str:
    """The SystemVerilog package: a structure per register, the values of fields."""
    lines = [_heading(device, "//"), f"package {device.name}_regs_pkg;"]
    for register in device.registers:
        for part in register.field:
            if part.values:
                lines += _enumeration(part)
    for register in device.registers:
        lines += ["", _comment(register.summary, "  "), "  typedef struct packed {"]
        for part in _descending(register):
            lines.append(f"    logic {_range(part.width)}{part.name};")
        lines.append(f"  }} {register.name}_t;")
    lines += ["", "  // What the host has written.", *_structure(device.written, "written_t")]
    lines += ["", "  // What the host reads.", *_structure(device.read, "read_t")]
    return "\n".join([*lines, "endpackage", ""])


def _enumeration(part: Field) -> list[str]:
    values = [
        f"    {camel(part.name + '_' + value['name'])} = {part.width}'d{value['value']}"
        for value in part.values
    ]
    head = f"  typedef enum logic [{part.width - 1}:0] {{"
    return [head, ",\n".join(values), f"  }} {part.name}_e;"]


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def _structure(registers: list[Register], name: str) -> list[str]:
    def member(register: Register) -> str:
        many = f" [{register.count - 1}:0]" if register.count > 1 else ""
        return f"    {register.name}_t{many} {register.name};"

    return ["  typedef struct packed {", *map(member, registers), f"  }} {name};"]


def _places(register: Register) -> list[tuple[int, str]]:
    """Offset of each word of a register, and its index as text."""
    if register.count == 1:
        return [(register.offset, "")]
    return [(register.offset + WORD_BYTES * i, f"[{i}]") for i in range(register.count)]


def module(device: Device) -> str:
    """The SystemVerilog module: an APB port in front of the registers."""
    width = device.address_bits
    ports = [
        *("input  logic clk_i", "input  logic rst_ni", "input  logic apb_psel_i"),
        *("input  logic apb_penable_i", "input  logic apb_pwrite_i"),
        f"input  logic [{width - 1}:0] apb_paddr_i",
        *("input  logic [31:0] apb_pwdata_i", "output logic apb_pready_o"),
        *("output logic [31:0] apb_prdata_o", "output logic apb_pslverr_o"),
        *("output written_t written_o", "input  read_t read_i"),
    ]
    ports += [f"output logic {r.name}_notify_o" for r in device.registers if r.notify]
    for window in device.windows:
        index = window.words.bit_length() - 2
        ports += [f"output logic {window.name}_write_o"]
        ports += [f"output logic [{index}:0] {window.name}_index_o"]
        ports += [f"output logic [31:0] {window.name}_data_o"]
    text = [
        '`include "registers.svh"\n',
        _heading(device, "///").rstrip(),
        "///",
        "/// An access takes two cycles (APB without wait states) and is answered with an error",
        "/// where there is no register, or one of the other direction.",
        f"module {device.name}_regs",
        f"  import {device.name}_regs_pkg::*;",
        "(",
        ",\n".join(f"    {port}" for port in ports),
        ");",
        "  logic access, write, read, known_write, known_read;",
        f"  logic [{width - 1}:0] address;",
        "  assign access  = apb_psel_i & apb_penable_i;",
        "  assign write   = access & apb_pwrite_i;",
        "  assign read    = access & ~apb_pwrite_i;",
        f"  assign address = {{apb_paddr_i[{width - 1}:2], 2'b00}};",
        "  assign apb_pready_o  = 1'b1;",
        "  assign apb_pslverr_o = (write & ~known_write) | (read & ~known_read);",
        "",
        *_windows(device),
        *_write_side(device),
        *_read_side(device),
        "  logic unused;",
        "  assign unused = ^{apb_paddr_i[1:0], apb_pwdata_i};",
        "endmodule",
        "",
    ]
    return "\n".join(text)


def _write_side(device: Device) -> list[str]:
    width = device.address_bits
    text = ["  written_t written_d, written_q;", "  assign written_o = written_q;"]
    text += ["  always_comb begin", "    written_d = written_q;", "    known_write = 1'b1;"]
    text += ["    unique case (address)"]
    for register in device.written:
        for offset, index in _places(register):
            text.append(f"      {width}'h{offset:x}: begin")
            for part in register.field:
                target = f"written_d.{register.name}{index}.{part.name}"
                text.append(f"        {target} = apb_pwdata_i[{part.high}:{part.low}];")
            text.append("      end")
    inside = " | ".join(f"{window.name}_inside" for window in device.windows) or "1'b0"
    text += [f"      default: known_write = {inside};", "    endcase", "  end"]
    text += ["  `RW_FFL(written_q, written_d, write, '0)", ""]
    for register in device.written:
        if register.notify:
            name = f"{register.name}_notify"
            hit = f"write && address == {width}'h{register.offset:x}"
            text += [f"  logic {name}_q;", f"  `RW_FF({name}_q, {hit}, 1'b0)"]
            text += [f"  assign {name}_o = {name}_q;", ""]
    return text


def _windows(device: Device) -> list[str]:
    text = []
    for window in device.windows:
        low = (WORD_BYTES * window.words).bit_length() - 1
        high = device.address_bits - 1
        place = f"{high - low + 1}'d{window.offset >> low}"
        text += [
            f"  logic {window.name}_inside;",
            f"  assign {window.name}_inside  = address[{high}:{low}] == {place};",
            f"  assign {window.name}_write_o = write & {window.name}_inside;",
            f"  assign {window.name}_index_o = address[{low - 1}:2];",
            f"  assign {window.name}_data_o  = apb_pwdata_i;",
            "",
        ]
    return text


def _read_side(device: Device) -> list[str]:
    width = device.address_bits
    text = ["  always_comb begin", "    apb_prdata_o = '0;", "    known_read = 1'b1;"]
    text += ["    unique case (address)"]
    for register in device.read:
        for offset, index in _places(register):
            text.append(f"      {width}'h{offset:x}: begin")
            for part in register.field:
                value = f"read_i.{register.name}{index}.{part.name}"
                text.append(f"        apb_prdata_o[{part.high}:{part.low}] = {value};")
            text.append("      end")
    text += ["      default: known_read = 1'b0;", "    endcase", "  end"]
    for register in device.read:
        if register.notify:
            hit = f"read && address == {width}'h{register.offset:x}"
            text.append(f"  assign {register.name}_notify_o = {hit};")
    return text


def header(device: Device) -> str:
    """The C header: offsets, masks and shifts, values."""
    guard = f"RINGWRIGHT_{device.name.upper()}_REGS_H"
    lines = [_heading(device, "//").rstrip(), f"#ifndef {guard}", f"#define {guard}"]
    for entry in [*device.registers, *device.windows]:
        name = f"{device.name}_{entry.name}".upper()
        lines += ["", _comment(entry.summary), f"#define {name}_OFFSET 0x{entry.offset:03x}u"]
        if entry.words > 1:
            lines.append(f"#define {name}_WORDS {entry.words}u")
        for part in getattr(entry, "field", []):
            prefix = f"{name}_{part.name.upper()}"
            lines.append(f"#define {prefix}_SHIFT {part.low}u")
            lines.append(f"#define {prefix}_MASK 0x{(1 << part.width) - 1:x}u")
            lines += [
                f"#define {prefix}_{value['name'].upper()} {value['value']}u"
                for value in part.values
            ]
    return "\n".join([*lines, "", f"#endif  // {guard}", ""])


def page(device: Device) -> str:
    """The table of the book."""
    text = [f"# Registers of {device.name}\n"]
    text.append(
        "32-bit words at byte offsets, over APB. *Call*: written for every call; *run*: for"
    )
    text.append("every run of a program; the rest is set up once.\n")
    text += ["| offset | register | access | written | what it holds |", "|---|---|---|---|---|"]
    for entry in [*device.registers, *device.windows]:
        last = entry.offset + WORD_BYTES * (entry.words - 1)
        place = f"0x{entry.offset:03x}" + (f" .. 0x{last:03x}" if entry.words > 1 else "")
        often = "call" if getattr(entry, "per_call", False) else ""
        often = "run" if getattr(entry, "per_run", False) else often
        text.append(f"| {place} | `{entry.name}` | {entry.access} | {often} | {entry.summary} |")
    text += ["", "| register | bits | field | values |", "|---|---|---|---|"]
    for register in device.registers:
        for part in register.field:
            bits = f"{part.high}:{part.low}" if part.width > 1 else f"{part.low}"
            values = "; ".join(f"{v['value']} `{v['name']}`: {v['summary']}" for v in part.values)
            what = f"{part.summary} {values}".strip()
            text.append(f"| `{register.name}` | {bits} | `{part.name}` | {what} |")
    return "\n".join([*text, ""])


def generated(device: Device) -> dict[str, str]:
    """Path and text of every file that is made."""
    name = device.name
    return {
        f"hw/{name}/rtl/{name}_regs_pkg.sv": package(device),
        f"hw/{name}/rtl/{name}_regs.sv": module(device),
        f"fw/include/{name}_regs.h": header(device),
        f"docs/{name}_registers.md": page(device),
    }


def main() -> None:
    """Writes the files of every device."""
    for spec in sorted((ROOT / "spec").glob("*/regs.toml")):
        for path, text in generated(load(spec.read_text())).items():
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text)


if __name__ == "__main__":
    main()
