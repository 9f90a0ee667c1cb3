"""Rooflines as inline SVG: on both axes logarithms, a slope for memory, a level for multipliers.

Machines with the same roofs share one line. A point's place is a program's; what lies between it
and the roof above it is what the machine did not use. Colours come from the page's style.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from ringwright.quantity import significant
from ringwright.report.page import svg_text, text

_WIDTH, _HEIGHT = 960, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 24, 30, 52
#: Classes of colour, one after the other.
SERIES = ("series-0", "series-1", "series-2", "series-3", "series-4")
#: Characters of a label are so wide; labels of lines so high.
_WIDE, _LINE = 7.2, 17.0

#: A value to its place on the page.
_Scale = Callable[[float], float]


@dataclass(frozen=True)
class Point:
    """A program on a machine: products a byte and a second, and the machine's roofs."""

    name: str
    intensity: float
    attained: float
    products_per_second: float
    bytes_per_second: float

    @property
    def roofs(self) -> tuple[float, float]:
        """Products and bytes a second at most."""
        return self.products_per_second, self.bytes_per_second

    @property
    def allowed(self) -> float:
        """Products a second that the roofs allow at its intensity."""
        return min(self.products_per_second, self.intensity * self.bytes_per_second)


def roofs(points: Sequence[Point]) -> str:
    """The chart of one point or more."""
    known = list(dict.fromkeys(point.roofs for point in points))
    ridges = [products / rate for products, rate in known]
    left, right = _decades([*(point.intensity for point in points), *ridges], 3.0)
    products = [each for each, _ in known]
    low, high = _decades([*(point.attained for point in points), *products], 2.0)

    def x(value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * log10(value / left) / log10(right / left)

    def y(value: float) -> float:
        return (
            _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * log10(value / low) / log10(high / low)
        )

    parts = [_grid(x, y, (left, right), (low, high))]
    colour = {each: SERIES[index % len(SERIES)] for index, each in enumerate(known)}
    for each in known:
        names = [point.name for point in points if point.roofs == each]
        parts.append(_roof(each, ", ".join(names), colour[each], x, y, (left, right), low))
    taken: list[tuple[float, float]] = []
    parts += [_point(point, colour[point.roofs], x, y, taken) for point in points]
    return f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img'>{''.join(parts)}</svg>"


def _decades(values: Sequence[float], room: float) -> tuple[float, float]:
    """Powers of ten around the values, with so many times of room at either end."""
    low, high = min(values) / room, max(values) * room
    return 10.0 ** floor(log10(low)), 10.0 ** ceil(log10(high))


def _roof(  # noqa: PLR0913, PLR0917 - what to draw, and where
    given: tuple[float, float],
    names: str,
    style: str,
    x: _Scale,
    y: _Scale,
    across: tuple[float, float],
    low: float,
) -> str:
    """Slope and level of machines, named along the level."""
    products, rate = given
    ridge = products / rate
    first = max(across[0], low / rate)
    corners = [(first, first * rate), (ridge, products), (across[1], products)]
    line = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in corners)
    level = f"{names}: {_rate(products)} products/s"
    slope = f"{_rate(rate)}B/s"
    middle = (first * ridge) ** 0.5
    return (
        f"<polyline class='roof {text(style)}' points='{line}'/>"
        f"<line class='ridge {text(style)}' x1='{x(ridge):.1f}' x2='{x(ridge):.1f}' "
        f"y1='{y(products):.1f}' y2='{_HEIGHT - _BOTTOM}'/>"
        + svg_text(_WIDTH - _RIGHT, y(products) - 8, level, "end", "threshold-label over")
        + svg_text(x(middle) - 10, y(middle * rate) - 6, slope, "end", "threshold-label over")
    )


def _point(point: Point, style: str, x: _Scale, y: _Scale, taken: list[tuple[float, float]]) -> str:
    """The program, a line up to its roof, and its name where no other stands."""
    at, here = x(point.intensity), y(point.attained)
    share = f"{point.attained / point.allowed:.0%} of the roof"
    label = f"{point.name}, {share}"
    line = here + 5
    while any(abs(line - other) < _LINE and abs(at - place) < 320 for place, other in taken):
        line += _LINE
    taken.append((at, line))
    title = f"{label}: {significant(point.intensity)} products a byte, {_rate(point.attained)}/s"
    room = _WIDTH - _RIGHT - at > _WIDE * len(label) + 20
    place, anchor = (at + 12, "start") if room else (at - 12, "end")
    return (
        f"<line class='ridge {text(style)}' x1='{at:.1f}' x2='{at:.1f}' y1='{here:.1f}' "
        f"y2='{y(point.allowed):.1f}'/>"
        f"<circle class='point {text(style)}' cx='{at:.1f}' cy='{here:.1f}' r='6'>"
        f"<title>{text(title)}</title></circle>"
        + svg_text(place, line, label, anchor, "bar-label over")
    )


def _grid(x: _Scale, y: _Scale, across: tuple[float, float], up: tuple[float, float]) -> str:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    columns = "".join(
        f"<line class='grid' x1='{x(t):.1f}' x2='{x(t):.1f}' y1='{_TOP}' y2='{bottom}'/>"
        + svg_text(x(t), bottom + 20, significant(t), "middle")
        for t in _powers(*across)
    )
    rows = "".join(
        f"<line class='grid' x1='{_LEFT}' x2='{right}' y1='{y(t):.1f}' y2='{y(t):.1f}'/>"
        + svg_text(_LEFT - 10, y(t) + 4, _rate(t), "end")
        for t in _powers(*up)
    )
    middle = (_LEFT + right) / 2
    titles = svg_text(middle, _HEIGHT - 10, "products a byte off chip", "middle", "axis-title")
    return columns + rows + titles + svg_text(_LEFT, 14, "products a second", "start", "axis-title")


def _powers(low: float, high: float) -> list[float]:
    return [10.0**power for power in range(round(log10(low)), round(log10(high)) + 1)]


def _rate(value: float) -> str:
    """With the prefix that suits: `"215 G"`."""
    for prefix, one in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if float(f"{value:.3g}") >= one:
            return f"{significant(value / one)}\u202f{prefix}"
    return significant(value)
