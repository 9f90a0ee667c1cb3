"""Grouped columns and stacked shares as inline SVG, for figures that compare systems over sizes.

Columns stand on a linear or logarithmic axis; a published value is a line across its column, a
ceiling a dashed line across the plot. Colours come from the page's style through classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10

from ringwright.quantity import significant
from ringwright.report.chart import label_room
from ringwright.report.page import svg_text, text
from ringwright.report.picture import Picture

_WIDTH, _HEIGHT = 960, 270
_LEFT, _ASIDE, _TOP, _BOTTOM = 62, 120, 22, 30

#: A value to its height on the page.
_Scale = Callable[[float], float]
#: (group, series) -> value.
Values = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Grouped:
    """What to draw: a column for each group and series that has a value."""

    groups: Sequence[str]
    series: Mapping[str, str]
    values: Values
    axis: str
    log: bool = False
    published: Values = field(default_factory=dict)
    ceilings: Mapping[str, float] = field(default_factory=dict)


def grouped(chart: Grouped) -> Picture:
    """The chart with its legend; `series` maps a name to the class of its colour."""
    low, high = _limits(chart)
    plot = _WIDTH - _LEFT - _ASIDE
    step = plot / len(chart.groups)
    wide = step * 0.8 / len(chart.series)

    def y(value: float) -> float:
        share = _share(value, low, high, chart.log)
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)

    parts = [_grid(low, high, chart.log, y), svg_text(_LEFT, 10, chart.axis, "start", "axis-title")]
    for at, group in enumerate(chart.groups):
        left = _LEFT + step * at + step * 0.1
        parts.append(svg_text(left + step * 0.4, _HEIGHT - 10, group, "middle"))
        for place, (name, style) in enumerate(chart.series.items()):
            parts += _column(chart, (group, name), style, left + wide * place, wide, y)
    for name, value in chart.ceilings.items():
        if low < value <= high:
            parts.append(_ceiling(y(value), name))
    return Picture("".join(parts), _WIDTH, _HEIGHT, chart.series)


def stacked(rows: Mapping[str, Mapping[str, float]], styles: Mapping[str, str]) -> Picture:
    """Bars of equal length cut into shares; `rows` maps a label to parts with their amounts."""
    left, pitch, thick = label_room(rows, 130), 34, 20
    parts = []
    for index, (name, amounts) in enumerate(rows.items()):
        top, x = 6 + pitch * index, float(left)
        parts.append(svg_text(left - 12, top + thick - 5, name, "end", "bar-label"))
        for part, amount in amounts.items():
            share = amount / (sum(amounts.values()) or 1.0)
            wide = share * (_WIDTH - left - 8)
            parts.append(
                f"<rect class='{text(styles[part])}' x='{x:.1f}' y='{top}' width='{wide:.1f}' "
                f"height='{thick}'><title>{text(part)}: {share:.1%}</title></rect>"
            )
            if wide > 46:
                parts.append(svg_text(x + wide / 2, top + 14, f"{share:.1%}", "middle", "in-box"))
            x += wide
    height = pitch * len(rows) + 6
    return Picture("".join(parts), _WIDTH, height, styles)


def _column(  # noqa: PLR0913, PLR0917 - where and how wide
    chart: Grouped, key: tuple[str, str], style: str, x: float, wide: float, y: _Scale
) -> list[str]:
    """One column and the mark of its published value."""
    parts, bottom = [], _HEIGHT - _BOTTOM
    if key in chart.values:
        top = min(y(chart.values[key]), bottom - 1.5)
        words = f"{key[1]}, {key[0]}: {significant(chart.values[key], 4)}"
        parts.append(
            f"<rect class='{text(style)}' x='{x:.1f}' y='{top:.1f}' width='{wide * 0.9:.1f}' "
            f"height='{bottom - top:.1f}'><title>{text(words)}</title></rect>"
        )
    if key in chart.published:
        top = y(chart.published[key])
        parts.append(
            f"<line x1='{x - 1:.1f}' x2='{x + wide * 0.9 + 1:.1f}' y1='{top:.1f}' y2='{top:.1f}' "
            f"stroke='currentColor' stroke-width='2.5'>"
            f"<title>published: {significant(chart.published[key], 4)}</title></line>"
        )
    return parts


def _limits(chart: Grouped) -> tuple[float, float]:
    drawn = [*chart.values.values(), *chart.published.values()]
    known = [value for value in drawn if value > 0] or [1.0]
    if chart.log:
        return 10.0 ** floor(log10(min(known))), 10.0 ** ceil(log10(max(known) * 1.01))
    return 0.0, max([*known, *chart.ceilings.values()]) * 1.08


def _share(value: float, low: float, high: float, log: bool) -> float:
    if not log:
        return value / high
    return (log10(max(value, low)) - log10(low)) / (log10(high) - log10(low))


def _grid(low: float, high: float, log: bool, y: _Scale) -> str:
    if log:
        ticks = [10.0**power for power in range(round(log10(low)), round(log10(high)) + 1)]
    else:
        ticks = [high * part / 4 for part in range(5)]
    right = _WIDTH - _ASIDE
    return "".join(
        f"<line class='grid' x1='{_LEFT}' x2='{right}' y1='{y(t):.1f}' y2='{y(t):.1f}'/>"
        + svg_text(_LEFT - 8, y(t) + 4, significant(t), "end")
        for t in ticks
    )


def _ceiling(y: float, words: str) -> str:
    right = _WIDTH - _ASIDE
    return (
        f"<line class='threshold' x1='{_LEFT}' x2='{right}' y1='{y:.1f}' y2='{y:.1f}'/>"
        + svg_text(right + 8, y + 4, words, "start", "threshold-label")
    )
