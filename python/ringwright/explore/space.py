"""The designs of a study: a machine, and which of its parameters take which values.

hples=4..256:x2      4, 8, 16 ... 256
queue_depth=2..8:+2  2, 4, 6, 8
vdm_port=second,exclusive
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ringwright.errors import MachineError, ParameterError
from ringwright.machines import Machine
from ringwright.machines import machine as load

#: Points of one grid: a study of more is a slip of the pen.
MOST = 100_000
_SHAPE = "NAME=LOW..HIGH:xFACTOR, NAME=LOW..HIGH:+STEP or NAME=VALUE,VALUE,..."

Value = int | str


@dataclass(frozen=True)
class Axis:
    """A parameter and its values, in order."""

    name: str
    values: tuple[Value, ...]

    @classmethod
    def parse(cls, text: str) -> Axis:
        """Reads one `--vary`. Raises `ParameterError`."""
        name, mark, said = text.partition("=")
        if not mark or not name or not said:
            raise ParameterError(f"vary {text!r}: write {_SHAPE}")
        values = _range(text, said) if ".." in said else [_value(v) for v in said.split(",")]
        if len(set(values)) != len(values) or "" in values:
            raise ParameterError(f"vary {text!r}: each value once, none empty")
        return cls(name, tuple(values))


@dataclass(frozen=True)
class Space:
    """All combinations of the axes' values, in the order of the axes."""

    base: Machine
    axes: tuple[Axis, ...]

    @classmethod
    def parse(cls, machine: str | Machine, vary: Sequence[str]) -> Space:
        """A machine, by name or file, and its axes.

        Raises `ParameterError` for no axis, an axis twice, a parameter that the machine does not
        have, or a value of another kind; `MachineError` for a value that its declaration refuses.
        """
        base = load(machine) if isinstance(machine, str) else machine
        axes = tuple(Axis.parse(text) for text in vary)
        if not axes:
            raise ParameterError("an empty space: give --vary NAME=... at least once")
        names = [axis.name for axis in axes]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ParameterError(f"vary {', '.join(twice)}: each parameter once")
        for axis in axes:
            if axis.name not in base.values:
                known = ", ".join(sorted(base.values))
                raise ParameterError(f"vary {axis.name}: {base.target} has {known}")
        space = cls(base, axes)
        if len(space) > MOST:
            raise ParameterError(f"a space of {len(space):,} points; allowed are {MOST:,}")
        space._require_possible()
        return space

    def __len__(self) -> int:
        count = 1
        for axis in self.axes:
            count *= len(axis.values)
        return count

    def points(self) -> Iterator[dict[str, Value]]:
        """Values by name, the last axis fastest."""
        names = [axis.name for axis in self.axes]
        for values in itertools.product(*(axis.values for axis in self.axes)):
            yield dict(zip(names, values, strict=True))

    def machine(self, values: dict[str, Value]) -> Machine:
        """The design with these values. Raises `MachineError` where it contradicts itself."""
        return design(self.base, values)

    def about(self) -> dict[str, Any]:
        """What it is, plain."""
        return {
            "machine": self.base.name,
            "identity": self.base.identity,
            "axes": [[axis.name, list(axis.values)] for axis in self.axes],
        }

    def _require_possible(self) -> None:
        """Of each axis a value must be possible with the rest as it is; others may contradict."""
        for axis in self.axes:
            refused = None
            for value in axis.values:
                try:
                    self.machine({axis.name: value})
                except MachineError as error:
                    refused = error
                else:
                    break
            else:
                raise MachineError(f"vary {axis.name}: no value is possible: {refused}")


def design(base: Machine, values: dict[str, Value]) -> Machine:
    """A machine with other values. Raises `MachineError` where it contradicts itself.

    Another clock than the machine's is nobody's.
    """
    return base.with_values("design", source="explored", clock_provenance=None, **values)


def _value(text: str) -> Value:
    digits = text.removeprefix("-").replace("_", "")
    return int(text.replace("_", "")) if digits.isdecimal() else text


def _range(text: str, said: str) -> list[Value]:
    ends, _, step = said.partition(":")
    low, _, high = ends.partition("..")
    first, last = _value(low), _value(high)
    how, by = step[:1], _value(step[1:])
    whole = isinstance(first, int) and isinstance(last, int) and isinstance(by, int)
    if not whole or how not in {"x", "+"}:
        raise ParameterError(f"vary {text!r}: write {_SHAPE}")
    assert isinstance(first, int)
    assert isinstance(last, int)
    assert isinstance(by, int)
    if first > last or by < (2 if how == "x" else 1) or (how == "x" and first < 1):
        raise ParameterError(
            f"vary {text!r}: from low to high, by a factor from 2 or a step from 1"
        )
    found: list[Value] = []
    here = first
    while here <= last:
        found.append(here)
        here = here * by if how == "x" else here + by
    return found
