"""How a picture of one size becomes one of another.

`cover` fills the frame and cuts off what is left over at both sides; `contain` shows the whole
picture between black bars; `stretch` fills the frame with the whole picture, out of proportion.
Sizes are in square pixels: a container may store pixels that are wider than high.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ringwright.errors import ParameterError

MODES = ("cover", "contain", "stretch")
#: Shares nearer to 1 than this are a rounding to whole pixels.
_VISIBLE = 0.005


@dataclass(frozen=True)
class Fit:
    """A picture of `source` pixels scaled to `scaled`, then cut to or framed in `frame`.

    Each is (width, height) in pixels.
    """

    mode: str
    source: tuple[int, int]
    scaled: tuple[int, int]
    frame: tuple[int, int]

    @property
    def shown(self) -> float:
        """Share of the source picture that is in the frame, 0 to 1."""
        return _overlap(self.scaled, self.frame) / _area(self.scaled)

    @property
    def filled(self) -> float:
        """Share of the frame that shows the source picture, 0 to 1; the rest is black."""
        return _overlap(self.scaled, self.frame) / _area(self.frame)

    @property
    def factors(self) -> tuple[float, float]:
        """By what the picture's width and height were multiplied."""
        wide, high = (new / old for new, old in zip(self.scaled, self.source, strict=True))
        return wide, high

    @property
    def remarks(self) -> list[str]:
        """What was done to a picture that a viewer may not expect, in plain words."""
        wide, high = self.factors
        found = []
        if self.shown < 1 - _VISIBLE:
            found.append(f"cropped, {self.shown:.0%} of each is shown")
        if self.filled < 1 - _VISIBLE:
            found.append(f"framed in black, which takes {1 - self.filled:.0%}")
        if not 1 - _VISIBLE < wide / high < 1 + _VISIBLE and self.mode == "stretch":
            found.append(f"stretched, {wide / high:.3g} times as wide")
        if max(wide, high) > 1 + _VISIBLE:
            found.append(f"scaled up {max(wide, high):.3g} times")
        return found

    def __str__(self) -> str:
        said = "; ".join(self.remarks) or "whole"
        return f"{_size(self.source)} in {_size(self.frame)} ({self.mode}): {said}"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "fit": self.mode,
            "source": list(self.source),
            "scaled": list(self.scaled),
            "frame": list(self.frame),
            "shown": self.shown,
            "filled": self.filled,
        }


def check_mode(mode: str) -> None:
    """Raises `ParameterError` for a mode that is none."""
    if mode not in MODES:
        raise ParameterError(f"fit {mode!r}: expected one of {', '.join(MODES)}")


def fitted(mode: str, source: tuple[int, int], aspect: float, frame: tuple[int, int]) -> Fit:
    """How stored pixels of `source` go into `frame`; `aspect`: width of one over its height."""
    check_mode(mode)
    square = (max(1, round(source[0] * aspect)), source[1])
    factors = (frame[0] / square[0], frame[1] / square[1])
    if mode == "stretch":
        return Fit(mode, square, frame, frame)
    factor, bound = (max(factors), max) if mode == "cover" else (min(factors), _within)
    wide, high = (bound(side, round(old * factor)) for side, old in zip(frame, square, strict=True))
    return Fit(mode, square, (wide, high), frame)


def _within(side: int, wanted: int) -> int:
    return max(1, min(side, wanted))


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> int:
    return min(one[0], other[0]) * min(one[1], other[1])


def _area(size: tuple[int, int]) -> int:
    return size[0] * size[1]


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"
