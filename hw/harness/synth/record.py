"""Blocks, what is recorded of them, what papers print: the data of `spec/silicon`.

A recorded point carries a key, the hash of all that decided it: sources without comments, the
parameters, flow and library. A point whose key no longer fits is stale, and says so.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from harness.sources import Parameters, closure, includes
from harness.toolchain import ROOT

from . import flow, power
from .flow import Synthesised

if TYPE_CHECKING:
    from pathlib import Path

    from .power import Held

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = ROOT / "spec" / "silicon"
RECORD = FOLDER / "synthesised.toml"
PROVENANCE = "synthesised"
_HEADER = """\
# What `make synth` found; do not edit. Areas in square micrometres of ASAP7 cells before placement,
# path in picoseconds at 0.7 V, 25 degrees, typical, setup included, wires guessed; energy in
# picojoules of an operation on random operands, without glitches and the clock's tree. docs/rtl.md.
"""


@dataclass(frozen=True)
class Block:
    """A module, the parameters that `--width` and `--stages` set, the points that are recorded.

    `without`: modules inside that have an entry of their own; `energy`: inputs that an operation
    holds, at a bit or as they are first (`power.KEPT`), without it no energy is measured;
    `variants`, `terms`, `path_terms` are for those who estimate other points (`crates/silicon`).
    """

    name: str
    width: str | None = None
    stages: str | None = None
    points: list[Parameters] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    energy: Held | None = None
    variants: list[str] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    path_terms: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Point:
    """A block with parameters, mapped; `key` says from what."""

    block: str
    parameters: Parameters
    result: Synthesised
    key: str

    @property
    def stale(self) -> bool:
        """The sources, the flow or the library changed since."""
        return self.key != key(self.block, self.parameters)


@dataclass(frozen=True)
class Published:
    """An area range in GF 12 nm that a paper prints or implies."""

    block: str
    width: int
    square_micrometres: tuple[float, float]
    source: str


def blocks() -> dict[str, Block]:
    """The blocks of `blocks.toml`."""
    return {b["name"]: Block(**b) for b in read(FOLDER / "blocks.toml")["block"]}


def block(name: str) -> Block:
    """A block of the table, or any other module."""
    return blocks().get(name, Block(name))


def published(name: str, parameters: Parameters) -> list[Published]:
    """What papers print about a block of this width."""
    width = block(name).width
    found = [
        Published(**{**entry, "square_micrometres": tuple(entry["square_micrometres"])})
        for entry in read(FOLDER / "blocks.toml")["published"]
        if entry["block"] == name
    ]
    return [entry for entry in found if width and entry.width == parameters.get(width)]


def recorded() -> list[Point]:
    """All recorded points, in the order of `blocks.toml`."""
    if not RECORD.exists():
        return []
    names = [f.name for f in fields(Synthesised)]
    return [
        Point(
            entry["block"],
            entry["parameters"],
            Synthesised(**{name: entry[name] for name in names if name in entry}),
            entry["key"],
        )
        for entry in read(RECORD)["point"]
    ]


def wanted() -> list[tuple[str, Parameters]]:
    """Every point of `blocks.toml`."""
    return [(b.name, parameters) for b in blocks().values() for parameters in b.points]


def missing() -> list[tuple[str, Parameters]]:
    """Points that are not recorded, or stale."""
    fresh = [(p.block, p.parameters) for p in recorded() if not p.stale]
    return [point for point in wanted() if point not in fresh]


def record(point: Point) -> None:
    """Puts a point into the file, in its predecessor's place; those no longer wanted leave."""
    kept = {_label(p.block, p.parameters): p for p in [*recorded(), point]}
    ordered = [kept[label] for w in wanted() if (label := _label(*w)) in kept]
    scratch = RECORD.with_suffix(".tmp")
    scratch.write_text(_HEADER + "".join(_entry(p) for p in ordered))
    os.replace(scratch, RECORD)


def synthesise(name: str, parameters: Parameters, keep: Path | None = None) -> Point:
    """Maps a block now."""
    known = block(name)
    result = flow.synthesise(name, parameters, keep, known.without, known.energy)
    return Point(name, parameters, result, key(name, parameters))


def key(name: str, parameters: Parameters) -> str:
    """The hash of what decides a point."""
    what = (sorted(parameters.items()), block(name).without, flow.MACROS)
    digest = hashlib.sha256(repr(what).encode())
    for file in (*includes(), *closure(name)):
        if file.parent.name == "rtl":
            digest.update(code(file.read_text()).encode())
    script = flow.ABC + flow.CONSTRAINTS + flow.YOSYS
    digest.update((script + repr((flow.WIRE_FF, flow.STRONGER))).encode())
    digest.update(flow.LIBRARY.read_bytes())
    if (held := block(name).energy) is not None:
        digest.update(repr((sorted(held.items()), power.METHOD)).encode())
    return digest.hexdigest()[:16]


def read(file: Path) -> dict[str, Any]:
    """A file of this folder."""
    return tomllib.loads(file.read_text())


def _label(name: str, parameters: Parameters) -> str:
    return f"{name} {sorted(parameters.items())}"


def _entry(point: Point) -> str:
    values = {"block": point.block, "parameters": point.parameters, **asdict(point.result)}
    values |= {"provenance": PROVENANCE, "key": point.key}
    written = [f"{k} = {toml(v)}\n" for k, v in values.items() if v is not None]
    return "\n[[point]]\n" + "".join(written)


def toml(value: Any) -> str:
    """A value as the file has it."""
    if isinstance(value, dict):
        inner = ", ".join(f"{k} = {toml(v)}" for k, v in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def code(text: str) -> str:
    """Without comments and layout: neither changes a gate."""
    return " ".join(re.sub(r"//.*", "", text).split())
