"""A chart that can stand in a page or alone: as SVG, or as PNG."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ringwright import checkout
from ringwright.report.page import text

_FOLDER = Path(__file__).parent
#: Around a chart that stands alone, above it, and below it for a line of the legend.
_EDGE, _HEAD, _LINE = 16, 44, 22
#: What a letter of a legend takes, and what stands between two names.
_LETTER, _BETWEEN = 7.0, 34
#: Pixels of a PNG for each of the SVG.
_SCALE = 2


@dataclass(frozen=True)
class Picture:
    """A drawing in a box of `width` by `height`, and the class of the colour of each name."""

    drawing: str
    width: int
    height: int
    legend: Mapping[str, str]

    def html(self) -> str:
        """As it stands in a page."""
        box = f"<svg viewBox='0 0 {self.width} {self.height}' role='img'>{self.drawing}</svg>"
        return box + legend(self.legend)

    def svg(self, title: str) -> str:
        """A file that stands alone, on paper's white."""
        names, lines = self._names()
        width = self.width + 2 * _EDGE
        height = _HEAD + self.height + _LINE * lines + 2 * _EDGE
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' "
            f"width='{width}' height='{height}' role='img' aria-label='{text(title)}'>"
            f"<style>{_style()}</style><rect width='{width}' height='{height}' fill='#fff'/>"
            f"<text class='bar-label' x='{_EDGE}' y='{_EDGE + 14}'>{text(title)}</text>"
            f"<g transform='translate({_EDGE} {_HEAD})' color='#16191d'>{self.drawing}</g>"
            f"<g transform='translate({_EDGE} {_HEAD + self.height})'>{names}</g></svg>\n"
        )

    def png(self, title: str) -> bytes:
        """The same in pixels. Raises `MissingToolError` without resvg."""
        checkout.need({"resvg_py": "resvg-py"}, "PNG", "python -m pip install resvg-py")
        import resvg_py

        return bytes(resvg_py.svg_to_bytes(svg_string=self.svg(title), zoom=_SCALE))

    def _names(self) -> tuple[str, int]:
        """The legend as SVG, and how many lines it takes."""
        parts, x, line = [], 0.0, 0
        for name, style in self.legend.items():
            wide = _LETTER * len(name) + _BETWEEN
            if x and x + wide > self.width:
                x, line = 0.0, line + 1
            y = _EDGE + _LINE * line
            parts.append(
                f"<rect class='{text(style)}' x='{x:.0f}' y='{y - 10}' width='11' height='11' "
                f"rx='3'/><text x='{x + 18:.0f}' y='{y}'>{text(name)}</text>"
            )
            x += wide
        return "".join(parts), line + 1


def legend(styles: Mapping[str, str]) -> str:
    """Names beside their colours, for a page."""
    items = (
        f"<span><i class='swatch {text(style)}'></i>{text(name)}</span>"
        for name, style in styles.items()
    )
    return f"<div class='legend'>{''.join(items)}</div>"


def _style() -> str:
    """The rules of charts with the light colours in place of their names."""
    page = (_FOLDER / "style.css").read_text(encoding="utf-8")
    rules = (_FOLDER / "chart.css").read_text(encoding="utf-8")
    light = page[: page.index("@media")]
    colours = dict(re.findall(r"(--[\w-]+): ([^;]+);", light))
    fonts = 'text { font-family: "Inter", "DejaVu Sans", "Liberation Sans", sans-serif; }\n'
    return fonts + re.sub(r"var\((--[\w-]+)\)", lambda found: colours[found[1]], rules)
