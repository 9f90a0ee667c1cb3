"""The computations, in the clear: what the encrypted programs must equal.

Motion: the mean squared difference of two pictures over each 16x16 tile, the tile's *energy*; a
tile moves where its energy passes a threshold, and a picture raises the alarm where enough tiles
move. Blur: a 3x3 binomial kernel, the picture's edge repeated outwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringwright.camera.packing import TilePacking
from ringwright.camera.video import Picture
from ringwright.errors import ParameterError

#: Weight of each neighbour (down, right); they sum to 1 and are exact in binary.
BLUR_KERNEL: dict[tuple[int, int], float] = {
    (down, right): (2 - abs(down)) * (2 - abs(right)) / 16
    for down in (-1, 0, 1)
    for right in (-1, 0, 1)
}


@dataclass(frozen=True)
class Alarm:
    """When motion counts: a tile's energy above `energy`, in more than `share` of the tiles."""

    energy: float = 0.004
    share: float = 0.08

    def __post_init__(self) -> None:
        if not 0 <= self.energy <= 1:
            raise ParameterError(f"tile threshold {self.energy:g}: 0 to 1 allowed")
        if not 0 <= self.share <= 1:
            raise ParameterError(f"alarm share {self.share:g}: 0 to 1 allowed")

    def raised(self, moving: NDArray[np.bool_]) -> bool:
        """Whether enough tiles move."""
        return bool(np.mean(moving) > self.share)


def tile_energies(now: Picture, before: Picture, tiles: TilePacking) -> Picture:
    """Mean squared difference of every tile's pixels, shape (tile rows, tile columns)."""
    squares = np.square(now - before)
    side = tiles.side
    padded = np.zeros((tiles.tile_rows * side, tiles.tile_columns * side))
    padded[: squares.shape[0], : squares.shape[1]] = squares
    sums = padded.reshape(tiles.tile_rows, side, tiles.tile_columns, side).sum(axis=(1, 3))
    energies: Picture = sums / tiles.pixels_in_tile
    return energies


def blurred(picture: Picture) -> Picture:
    """The picture under the 3x3 kernel."""
    height, width = picture.shape
    padded = np.pad(picture, 1, mode="edge")
    total: Picture = np.zeros((height, width))
    for (down, right), weight in BLUR_KERNEL.items():
        total += weight * padded[1 + down : 1 + down + height, 1 + right : 1 + right + width]
    return total
