"""Charts as inline SVG: columns over time, bars with a ceiling, spans on tracks.

Colours come from the page's style through classes, so a chart follows light and dark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from ringwright.report.page import svg_text, text

WIDTH = 960
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 8, 26, 28
#: Boxes that the width of a chart can show side by side.
_RESOLUTION = 240
#: Room beside a plot for the name of its threshold.
_ASIDE = 104


@dataclass(frozen=True)
class Column:
    """One column: its number on the axis, value, and class of its colour."""

    index: int
    value: float
    style: str


@dataclass(frozen=True)
class Bar:
    """One horizontal bar: label, value, class of its colour, text at its end."""

    label: str
    value: float
    style: str
    caption: str


@dataclass(frozen=True)
class Box:
    """One span of a `tracks` chart, in the chart's unit; `share`: of the track's height."""

    track: str
    start: float
    end: float
    style: str
    title: str
    label: str = ""
    share: float = 1.0


def columns(items: Sequence[Column], threshold: float, *, unit: str, across: str) -> str:
    """Columns side by side, every fifth with its index, and a threshold line."""
    top = _nice_ceiling(max([*(item.value for item in items), threshold]) * 1.08)
    height = 230
    plot_width, plot_height = WIDTH - _LEFT - _ASIDE, height - _TOP - _BOTTOM
    step = plot_width / max(1, len(items))
    bar = min(26.0, step * 0.68)

    def y(value: float) -> float:
        return _TOP + plot_height * (1 - value / top)

    parts = [_grid(top, y, unit)]
    for place, item in enumerate(items):
        x = _LEFT + step * place + (step - bar) / 2
        tall = max(1.5, y(0) - y(item.value))
        parts.append(
            f"<rect class='{text(item.style)}' x='{x:.1f}' y='{y(0) - tall:.1f}' "
            f"width='{bar:.1f}' height='{tall:.1f}' rx='2'>"
            f"<title>{item.index}: {item.value:.4g}{text(unit)}</title></rect>"
        )
        if item.index % (5 * ceil(len(items) / 60)) == 0:
            parts.append(svg_text(x + bar / 2, height - 10, str(item.index), "middle"))
    parts.append(_threshold(y(threshold), f"threshold {threshold:g}{unit}"))
    parts.append(svg_text(_LEFT, 10, across, "start", "axis-title"))
    return _svg(height, parts)


def bars(rows: Sequence[Bar], *, axis: str, ceiling: float, words: str) -> str:
    """Horizontal bars from zero, the longest value at full length; `words` name the ceiling."""
    pitch, thick = 38, 18
    end = label_room((row.caption for row in rows), 200)
    left = label_room((row.label for row in rows), 96)
    longest = max([ceiling, *(row.value for row in rows)])
    height = pitch * len(rows) + 26
    line = left + (WIDTH - left - end) * ceiling / longest
    parts = [
        f"<line class='threshold' x1='{line:.1f}' x2='{line:.1f}' y1='16' y2='{height - 4}'/>",
        svg_text(line, 10, words, "middle", "threshold-label"),
        svg_text(left, 10, axis, "start", "axis-title"),
    ]
    for index, row in enumerate(rows):
        y = 24 + pitch * index
        length = max(2.0, (WIDTH - left - end) * row.value / longest)
        parts.append(svg_text(left - 14, y + thick - 4, row.label, "end", "bar-label"))
        parts.append(
            f"<rect class='{text(row.style)}' x='{left}' y='{y}' "
            f"width='{length:.1f}' height='{thick}' rx='3'/>"
        )
        parts.append(svg_text(WIDTH - _RIGHT, y + thick - 4, row.caption, "end", "bar-value"))
    return _svg(height, parts)


def label_room(labels: Iterable[str], least: float) -> float:
    """Room beside a plot for the longest of these, at the size of a bar's label."""
    return max([least, *(8.2 * len(label) + 18 for label in labels)])


