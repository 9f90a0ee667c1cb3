"""How verbs print: tables and JSON on stdout, progress on stderr."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ringwright.ledger import duration_text

#: Verbs share one declaration of `--json`.
JSON_HELP = "Print JSON on stdout instead of tables."
_PIPE_WIDTH = 110


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
) -> Table:
    """A light table; the columns in `right` hold numbers."""
    made = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=title,
        title_justify="left",
        title_style="bold",
    )
    for index, head in enumerate(heads):
        numeric = index in right
        made.add_column(head, justify="right" if numeric else "left", no_wrap=numeric)
    for row in rows:
        made.add_row(*row)
    return made


def duration(femtoseconds: int) -> str:
    """A duration for people: `12.3 ms`."""
    return duration_text(femtoseconds)


def rate(per_second: float) -> str:
    """A rate for people: three digits, or whole numbers from 100 on."""
    return f"{per_second:.0f}" if per_second >= 100 else f"{per_second:.3g}"


def size(byte_count: int) -> str:
    """A number of bytes for people: `615 kB`."""
    if byte_count >= 10**6:
        return f"{byte_count / 1e6:.3g} MB"
    return f"{byte_count / 1e3:.3g} kB"


def share_bar(share: float, width: int = 16) -> str:
    """A bar for a share between 0 and 1."""
    return "\u2588" * round(share * width)
