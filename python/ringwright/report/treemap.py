"""Areas of a machine as a treemap: a file of SVG that stands alone, light and dark.

Each rectangle is as large as its share of the expected area; units hold their parts.
"""

from __future__ import annotations

import squarify

from ringwright.quantity import significant
from ringwright.report.page import text
from ringwright.silicon import Cost, CostRow

WIDTH, HEIGHT = 960, 560
_HEAD = 44
#: Hues of units, in the order of their size; further ones begin again.
_HUES = (176, 230, 32, 8, 264, 140, 52, 200, 320, 96)
#: Pixels that a letter takes, and those around a label.
_LETTER, _AROUND = 7.0, 12

_STYLE = """\
text { font: 12px "Inter", "Segoe UI", system-ui, sans-serif; fill: #16191d; }
.title { font-size: 15px; font-weight: 600; }
.unit { font-weight: 600; }
.soft { fill: #4b525b; }
rect { stroke: #fcfcfa; stroke-width: 1.5; }
.paper { fill: #fcfcfa; stroke: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #eceef0; } .soft { fill: #b4bbc4; }
  rect { stroke: #14171a; } .paper { fill: #14171a; }
  .part { filter: brightness(.52) saturate(.9); }
}
"""


def treemap(cost: Cost) -> str:
    """The picture; titles on hover say range, provenance and source."""
    total = cost.need_area()
    units = sorted(cost.units, key=lambda unit: -cost.units[unit].value.expected)
    areas = [cost.units[unit].value.expected for unit in units]
    boxes = squarify.squarify(
        squarify.normalize_sizes(areas, WIDTH, HEIGHT - _HEAD), 0, _HEAD, WIDTH, HEIGHT - _HEAD
    )
    ends = (total.value.low, total.value.expected, total.value.high)
    low, expected, high = map(significant, ends)
    title = f"{cost.machine}: {expected} mm², from {low} to {high} ({cost.process})"
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{text(title)}"><style>{_STYLE}</style>',
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="title" x="8" y="27">{text(title)}</text>',
    ]
    for number, (unit, box) in enumerate(zip(units, boxes, strict=True)):
        parts = [row for row in cost.rows if row.unit == unit and row.quantity == "area_mm2"]
        drawn += _unit(cost, unit, parts, box, _HUES[number % len(_HUES)])
    return "\n".join([*drawn, "</svg>\n"])


def _unit(
    cost: Cost, unit: str, parts: list[CostRow], box: dict[str, float], hue: int
) -> list[str]:
    parts = sorted((p for p in parts if p.value.expected > 0), key=lambda p: -p.value.expected)
    sizes = [part.value.expected for part in parts]
    inside = squarify.squarify(
        squarify.normalize_sizes(sizes, box["dx"], box["dy"]),
        box["x"],
        box["y"],
        box["dx"],
        box["dy"],
    )
    drawn = []
    for number, (part, at) in enumerate(zip(parts, inside, strict=True)):
        hover = f"{unit}, {part.part}: {part.value} mm², {part.provenance}. {part.source}"
        drawn.append(
            f'<rect class="part" x="{at["x"]:.1f}" y="{at["y"]:.1f}" width="{at["dx"]:.1f}" '
            f'height="{at["dy"]:.1f}" fill="hsl({hue} 48% {72 + 6 * (number % 3)}%)">'
            f"<title>{text(hover)}</title></rect>"
        )
        # The largest part has the unit's name above its own.
        drawn += _label(at, unit if number == 0 else "", part, cost)
    return drawn


def _label(at: dict[str, float], unit: str, part: CostRow, cost: Cost) -> list[str]:
    share = part.value.expected / cost.need_area().value.expected
    lines = [("unit", unit)] if unit else []
    lines += [("", part.part), ("soft", f"{significant(part.value.expected)} mm² · {share:.1%}")]
    fits = [(style, line) for style, line in lines if len(line) * _LETTER + _AROUND < at["dx"]]
    if 16 * len(fits) + 6 > at["dy"]:
        fits = fits[: max(0, int((at["dy"] - 6) // 16))]
    return [
        f'<text class="{style}" x="{at["x"] + 6:.1f}" y="{at["y"] + 16 * (i + 1):.1f}">'
        f"{text(line)}</text>"
        for i, (style, line) in enumerate(fits)
    ]
