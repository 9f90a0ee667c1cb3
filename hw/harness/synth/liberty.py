"""What timing and energy of a netlist need of a Liberty file: areas, pins, functions, tables.

Liberty is groups `kind (name) { ... }`, attributes `key : value;` and `key (values);`. Delays are
tables over the slew of the input and the load of the output (the nonlinear delay model), and so are
energies of an output's edges; those of an input whose edge moves no output are over its slew alone.
"""

from __future__ import annotations

import bisect
import lzma
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A comment, the value of `key : value` (some end with the line, not with a semicolon), a string, a
# mark, a continued line, a word.
_TOKEN = re.compile(
    r'/\*.*?\*/|:\s*(?:"[^"]*"|[^;\n"]*)|"[^"]*"|[{}();,]|\\\n|[^\s{}();:,"\\]+', re.S
)
_RISE, _FALL = 0, 1
#: An axis along which nothing changes.
_ANY = (0.0, 1.0)
_DELAYS = (("cell_rise", "rise_transition"), ("cell_fall", "fall_transition"))
_CONSTRAINTS = ("rise_constraint", "fall_constraint")


@dataclass
class Group:
    """`kind (name) { attributes, groups }`."""

    kind: str
    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)

    def all(self, kind: str) -> list[Group]:
        """The groups of one kind directly inside."""
        return [group for group in self.groups if group.kind == kind]


@dataclass(frozen=True)
class Table:
    """Values over one or two axes, interpolated linearly, extended beyond the last points."""

    rows: tuple[float, ...]
    columns: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]

    def at(self, row: float, column: float) -> float:
        """The value at, say, a slew in ps and a load in fF."""
        i, u = _place(self.rows, row)
        j, v = _place(self.columns, column)
        low, high = self.values[i], self.values[i + 1]
        return (1 - u) * (low[j] + v * (low[j + 1] - low[j])) + u * (
            high[j] + v * (high[j + 1] - high[j])
        )


@dataclass(frozen=True)
class Arc:
    """From an input to the output: for each edge of the output, delay and slew.

    `inverting` and `direct` say which edges of the input cause it.
    """

    source: str
    inverting: bool
    direct: bool
    delay: tuple[Table, Table]
    slew: tuple[Table, Table]


@dataclass
class Cell:
    """A cell: area in µm², capacitance of each input in fF, the arcs into each output.

    `function` is what the output is, of a flip-flop what it will be: inputs, `!`, `*`, `+`. `moved`
    are energies in fJ of the output's edges, `unmoved` those of an input's edges while the output
    stays; one pair of tables for each condition. `setup` is there for flip-flops: data input ->
    tables over (slew of data, slew of clock).
    """

    name: str
    area: float
    inputs: dict[str, float]
    outputs: dict[str, list[Arc]]
    function: str = ""
    moved: list[tuple[Table, Table]] = field(default_factory=list)
    unmoved: dict[str, list[tuple[Table, Table]]] = field(default_factory=dict)
    clock: str | None = None
    setup: dict[str, tuple[Table, Table]] = field(default_factory=dict)


def read(path: Path) -> dict[str, Cell]:
    """Gates and flip-flops of a Liberty file, compressed with xz or not.

    Latches and cells of several outputs are left out: the mapping uses none.
    """
    library = _parse(text(path))
    return {group.name: _cell(group) for group in library.all("cell") if _usable(group)}


def text(path: Path) -> str:
    """The text of a library, compressed with xz or not."""
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as file:
        return file.read()


def _usable(group: Group) -> bool:
    outputs = [pin for pin in group.all("pin") if pin.attributes.get("direction") == "output"]
    return len(outputs) == 1 and not group.all("latch") and not group.all("statetable")


def _parse(written: str) -> Group:
    tokens = (t for t in _TOKEN.findall(written) if t[0] != "\\" and t[:2] != "/*")
    root = Group("", "")
    _fill(root, tokens)
    return root.groups[0]


