"""What a run takes in silicon: the core's area, and microjoules of a frame, each as a range.

The core's energy is its cycles times what an average one takes (`spec/silicon`); the accelerator's
comes from the events of its simulator. Memory behind the caches and the modem are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ringwright import _ringwright as native
from ringwright.machines import Machine
from ringwright.silicon import Range, core_of, energy_of

__all__ = ["Spending", "of_frame"]

_UJ_PER_PJ = 1e-6


@dataclass(frozen=True)
class Spending:
    """`core_area_mm2`: with its caches. Microjoules of a frame: `accelerator_uj` is `None` where
    there is none, or nothing is known of it. `source`: what the core's energy rests on.
    """

    core_area_mm2: Range
    core_uj: Range
    accelerator_uj: Range | None
    source: str
    provenance: str = "modelled"

    @property
    def frame_uj(self) -> Range:
        """Of both."""
        accelerator = self.accelerator_uj
        return self.core_uj if accelerator is None else self.core_uj + accelerator

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        accelerator = self.accelerator_uj
        return {
            "core_area_mm2": self.core_area_mm2.to_dict(),
            "core_uj": self.core_uj.to_dict(),
            "accelerator_uj": None if accelerator is None else accelerator.to_dict(),
            "frame_uj": self.frame_uj.to_dict(),
            "provenance": self.provenance,
            "source": self.source,
        }


def of_frame(
    host: str, cycles: float, machine: Machine | None, timing: native.Timing | None, runs: int
) -> Spending:
    """A frame of so many cycles on a core of `hw/soc`, in which a machine runs a program so often.

    Raises `MachineError` for a core that was not mapped.
    """
    core = core_of(host)
    energy = None if machine is None else energy_of(machine, timing)
    return Spending(
        core_area_mm2=core.area_mm2,
        core_uj=core.cycle_pj * (cycles * _UJ_PER_PJ),
        accelerator_uj=None if energy is None else energy.total.value * runs,
        source=core.source,
    )
