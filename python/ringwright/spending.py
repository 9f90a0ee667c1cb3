"""What a frame takes in silicon: the core's area, and microjoules, each as a range.

The core's energy is its cycles times what an average one takes (`spec/silicon`); the accelerator's
comes from the events of its simulator. Memory behind the caches and the modem are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from ringwright import _ringwright as native
from ringwright.machines import Machine
from ringwright.silicon import Range, core_of, energy_of

__all__ = ["Program", "Spending", "spent"]

_UJ_PER_PJ = 1e-6
#: What a machine runs, as its simulator timed it, and how often.
Program: TypeAlias = tuple[Machine, native.Timing | None, int]


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


def spent(core: str, cycles: Range, programs: Iterable[Program]) -> Spending:
    """By a frame of so many cycles on a core of `hw/soc`, whose accelerator runs these programs.

    Raises `MachineError` for a core that was not mapped.
    """
    mapped = core_of(core)
    each = mapped.cycle_pj
    ends = (each.low * cycles.low, each.expected * cycles.expected, each.high * cycles.high)
    runs = [(energy_of(machine, timing), count) for machine, timing, count in programs]
    known = [energy.total.value * count for energy, count in runs if energy is not None]
    return Spending(
        core_area_mm2=mapped.area_mm2,
        core_uj=Range(*ends) * _UJ_PER_PJ,
        accelerator_uj=sum(known[1:], known[0]) if known else None,
        source=mapped.source,
    )
