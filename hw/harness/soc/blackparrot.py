"""BlackParrot as `pythondata-cpu-blackparrot` has it, with our multiplier and an interrupt pin.

The package's core has neither: its multiply pipe is empty, and what interrupts it is a register.
Both are derived when a model is built, by edits of lines that must be there once; what comes of it
is reported as "BlackParrot + our multiplier", also where nobody uses the instructions that the
multiplier has. No file of the core lies in this project.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from ..sources import closure
from ..toolchain import ROOT, ToolError
from . import blackparrot_edits, instructions
from .blackparrot_edits import EDITS

#: How results name it.
TITLE = "BlackParrot + our multiplier"
PACKAGE = {"pythondata_cpu_blackparrot": "pythondata-cpu-blackparrot"}
#: For the C compiler.
ISA = "generic_rv64+zmmul"
#: For yosys's reader of SystemVerilog, and the core's memories, which are macros.
SLANG = ("--allow-use-before-declare", "--relax-enum-conversions")
MEMORIES = tuple(f"bsg_mem_1rw_sync{kind}" for kind in ("", "_mask_write_bit", "_mask_write_byte"))
#: Sets, ways and bytes of a line of its cache of data (`e_bp_softcore_cfg`); where another line
#: goes: to the way that a tree of bits points at.
CACHE = (64, 8, 64, "tree")
#: Cycles of a miss, but for the memory's; how many more it takes where the line that goes was
#: written; nobody asks it for one. `fw/bench/lines.c` counts them.
MISS_OVERHEAD, WRITE_BACK, GIVE_BACK_OVERHEAD = 9, 0, 0
#: It has no coherent port.
PORT_LINES = 0

_FOLDERS = {
    "BASEJUMP_STL_DIR": "external/basejump_stl",
    "BP_COMMON_DIR": "bp_common",
    "BP_FE_DIR": "bp_fe",
    "BP_BE_DIR": "bp_be",
    "BP_ME_DIR": "bp_me",
    "BP_TOP_DIR": "bp_top",
    "BP_LITEX_DIR": "bp_litex",
}
#: The core's file with this name is ours.
_REPLACED = {"bp_be_pipe_mul.v": ROOT / "hw" / "soc" / "rtl" / "bp_be_pipe_mul.sv"}
_ADDED = closure("multiply_pipe")
#: What of this project's makes the core, beside this file.
OURS = [
    *_REPLACED.values(),
    *_ADDED,
    Path(blackparrot_edits.__file__),
    Path(instructions.__file__),
    instructions.FILE,
]


def folder() -> Path:
    """Where the package keeps its sources."""
    return Path(importlib.import_module("pythondata_cpu_blackparrot").data_location)


def sources(scratch: Path) -> list[str]:
    """Verilator's arguments: folders of headers, then files; edited ones lie in `scratch`."""
    includes, files = [], []
    for line in (folder() / "bp_litex" / "flist.verilator").read_text().splitlines():
        text = line.strip()
        # The package's own system around the core is not ours.
        if not text or text.startswith("//") or "ExampleBlackParrotSystem" in text:
            continue
        for name, place in _FOLDERS.items():
            text = text.replace(f"${name}", str(folder() / place))
        if text.startswith("+incdir+"):
            includes.append(text)
        else:
            files.append(str(derived(Path(text), scratch)))
    return [*includes, *map(str, _ADDED), *files]


def derived(file: Path, scratch: Path) -> Path:
    """The file, or what takes its place.

    Raises `ToolError` where an edit does not fit: another version of the package.
    """
    if file.name in _REPLACED:
        return _REPLACED[file.name]
    edits = [edit for edit in EDITS if edit.file == file.name]
    if not edits:
        return file
    text = file.read_text()
    for edit in edits:
        if text.count(edit.old) != 1:
            raise ToolError(
                f"{file.name} of pythondata-cpu-blackparrot is not as expected: "
                f"{edit.old.strip()!r} stands in it {text.count(edit.old)} times"
            )
        text = text.replace(edit.old, edit.new)
    made = scratch / file.name
    made.write_text(text)
    return made
