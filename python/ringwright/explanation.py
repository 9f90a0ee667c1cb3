"""What a program does to levels, scales and noise, operation by operation, and costs, line by line.

The costs are counted from the program's expansion: towers transformed and multiplied, and the words
of evaluation keys that are read, at 8 bytes each. They are the same for every machine; one that
does something better with a composite needs fewer. `Explanation.timed` sets the measured times of a
run beside them, or what the oracle says of a simulated machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from ringwright import _ringwright as native
from ringwright import notebook
from ringwright.errors import ProgramError
from ringwright.ledger import duration_text

if TYPE_CHECKING:
    from ringwright.ckks import Parameters

__all__ = ["Explanation", "LineCost", "explanation"]

_WORD_BYTES = 8


class Timed(Protocol):
    """A run, or what the oracle says: operations with a line and a time."""

    @property
    def operations(self) -> Sequence[Any]:
        """In order; empty where they are not known."""


@dataclass(frozen=True)
class LineCost:
    """What the operations of one source line take together.

    `level`: towers that are left after it. `transforms`, `products`: towers. `time_fs`: `None`
    where it is not known; `provenance` says from where it is.
    """

    line: str
    operations: int
    level: int
    keys: tuple[str, ...]
    transforms: int
    products: int
    key_bytes: int
    time_fs: int | None = None
    provenance: str | None = None


@dataclass(frozen=True)
class Explanation:
    """What `Program.explain` found; printed, a table of operations and one of lines.

    `rows`, inputs first, have `line`, `value`, `op`, `level`, `scale_bits`, `noise_bits`,
    `precision_bits`, `room_bits` and `keys`; `lines` are `LineCost`s in order of their first
    operation; a program that is called is one operation of its line. `text` is the program's text
    form; `table` the printed rows, those of the programs that are called behind them.
    """

    name: str
    rows: tuple[native.ExplainRow, ...]
    text: str
    table: str
    lines: tuple[LineCost, ...]

    def timed(self, times: Timed) -> Explanation:
        """With each line's time: measured in a `Run`, or simulated by `rw.oracle`.

        Raises `ProgramError` where that knows no times of operations.
        """
        if not times.operations:
            raise ProgramError(f"{self.name}: no times of operations: the machine reports none")
        spent: dict[str, int] = {}
        for each in times.operations:
            measured = isinstance(each, native.OperationTime)
            time_fs = each.duration_fs if measured else each.time_fs
            spent[each.line or ""] = spent.get(each.line or "", 0) + time_fs
        provenance = getattr(times, "provenance", "measured")
        lines = tuple(
            replace(each, time_fs=spent.get(each.line, 0), provenance=provenance)
            for each in self.lines
        )
        return replace(self, lines=lines)

    @property
    def costs(self) -> str:
        """The lines as a table."""
        rows = [_HEADS, *(_cells(each) for each in self.lines)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADS))]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if i in _LEFT else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )

    def __str__(self) -> str:
        return f"{self.table}\n{self.costs}"

    def __repr__(self) -> str:
        return f"<explanation of {self.name}: {self._said()}>"

    def _repr_html_(self) -> str:
        operations = notebook.table(_ROW_HEADS, map(_row_cells, self.rows), range(3, 8))
        costs = notebook.table(_HEADS, map(_cells, self.lines), range(1, 7))
        return notebook.shown(f"{self.name}: {self._said()}", operations, costs)

    def _said(self) -> str:
        inputs = sum(row.op == "input" for row in self.rows)
        operations = sum(bool(row.op) for row in self.rows) - inputs
        return f"{inputs} inputs, {operations} operations, {len(self.lines)} lines"


def explanation(traced: native.HeProgram, parameters: Parameters) -> Explanation:
    """Of a traced program."""
    rows = tuple(traced.explain())
    return Explanation(traced.name, rows, traced.text, traced.table(), _lines(traced, parameters))


def _lines(traced: native.HeProgram, parameters: Parameters) -> tuple[LineCost, ...]:
    lines: dict[str, LineCost] = {}
    for row in traced.explain():
        if row.op in ("input", ""):
            continue
        line = row.line or ""
        known = lines.get(line, LineCost(line, 0, row.level, (), 0, 0, 0))
        keys = tuple(dict.fromkeys([*known.keys, *row.keys]))
        lines[line] = LineCost(line, known.operations + 1, row.level, keys, 0, 0, 0)
    tower_bytes = _WORD_BYTES * parameters.n
    for count in traced.counts():
        known = lines[count.line or ""]
        lines[known.line] = replace(
            known,
            transforms=known.transforms + count.transforms,
            products=known.products + count.products,
            key_bytes=known.key_bytes + tower_bytes * count.key_towers,
        )
    return tuple(lines.values())


_ROW_HEADS = ("line", "value", "operation", "level", "scale", "noise", "precision", "room", "keys")
_HEADS = ("line", "operations", "level", "transforms", "products", "key words read", "time", "keys")
_LEFT = {0, 7}


def _row_cells(row: native.ExplainRow) -> tuple[str, ...]:
    """Scale and noise as powers of two; precision and room in bits."""
    return (
        row.line or "",
        row.value,
        row.op,
        str(row.level),
        f"2^{row.scale_bits:.1f}",
        f"2^{row.noise_bits:.1f}",
        f"{row.precision_bits:.1f} bits",
        f"{row.room_bits:.1f} bits",
        ", ".join(row.keys),
    )


def _cells(cost: LineCost) -> tuple[str, ...]:
    time = "" if cost.time_fs is None else f"{duration_text(cost.time_fs)} ({cost.provenance})"
    return (
        cost.line,
        str(cost.operations),
        str(cost.level),
        str(cost.transforms),
        str(cost.products),
        f"{cost.key_bytes / 1e6:.2f} MB" if cost.key_bytes else "",
        time,
        str(len(cost.keys)) if cost.keys else "",
    )