def _fill(group: Group, tokens: Iterator[str]) -> None:
    for key in tokens:
        if key == "}":
            return
        if key == ";":
            continue
        mark = next(tokens)
        if mark.startswith(":"):
            group.attributes[key] = mark[1:].strip().strip('"')
            continue
        values = [token.strip('"') for token in iter(tokens.__next__, ")") if token != ","]
        if next(tokens, ";") == "{":
            inner = Group(key, " ".join(values))
            group.groups.append(inner)
            _fill(inner, tokens)
        else:
            group.attributes[key] = ";".join(values)


def _cell(group: Group) -> Cell:
    cell = Cell(group.name, float(group.attributes["area"]), {}, {})
    for pin in group.all("pin"):
        if pin.attributes.get("direction") == "output":
            cell.outputs[pin.name] = [arc for t in pin.all("timing") if (arc := _arc(t))]
            cell.function = _function(group, pin)
            cell.moved = _energies(pin)
            continue
        if pin.attributes.get("direction") != "input":
            continue
        cell.inputs[pin.name] = float(pin.attributes["capacitance"])
        cell.unmoved[pin.name] = _energies(pin)
        if pin.attributes.get("clock") == "true":
            cell.clock = pin.name
        for timing in pin.all("timing"):
            if timing.attributes.get("timing_type") == "setup_rising":
                cell.setup[pin.name] = _pair(timing, *_CONSTRAINTS)
    return cell


def _function(group: Group, output: Group) -> str:
    """Of a flip-flop, what its output is after the next edge of the clock."""
    function = output.attributes.get("function", "")
    for flipflop in group.all("ff"):
        state, inverse = flipflop.name.split()
        after = flipflop.attributes["next_state"]
        function = {state: after, inverse: f"!({after})"}.get(function, function)
    return function


def _energies(pin: Group) -> list[tuple[Table, Table]]:
    supplied = [p for p in pin.all("internal_power") if p.attributes["related_pg_pin"] == "VDD"]
    return [_pair(power, "rise_power", "fall_power") for power in supplied]


def _arc(timing: Group) -> Arc | None:
    if not timing.all("cell_rise"):
        return None
    sense = timing.attributes.get("timing_sense", "non_unate")
    if timing.attributes.get("timing_type", "combinational") == "rising_edge":
        sense = "non_unate"
    return Arc(
        timing.attributes["related_pin"],
        inverting=sense != "positive_unate",
        direct=sense != "negative_unate",
        delay=_pair(timing, _DELAYS[_RISE][0], _DELAYS[_FALL][0]),
        slew=_pair(timing, _DELAYS[_RISE][1], _DELAYS[_FALL][1]),
    )


def _pair(timing: Group, rise: str, fall: str) -> tuple[Table, Table]:
    return _table(timing.all(rise)[0]), _table(timing.all(fall)[0])


def _table(group: Group) -> Table:
    """A table; one of fewer than two axes is the same along those that it lacks."""
    rows = [_axis(row) for row in group.attributes["values"].split(";")]
    axes = [
        _axis(group.attributes[key]) for key in ("index_1", "index_2") if key in group.attributes
    ]
    if not axes:
        return Table(_ANY, _ANY, (rows[0] * 2,) * 2)
    if len(axes) == 1:
        return Table(axes[0], _ANY, tuple((value, value) for row in rows for value in row))
    return Table(axes[0], axes[1], tuple(rows))


def _axis(text: str) -> tuple[float, ...]:
    return tuple(float(x) for x in text.split(","))


def _place(axis: tuple[float, ...], value: float) -> tuple[int, float]:
    """The interval to use and the position in it; outside the axis, the nearest interval."""
    i = min(max(bisect.bisect_right(axis, value) - 1, 0), len(axis) - 2)
    return i, (value - axis[i]) / (axis[i + 1] - axis[i])
