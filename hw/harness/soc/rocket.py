"""Rocket as `pythondata-cpu-rocket` has it: `LitexFullConfig`, unmodified."""

from __future__ import annotations

import importlib
from pathlib import Path

#: How results name it.
TITLE = "Rocket"
PACKAGE = {"pythondata_cpu_rocket": "pythondata-cpu-rocket"}
#: For the C compiler, which shall use no floating-point unit.
ISA = "generic_rv64+m"
#: For yosys's reader of SystemVerilog, and the core's memories, which are macros.
SLANG: tuple[str, ...] = ()
MEMORIES = ("data_arrays_0_ext", "data_arrays_0_0_ext", "tag_array_ext", "tag_array_0_ext")
#: Sets, ways and bytes of a line of its cache of data; where another line goes: to any way, whether
#: or not one is empty.
CACHE = (64, 4, 64, "random")
#: Cycles of a miss, but for the memory's; how many more it takes where the line that goes was
#: written; how many more than memory's others wait for such a line. `fw/bench/lines.c` counts them.
MISS_OVERHEAD, WRITE_BACK, GIVE_BACK_OVERHEAD = 12, 19, 12
#: Lines on their way at its coherent port: one of each identifier, for the bridge behind it keeps
#: those of one in order and has two (`TLFIFOFixer`).
PORT_LINES = 2
#: No file of the core is ours.
OURS: list[Path] = []

_NAME = "freechips.rocketchip.system.LitexFullConfig"
_BESIDE = ("plusarg_reader.v", "AsyncResetReg.v", "EICG_wrapper.v")


def sources(_scratch: Path) -> list[str]:
    """Verilator's arguments. Its monitors and what it prints stay out: half of the time."""
    folder = Path(importlib.import_module("pythondata_cpu_rocket").data_location)
    files = [folder / "generated-src" / f"{_NAME}{end}" for end in (".v", ".behav_srams.v")]
    beside = [folder / "vsrc" / name for name in _BESIDE]
    return ["+define+SYNTHESIS", *map(str, [*files, *beside])]
