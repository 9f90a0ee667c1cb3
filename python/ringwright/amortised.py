"""Time of a bootstrapping for each slot and each level that it leaves.

    from ringwright.amortised import amortised
    amortised(refreshed, "rpu-128x128", parameters).slot_level_fs

A bootstrapping that leaves twice as many levels is worth twice as much; one of twice as many slots
too. So accelerators are compared by the time of one and of a product at every level that it leaves,
divided by these levels and by the slots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ringwright.ckks import Input, Parameters
from ringwright.errors import ParameterError
from ringwright.machines import Machine
from ringwright.oracle import mixed, oracle
from ringwright.program import Program, program

__all__ = ["PUBLISHED", "Amortised", "Published", "amortised", "bootstraps"]


@dataclass(frozen=True)
class Amortised:
    """A bootstrapping on a simulated machine, its host taking no time.

    `bootstrap_fs`: of the program. `product_fs`: of a square, relinearised and rescaled, at every
    level that is left, the highest first. `slots`: of the vector.
    """

    machine: str
    bootstrap_fs: int
    product_fs: tuple[int, ...]
    slots: int
    provenance: str

    @property
    def levels(self) -> int:
        """Levels left to multiply with."""
        return len(self.product_fs)

    @property
    def slot_level_fs(self) -> float:
        """Time for each slot and level."""
        return (self.bootstrap_fs + sum(self.product_fs)) / self.levels / self.slots

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        derived = {"levels": self.levels, "slot_level_fs": self.slot_level_fs}
        return vars(self) | {"product_fs": list(self.product_fs)} | derived


@dataclass(frozen=True)
class Published:
    """A bootstrapping of another system, as later papers cite it: no number here was seen at its
    source. All of them at N = 2^16. `area_mm2`: of the chip.
    """

    system: str
    bootstrap_ms: float
    area_mm2: float | None = None
    doi: str | None = None


#: What accelerators and libraries for graphics processors are said to take for one bootstrapping.
PUBLISHED = (
    Published("100x, V100", 328.0),
    Published("Cheddar, A100", 40.0, doi="10.1145/3760250.3762223"),
    Published("Cheddar, RTX 5090", 22.1, doi="10.1145/3760250.3762223"),
    Published("SHARP", 3.12, area_mm2=178.8),
    Published("Falcon", 2.11, area_mm2=180.3, doi="10.1145/3779212.3790160"),
    Published("FAST", 1.38, area_mm2=283.75),
)


def bootstraps(made: Program, parameters: Parameters) -> int:
    """How often a program bootstraps."""
    return sum(row.op.startswith("raise") for row in made.explain(parameters).rows)


def amortised(made: Program, machine: str | Machine, parameters: Parameters) -> Amortised:
    """Of a program that is one bootstrapping.

    The level that is left is that of its last operation. Raises `ParameterError` for a program of
    several or none, one that leaves no level to multiply with, and a machine whose time is
    measured.
    """
    rows = made.explain(parameters).rows
    count, level = bootstraps(made, parameters), rows[-1].level
    if count != 1 or level < 2:
        given = f"{count} bootstrappings that leave level {level}"
        raise ParameterError(f"{made.name}: {given}; allowed: one that leaves 2 or more")
    programs = [made, *(_square(each) for each in range(level, 1, -1))]
    latencies = [oracle(each, machine, parameters) for each in programs]
    times = [each.time_fs for each in latencies if each.time_fs is not None]
    if len(times) != len(latencies):
        raise ParameterError(f"{latencies[0].machine}: {latencies[0].skipped}")
    provenances = [provenance for each in latencies for provenance in each.provenances]
    return Amortised(
        machine=latencies[0].machine,
        bootstrap_fs=times[0],
        product_fs=tuple(times[1:]),
        slots=parameters.slots,
        provenance=mixed(tuple(dict.fromkeys(provenances))),
    )


def _square(level: int) -> Program:
    @program(inputs={"x": Input(level=level)}, name=f"square@{level}")
    def square(x: Any) -> Any:
        return x * x

    return square
