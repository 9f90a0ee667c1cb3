"""What a study asks for: batches of designs, and what it is told of them.

A plan gives all its points at once (`grid`, `one_by_one`), or a few at a time, and looks at their
results before it gives the next (`ringwright.explore.sampled`). Batches have a fixed length and are
told in their order, so the same plan asks for the same points whoever computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ringwright.errors import ParameterError
from ringwright.explore.space import Space, Value, design
from ringwright.machines import Machine
from ringwright.machines import machine as load

Values = dict[str, Value]


class Plan:
    """Which designs a study looks at, in which order: here all of them at once.

    `names`: the parameters that vary, every point has a value for each. `total`: how many points
    there are at most. `about`: all that decides which they are, plain. `make`: the design of a
    point; raises `MachineError` where it contradicts itself.
    """

    def __init__(
        self,
        points: Iterable[Values],
        total: int,
        about: dict[str, Any],
        make: Callable[[Values], Machine],
    ) -> None:
        self.names = tuple(name for name, _ in about["axes"])
        self.total, self.about, self.machine = total, about, make
        self._points = points
        self._asked = False

    def begin(self, name: str) -> None:
        """Starts anew, as the study of this name: all that decides its results is hashed in it."""
        self._asked = False

    def ask(self) -> list[Values]:
        """The next points; none when all were asked for."""
        asked, self._asked = self._asked, True
        return [] if asked else list(self._points)

    def tell(self, rows: Sequence[dict[str, Any]]) -> None:
        """The rows of the points last asked for, in their order."""


def grid(space: Space) -> Plan:
    """Every point of a space."""
    about = {"sampler": "grid", **space.about()}
    return Plan(space.points(), len(space), about, space.machine)


def one_by_one(machine: str | Machine) -> Plan:
    """A machine, and it with one parameter changed after the other.

    A number is changed to about half and twice as much, a name to every other one, and a parameter
    that a paper can be read more strictly on to that reading too (`Machine.near`). Raises
    `ParameterError` for a machine without such a parameter.
    """
    base = load(machine) if isinstance(machine, str) else machine
    near = {name: [_whole(value) for value in base.near(name)] for name in base.values}
    own = {name: _whole(base.values[name]) for name, others in near.items() if others}
    if not own:
        raise ParameterError(f"{base.name} has no parameter that could vary")
    changed = [{**own, name: value} for name in own for value in near[name]]
    about = {
        "sampler": "one by one",
        "machine": base.name,
        "identity": base.identity,
        "axes": [[name, [value, *near[name]]] for name, value in own.items()],
        "open": [name for name in base.open_questions if name in own],
    }

    def make(values: Values) -> Machine:
        return design(base, {name: value for name, value in values.items() if value != own[name]})

    return Plan([own, *changed], 1 + len(changed), about, make)


def _whole(value: float | str) -> Value:
    """A value as a table has it; parameters are whole numbers and names."""
    if isinstance(value, str):
        return value
    if value != int(value):
        raise ParameterError(f"{value}: exploration takes whole numbers and names")
    return int(value)
