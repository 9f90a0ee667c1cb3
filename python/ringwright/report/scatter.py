"""Designs as points over two quantities, the best joined by a line, for figures that stand alone.

Both axes are logarithms. What a point is called stands in its tooltip, and of the best, and of
what a paper prints, beside the point where there is room. Colours come from the page's style
through classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from ringwright.quantity import significant
from ringwright.report.page import svg_text, text
from ringwright.report.picture import Picture

_WIDTH, _HEIGHT = 960, 430
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 24, 30, 46
#: Ticks of a decade.
_TICKS = (1, 2, 5)
_PUBLISHED = "published"
#: Characters of a name are so wide; names so high.
_WIDE, _LINE = 7.2, 14.0


@dataclass(frozen=True)
class Point:
    """A design: its name, its series, and where it lies; both quantities are above 0."""

    name: str
    series: str
    across: float
    up: float


@dataclass(frozen=True)
class Scatter:
    """What to draw. `series` maps a name to the class of its colour; `best` are joined in order."""

    points: Sequence[Point]
    series: Mapping[str, str]
    best: Sequence[Point]
    axes: tuple[str, str]
    published: Sequence[Point] = ()


def scatter(chart: Scatter) -> Picture:
    """The chart with its legend."""
    drawn = [*chart.points, *chart.published]
    left, right = _ends([point.across for point in drawn])
    low, high = _ends([point.up for point in drawn])

    def x(value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * log10(value / left) / log10(right / left)

    def y(value: float) -> float:
        span = _HEIGHT - _TOP - _BOTTOM
        return _HEIGHT - _BOTTOM - span * log10(value / low) / log10(high / low)

    bottom, end = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = [
        f"<line class='grid' x1='{x(t):.1f}' x2='{x(t):.1f}' y1='{_TOP}' y2='{bottom}'/>"
        + svg_text(x(t), bottom + 18, significant(t), "middle")
        for t in _ticks(left, right)
    ]
    parts += [
        f"<line class='grid' x1='{_LEFT}' x2='{end}' y1='{y(t):.1f}' y2='{y(t):.1f}'/>"
        + svg_text(_LEFT - 8, y(t) + 4, significant(t), "end")
        for t in _ticks(low, high)
    ]
    parts.append(svg_text((_LEFT + end) / 2, _HEIGHT - 8, chart.axes[0], "middle", "axis-title"))
    parts.append(svg_text(_LEFT, 14, chart.axes[1], "start", "axis-title"))
    line = " ".join(f"{x(point.across):.1f},{y(point.up):.1f}" for point in chart.best)
    parts.append(f"<polyline class='roof series-4' points='{line}'/>")
    for point in chart.points:
        style = text(chart.series[point.series])
        at = f"cx='{x(point.across):.1f}' cy='{y(point.up):.1f}'"
        parts.append(f"<circle class='{style}' {at} r='6'><title>{_said(point)}</title></circle>")
    taken: list[tuple[float, float, float]] = []
    for point in chart.published:
        parts.append(_diamond(x(point.across), y(point.up), f"{_PUBLISHED}: {_said(point)}"))
        parts.append(_name(f"{_PUBLISHED}, {point.name}", x(point.across), y(point.up), taken))
    parts += [_name(point.name, x(point.across), y(point.up), taken) for point in chart.best]
    return Picture("".join(parts), _WIDTH, _HEIGHT, chart.series)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """The ticks around the values."""
    low, high = min(values) / 1.05, max(values) * 1.05
    return max(t for t in _around(low) if t <= low), min(t for t in _around(high) if t >= high)


def _around(value: float) -> list[float]:
    decade = floor(log10(value))
    return [tick * 10.0**power for power in (decade, decade + 1) for tick in _TICKS]


def _ticks(low: float, high: float) -> list[float]:
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    every = [tick * 10.0**power for power in powers for tick in _TICKS]
    return [tick for tick in every if low * 0.999 <= tick <= high * 1.001]


def _said(point: Point) -> str:
    return text(f"{point.name}: {significant(point.across, 4)}, {significant(point.up, 4)}")


def _name(words: str, x: float, y: float, taken: list[tuple[float, float, float]]) -> str:
    """The name beside its point, on that side of a falling line where no other name stands.

    Nothing where there is no room; the tooltip has it.
    """
    wide = _WIDE * len(words)
    right, left = (x + 9, y - 8, "start"), (x - 9 - wide, y + 18, "end")
    for start, line, anchor in (right, left):
        free = all(
            abs(line - other) >= _LINE or start >= end or start + wide <= begin
            for begin, end, other in taken
        )
        if free and start >= _LEFT and start + wide <= _WIDTH:
            taken.append((start, start + wide, line))
            place = start if anchor == "start" else start + wide
            return svg_text(place, line, words, anchor, "threshold-label over")
    return ""


def _diamond(x: float, y: float, words: str) -> str:
    shape = f"M{x:.1f} {y - 8:.1f} L{x + 8:.1f} {y:.1f} L{x:.1f} {y + 8:.1f} L{x - 8:.1f} {y:.1f} Z"
    style = "fill='none' stroke='currentColor' stroke-width='2.5'"
    return f"<path d='{shape}' {style}><title>{words}</title></path>"
