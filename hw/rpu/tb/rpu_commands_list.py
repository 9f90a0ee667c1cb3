"""Lists of commands as bytes, by the fields of spec/rpu/commands.toml."""

from __future__ import annotations

import sys

from harness.toolchain import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SPEC = tomllib.loads((ROOT / "spec/rpu/commands.toml").read_text())
BYTES = SPEC["bytes"]
FIELDS = {field["name"]: field["bits"] for field in SPEC["field"]}
KINDS = {kind["name"]: kind["code"] for kind in SPEC["kind"]}
HAS = {kind["name"]: kind["fields"] for kind in SPEC["kind"]}
ERRORS = {error["name"]: error["code"] for error in SPEC["error"]}


def command(kind: str, **fields: int) -> int:
    """A command as a number; what is not named is 0."""
    value = KINDS[kind] << FIELDS["kind"][1]
    for name, number in fields.items():
        assert name in HAS[kind], f"{kind} has no {name}"
        high, low = FIELDS[name]
        assert 0 <= number < 1 << (high - low + 1), f"{name} = {number}"
        value |= number << low
    return value


def damaged(value: int, **fields: int) -> int:
    """The same with other numbers, whether its kind has them or not."""
    for name, number in fields.items():
        high, low = FIELDS[name]
        mask = ((1 << (high - low + 1)) - 1) << low
        value = value & ~mask | number << low
    return value


def unused_bits(kind: str) -> list[int]:
    """The bits that a kind leaves 0."""
    used = set()
    for name in ["kind", *HAS[kind]]:
        high, low = FIELDS[name]
        used |= set(range(low, high + 1))
    return [bit for bit in range(8 * BYTES) if bit not in used]
