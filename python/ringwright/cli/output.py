"""How verbs print: tables and JSON on stdout, progress on stderr."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import typer
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from ringwright.ledger import duration_text
from ringwright.quantity import BYTES, scaled

#: Verbs share one declaration of `--json`.
JSON_HELP = "Print JSON on stdout instead of tables."
_PIPE_WIDTH = 110
#: Characters between two columns.
_GAP = 2


def results() -> Console:
    """Where results go; a pipe has no width, so tables take what they need."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PIPE_WIDTH)


def progress() -> Console:
    """Where progress goes."""
    return Console(stderr=True)


def print_json(value: Any) -> None:
    """The value as indented JSON."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    right: Sequence[int] = (),
    title: str | None = None,
    spare: Sequence[int] = (),
) -> Fitted:
    """A light table; the columns in `right` hold numbers.

    `spare`: columns that a narrow terminal goes without, the first of them first; empty ones go
    before them. What is left out is named under the table.
    """
    return Fitted(heads, [list(row) for row in rows], right, title, spare)


@dataclass(frozen=True)
class Fitted:
    """A table that leaves columns out where whole words and numbers would not fit otherwise."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str | Text]]
    right: Sequence[int]
    title: str | None
    spare: Sequence[int]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Columns as the width allows, then the names of those that it does not."""
        kept = self._kept(options.max_width)
        yield self._table(self._widths(kept, options.max_width))
        gone = [i for i in range(len(self.heads)) if i not in kept and not self._empty(i)]
        if names := ", ".join(self.heads[index] for index in gone if self.heads[index]):
            yield Text(f"too narrow for: {names}", style="dim")

    def _kept(self, room: int) -> list[int]:
        kept = list(range(len(self.heads)))
        empty = [index for index in kept if self._empty(index)]
        for index in dict.fromkeys([*empty, *self.spare]):
            if _together(map(self._least, kept)) <= room:
                break
            kept.remove(index)
        return kept

    def _widths(self, kept: Sequence[int], room: int) -> dict[int, int]:
        """Of each column: what it needs, then what is left over while it has use for it."""
        widths = {index: self._least(index) for index in kept}
        wanted = {index: self._most(index) for index in kept}
        while short := [i for i in kept if widths[i] < wanted[i]]:
            left = room - _together(widths.values())
            if left <= 0:
                break
            for index in short[:left]:
                widths[index] += 1
        return widths

    def _empty(self, index: int) -> bool:
        return not any(len(row[index]) for row in self.rows)

    def _least(self, index: int) -> int:
        """Characters that a column needs: a number's line, or the longest word."""
        cells = [self.heads[index], *(str(row[index]) for row in self.rows)]
        numeric = index in self.right
        pieces = (piece for c in cells for piece in (c.splitlines() if numeric else c.split()))
        return max(map(cell_len, pieces), default=0)

    def _most(self, index: int) -> int:
        """Characters of a column's longest line."""
        cells = [self.heads[index], *(str(row[index]) for row in self.rows)]
        return max((cell_len(line) for cell in cells for line in cell.splitlines()), default=0)

    def _table(self, widths: Mapping[int, int]) -> Table:
        made = Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1, 0, 0),
            title=self.title,
            title_justify="left",
            title_style="bold",
        )
        for index, width in widths.items():
            side: Literal["right", "left"] = "right" if index in self.right else "left"
            made.add_column(self.heads[index], justify=side, overflow="fold", width=width)
        for row in self.rows:
            made.add_row(*(row[index] for index in widths))
        return made


def _together(widths: Iterable[int]) -> int:
    """Characters of columns side by side."""
    each = list(widths)
    return sum(each) + _GAP * (len(each) - 1)


def duration(femtoseconds: int) -> str:
    """A duration for people: `12.3 ms`."""
    return duration_text(femtoseconds)


def rate(per_second: float) -> str:
    """A rate for people: three digits, or whole numbers from 100 on."""
    return f"{per_second:.0f}" if per_second >= 100 else f"{per_second:.3g}"


def size(byte_count: int) -> str:
    """A number of bytes for people: `615 kB`."""
    return " ".join(scaled(byte_count, BYTES))


def security(bits: int | None) -> str:
    """A level of security for a table's cell; what the tables say in full is `Security`'s text."""
    return "unknown" if bits is None else f"{bits} bits" if bits else "insecure"


def share_bar(share: float, width: int = 16) -> str:
    """A bar for a share between 0 and 1."""
    return "\u2588" * round(share * width)
