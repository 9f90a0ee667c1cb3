"""The instructions of `spec/host/instructions.toml`, for who decodes them."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from ..toolchain import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Instruction:
    """Its funct3, and how often it takes the multiplier."""

    name: str
    funct3: int
    passes: int
    summary: str


FILE = ROOT / "spec" / "host" / "instructions.toml"
_SPEC = tomllib.loads(FILE.read_text())
OPCODE: int = _SPEC["opcode"]
REGISTERS: dict[str, int] = {each["name"]: each["address"] for each in _SPEC["register"]}
ALL = [Instruction(**each) for each in _SPEC["instruction"]]