def tracks(boxes: Sequence[Box], names: Mapping[str, str], *, length: float, unit: str) -> str:
    """Spans on named tracks from 0 to `length`; `names` maps a track to its label, in order."""
    left, pitch, thick = label_room(names.values(), 96), 44, 28
    plot = WIDTH - left - _RIGHT
    height = pitch * len(names) + 34
    order = {track: index for index, track in enumerate(names)}
    parts = []
    for track, index in order.items():
        y = 8 + pitch * index
        parts.append(f"<rect class='lane' x='{left}' y='{y}' width='{plot}' height='{thick}'/>")
        parts.append(svg_text(left - 14, y + thick / 2 + 4, names[track], "end", "bar-label"))
    for tick in _ticks(length):
        x = left + plot * tick / length
        parts.append(f"<line class='grid' x1='{x:.1f}' x2='{x:.1f}' y1='4' y2='{height - 26}'/>")
        parts.append(svg_text(x, height - 10, f"{tick:g} {unit}", "middle"))
    for box in boxes:
        x = left + plot * box.start / length
        wide = max(0.8, plot * (box.end - box.start) / length)
        y = 8 + pitch * order[box.track]
        high = thick * box.share
        parts.append(
            f"<rect class='{text(box.style)}' x='{x:.2f}' y='{y + thick - high:g}' "
            f"width='{wide:.2f}' height='{high:g}' rx='{1.5 if box.share == 1 else 0}'>"
            f"<title>{text(box.title)}</title></rect>"
        )
        if box.label and wide > 7 * len(box.label) + 8:
            parts.append(svg_text(x + wide / 2, y + thick / 2 + 4, box.label, "middle", "in-box"))
    return _svg(height, parts)


def binned(boxes: Sequence[Box], length: float) -> list[Box]:
    """Boxes that are too many to be seen apart as boxes side by side, each as high as the share of
    its time in which the track works, in the style that works most of it. The boxes of a track do
    not overlap.
    """
    step = length / _RESOLUTION
    busy: dict[tuple[str, int], dict[str, float]] = {}
    for box in boxes:
        for place in range(int(box.start / step), min(_RESOLUTION, int(box.end / step) + 1)):
            inside = min(box.end, step * (place + 1)) - max(box.start, step * place)
            if inside > 0:
                styles = busy.setdefault((box.track, place), {})
                styles[box.style] = styles.get(box.style, 0.0) + inside
    made = []
    for (track, place), styles in busy.items():
        share = min(1.0, sum(styles.values()) / step)
        style = max(styles, key=styles.__getitem__)
        start, end = step * place, step * (place + 1)
        made.append(Box(track, start, end, style, f"{share:.0%} busy", share=share))
    return made


def _svg(height: float, parts: Sequence[str]) -> str:
    return f"<svg viewBox='0 0 {WIDTH} {height:g}' role='img'>{''.join(parts)}</svg>"


def _threshold(y: float, words: str) -> str:
    right = WIDTH - _ASIDE
    return (
        f"<line class='threshold' x1='{_LEFT}' x2='{right}' y1='{y:.1f}' y2='{y:.1f}'/>"
        + svg_text(right + 8, y + 4, words, "start", "threshold-label")
    )


def _grid(top: float, y: Callable[[float], float], unit: str) -> str:
    lines = []
    for tick in _ticks(top):
        lines.append(
            f"<line class='grid' x1='{_LEFT}' x2='{WIDTH - _ASIDE}' "
            f"y1='{y(tick):.1f}' y2='{y(tick):.1f}'/>"
            + svg_text(_LEFT - 10, y(tick) + 4, f"{tick:g}{unit}", "end")
        )
    return "".join(lines)


def _ticks(top: float) -> list[float]:
    """About four or five round values from 0 to `top`."""
    step = _nice_ceiling(top / 5)
    return [round(step * i, 10) for i in range(int(top / step + 1e-9) + 1)]


def _nice_ceiling(value: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is not below `value`."""
    if value <= 0:
        return 1.0
    power = 10.0 ** int(f"{value:e}".split("e")[1])
    return next(power * m for m in (1, 2, 2.5, 4, 5, 10) if power * m >= value * (1 - 1e-12))
