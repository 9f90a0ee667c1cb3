"""What a machine costs in silicon: area, leakage, clock, energy, each as a range.

    import ringwright as rw

    cost = rw.cost_of("rpu-128x128")
    print(cost.totals["area_mm2"])              # 14.8 .. 28 .. 51.9
    print(cost.of_transform(65536).total)       # microjoules of one transform

Blocks are those of the machine's RTL, mapped onto an open cell library and scaled to the process of
the papers; memories, wires and energies come from what papers print (`spec/silicon/process.toml`).
Sums are sums: a total is its parts, and says which of them it is least sure of. What papers print
of the machine stands beside that (`published`) and is part of no sum.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ringwright import _ringwright as native
from ringwright.errors import MachineError, MismatchError, ParameterError
from ringwright.machines import Machine
from ringwright.quantity import significant

__all__ = [
    "Clock",
    "Core",
    "Cost",
    "CostRow",
    "Energy",
    "Published",
    "Range",
    "Sum",
    "core_of",
    "cost_of",
]

AREA = "area_mm2"
#: What an FPGA has, each a total of a machine on one.
BLOCKS = ("flipflops", "lut", "dsp", "bram36", "uram")
#: Degrees of the transforms that a machine is asked for, the largest first.
_DEGREES = [2**log_n for log_n in range(16, 7, -1)]


@dataclass(frozen=True)
class Range:
    """Between `low` and `high`, most likely `expected`."""

    low: float
    expected: float
    high: float

    @classmethod
    def of(cls, value: float) -> Range:
        """What is known."""
        return cls(value, value, value)

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.expected + other.expected, self.high + other.high)

    def __mul__(self, factor: float) -> Range:
        return Range(self.low * factor, self.expected * factor, self.high * factor)

    def __str__(self) -> str:
        return " .. ".join(significant(end) for end in (self.low, self.expected, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def to_dict(self) -> dict[str, float]:
        """Plain values, for JSON."""
        return {"low": self.low, "expected": self.expected, "high": self.high}


@dataclass(frozen=True)
class Sum:
    """A total: its range, the provenances that it mixes, the unit that it is least sure of."""

    value: Range
    provenances: tuple[str, ...]
    dominated_by: str

    def __str__(self) -> str:
        return str(self.value)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        said = self.value.to_dict()
        return said | {"provenances": list(self.provenances), "dominated_by": self.dominated_by}


@dataclass(frozen=True)
class CostRow:
    """One number of a part of a unit.

    `quantity` carries its unit: `area_mm2`, `leakage_mw`, `flipflops`, `path_ps`, or `energy_pj` of
    one event, whose counter is then `part`; of an FPGA `dsp`, `bram36`, `uram`.
    """

    unit: str
    part: str
    quantity: str
    value: Range
    provenance: str
    source: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        named = {"unit": self.unit, "part": self.part, "quantity": self.quantity}
        said = named | self.value.to_dict()
        return said | {"provenance": self.provenance, "source": self.source}


@dataclass(frozen=True)
class Core:
    """A host core: its area, caches included, and the energy of an average cycle of a program."""

    area_mm2: Range
    cycle_pj: Range
    source: str


@dataclass(frozen=True)
class Clock:
    """The clock in GHz that the longest path allows, and the unit and part that it waits for."""

    ghz: Range
    slowest: str
    provenances: tuple[str, ...]


@dataclass(frozen=True)
class Published:
    """What a paper prints of a machine, with its unit in `quantity`."""

    quantity: str
    value: float
    source: str


@dataclass(frozen=True)
class Energy:
    """Microjoules of what a device did, in all and unit by unit, those that take most first.

    `uncounted`: counters of the simulator for which the cost has no energy.
    """

    total: Sum
    units: dict[str, Sum]
    uncounted: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        units = {unit: each.to_dict() for unit, each in self.units.items()}
        return self.total.to_dict() | {"units": units}

    def share(self, unit: str) -> float:
        """Expected share of a unit; 0 where nothing happened in it."""
        of = self.units.get(unit)
        return of.value.expected / self.total.value.expected if of else 0.0


@dataclass(frozen=True)
class Cost:
    """What a machine costs in a process.

    `process` is its name, or the hash of the file that it was read from. A machine on an FPGA has
    no clock here, and no `units`.
    """

    machine: str
    process: str
    rows: tuple[CostRow, ...]
    totals: dict[str, Sum]
    units: dict[str, Sum]
    clock: Clock | None
    machine_clock_ghz: float
    machine_clock_provenance: str | None
    published: tuple[Published, ...]
    absent: tuple[str, ...]
    _described: Machine = field(repr=False)
    _native: native.Cost = field(repr=False)

    @property
    def has_area(self) -> bool:
        """Whether the machine is silicon; what an FPGA takes of it has no area, clock or energy."""
        return AREA in self.totals

    def need_area(self) -> Sum:
        """The area. Raises `MachineError` where there is none."""
        if not self.has_area:
            known = ", ".join(self.totals)
            raise MachineError(f"machine {self.machine} has no area; known are {known}")
        return self.totals[AREA]

    def of_transform(self, n: int) -> Energy:
        """Energy of one forward transform of `n` words, in order, operands on the machine.

        Raises `MachineError` where the machine does not hold it.
        """
        done = native.run_transform(self._described, n, forward_only=True)
        if done is None:
            raise MachineError(f"machine {self.machine}: its target has no transform of its own")
        if not done.correct:
            raise MismatchError(f"machine {self.machine}: wrong words in a transform of {n}")
        return self.of_finished_transform(done)

    def of_finished_transform(self, done: native.Transform) -> Energy:
        """Energy of a transform that has run on this machine."""
        return _energy(self._native.energy_of_transform(done))

    def of_program(self, program: native.TransformTime) -> Energy:
        """Energy of a transform's program that was timed, as those of the papers."""
        return _energy(self._native.energy_of_program(program))

    def of_timing(self, timing: native.Timing) -> Energy:
        """Energy of one run of a program, moves from off-chip memory included."""
        return _energy(self._native.energy_of_timing(timing))

    def of_largest_transform(self) -> tuple[int, Energy]:
        """Degree and energy of the largest transform, up to 65,536 words, that the machine holds.

        Raises `ParameterError` where it holds none.
        """
        for n in _DEGREES:
            try:
                return n, self.of_transform(n)
            except (MachineError, ParameterError):
                continue
        raise ParameterError(f"machine {self.machine}: no transform of {_DEGREES[-1]} words")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: `entries`, `totals`, clock and what is published."""
        totals: dict[str, Any] = {name: total.to_dict() for name, total in self.totals.items()}
        if self.clock is not None:
            waits = {"slowest": self.clock.slowest, "provenances": list(self.clock.provenances)}
            totals["clock_ghz"] = self.clock.ghz.to_dict() | waits
        return {
            "machine": self.machine,
            "process": self.process,
            "entries": [row.to_dict() for row in self.rows],
            "totals": totals,
            "machine_clock_ghz": self.machine_clock_ghz,
            "machine_clock_provenance": self.machine_clock_provenance,
            "published": [vars(row) for row in self.published],
            "absent": list(self.absent),
        }


def cost_of(machine: str | Path | Machine, process: str | Path | None = None) -> Cost:
    """What a machine costs; `process` is a file of the form of `spec/silicon/process.toml`.

    Of a process file, results keep the hash and nothing else. Raises `MachineError` for a machine
    without hardware, and for a file that cannot be read or says too little.
    """
    described = machine if isinstance(machine, Machine) else Machine.load(str(machine))
    if process is None:
        return cost_from_text(described, None)
    try:
        text = Path(process).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MachineError(f"{process}: not read: {error}") from error
    return cost_from_text(described, text, str(process))


def core_of(name: str) -> Core:
    """A host core of `hw/soc` in the process in which the papers' chips were built.

    Raises `MachineError` for one that was not mapped.
    """
    area_mm2, cycle_pj, source = native.core_cost(name, native.shipped_process())
    return Core(Range(*area_mm2), Range(*cycle_pj), source)


def energy_of(machine: Machine, timing: native.Timing | None) -> Energy | None:
    """Energy of one run of a program; `None` where none is known, as of a processor or an FPGA."""
    cost = None if timing is None else _cost(machine, None, "")
    if timing is None or cost is None or not cost.has_area:
        return None
    return cost.of_timing(timing)


def cost_from_text(described: Machine, process: str | None, file: str = "process") -> Cost:
    """As `cost_of`, of the text of a process file; `file` is what errors call it."""
    found = _cost(described, process, file)
    if found is None:
        named = f"machine {described.name}: its target {described.target}"
        raise MachineError(f"{named} has no hardware")
    return found


def _cost(described: Machine, process: str | None, file: str) -> Cost | None:
    """`None` of a machine without hardware."""
    chosen, name = _process(process, file)
    found = native.machine_cost(described, chosen)
    if found is None:
        return None
    return Cost(
        machine=described.name,
        process=name,
        rows=tuple(_rows(found)),
        totals={quantity: _sum(found.total(quantity)) for quantity in found.quantities},
        units={unit: _sum(total) for unit, total in found.by_unit(AREA)},
        clock=_clock(found),
        machine_clock_ghz=1e6 / int(described.values["clock_fs"]),
        machine_clock_provenance=described.clock_provenance,
        published=tuple(Published(*row) for row in found.published),
        absent=tuple(found.absent),
        _described=described,
        _native=found,
    )


def _clock(found: native.Cost) -> Clock | None:
    if found.clock_ghz is None:
        return None
    ghz, unit, part, provenances = found.clock_ghz
    return Clock(Range(*ghz), f"{unit}: {part}", tuple(provenances))


def _process(text: str | None, file: str) -> tuple[native.Process, str]:
    if text is None:
        shipped = native.shipped_process()
        return shipped, shipped.name
    read = native.Process.parse(file, text)
    return read, "sha256:" + hashlib.sha256(text.encode()).hexdigest()[:16]


def _rows(found: native.Cost) -> list[CostRow]:
    rows = []
    for quantity in found.quantities:
        rows += [_row(quantity, row) for row in found.entries(quantity)]
    rows += [_row("path_ps", row) for row in found.paths]
    return rows + [_row("energy_pj", row) for row in found.events]


def _row(quantity: str, row: tuple[str, str, tuple[float, float, float], str, str]) -> CostRow:
    unit, part, value, provenance, source = row
    return CostRow(unit, part, quantity, Range(*value), provenance, source)


def _sum(total: Any) -> Sum:
    value, provenances, dominated_by = total
    return Sum(Range(*value), tuple(provenances), dominated_by)


def _energy(found: Any) -> Energy:
    if found is None:
        raise MachineError("nothing happened that has an energy")
    total, units, uncounted = found
    return Energy(_sum(total), {unit: _sum(each) for unit, each in units}, tuple(uncounted))
