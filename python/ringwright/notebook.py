"""What notebooks show of an object (`_repr_html_`): a sentence and tables, without script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["shown", "table"]

_RIGHT = ' style="text-align:right"'
_LEFT = ' style="text-align:left"'


def shown(caption: str, *tables: str) -> str:
    """An object: one sentence of plain text, then its tables."""
    return f"<div><p>{escape(caption)}</p>{''.join(tables)}</div>"


def table(
    heads: Sequence[str], rows: Iterable[Sequence[object]], numeric: Sequence[int] = ()
) -> str:
    """A table of plain values, which are escaped; the columns in `numeric` stand right."""
    body = "".join(f"<tr>{_cells('td', row, numeric)}</tr>" for row in rows)
    head = f"<tr>{_cells('th', heads, numeric)}</tr>"
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def _cells(tag: str, cells: Sequence[object], numeric: Sequence[int]) -> str:
    return "".join(
        f"<{tag}{_RIGHT if index in numeric else _LEFT}>{escape(str(cell))}</{tag}>"
        for index, cell in enumerate(cells)
    )
