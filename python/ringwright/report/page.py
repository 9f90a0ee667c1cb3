"""One self-contained HTML page: sections, key figures, tables, numbers with their provenance.

Functions return HTML; text that comes from outside goes through `text`. The page needs no network
and no script.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

_STYLES = [Path(__file__).with_name(name) for name in ("style.css", "chart.css")]


def text(value: object) -> str:
    """A value as escaped text."""
    return escape(str(value))


def page(title: str, body: Iterable[str]) -> str:
    """The whole document."""
    style = "".join(file.read_text(encoding="utf-8") for file in _STYLES)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>\n{style}</style>\n"
        "</head>\n<body>\n<main>\n" + "\n".join(body) + "\n</main>\n</body>\n</html>\n"
    )


def section(title: str, lead: str, *content: str) -> str:
    """A section; `lead` is one or two plain sentences (HTML) that say what the content shows."""
    return (
        f"<section>\n<h2>{text(title)}</h2>\n<p class='lead'>{lead}</p>\n"
        + "\n".join(content)
        + "\n</section>"
    )


def provenance(*kinds: str) -> str:
    """How a number came about: `measured`, `modelled`, .. or several, in small type."""
    tags = "".join(f"<span class='provenance {text(k)}'>{text(k)}</span>" for k in kinds)
    return f"<span class='provenances'>{tags}</span>"


def number(value: str, unit: str, *kinds: str) -> str:
    """A number with its unit and provenance on one line."""
    return f"<span class='number'>{text(value)}&#8239;{text(unit)}</span> {provenance(*kinds)}"


def figure(label: str, value: str, unit: str, note: str, *kinds: str) -> str:
    """A key figure: large number, what it is, one line of context, provenance."""
    return (
        f"<div class='figure'><div class='label'>{text(label)}</div>"
        f"<div class='value'>{text(value)}<span class='unit'>{text(unit)}</span></div>"
        f"<div class='note'>{text(note)}</div>{provenance(*kinds)}</div>"
    )


def figures(*items: str) -> str:
    """Key figures side by side."""
    return "<div class='figures'>" + "".join(items) + "</div>"


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int], *foot: str
) -> str:
    """A table of HTML cells; the columns in `numeric` stand right; `foot` is a last, bold row."""
    body = "".join(_row("td", row, numeric) for row in rows)
    footer = f"<tfoot>{_row('td', foot, numeric)}</tfoot>" if foot else ""
    head = _row("th", [text(h) for h in heads], numeric)
    return (
        "<div class='scroll'><table><thead>"
        f"{head}</thead><tbody>{body}</tbody>{footer}</table></div>"
    )


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Names with their values (HTML)."""
    return "<dl>" + "".join(f"<div><dt>{text(k)}</dt><dd>{v}</dd></div>" for k, v in rows) + "</dl>"


def _row(tag: str, cells: Sequence[str], numeric: Sequence[int]) -> str:
    marked = (
        f"<{tag} class='right'>{cell}</{tag}>" if i in numeric else f"<{tag}>{cell}</{tag}>"
        for i, cell in enumerate(cells)
    )
    return "<tr>" + "".join(marked) + "</tr>"


def svg_text(x: float, y: float, words: str, anchor: str, style: str = "tick") -> str:
    """Words of a chart in SVG, at a place; `anchor` as SVG's text-anchor, `style` a class."""
    place = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'"
    return f"<text class='{style}' {place}>{text(words)}</text>"
