"""Pixels to slots and back: three packings, each made for what is computed on the slots.

A packing turns a picture of shape (height, width) into an array of shape (ciphertexts, slots), and
its inverse gives the same picture back. Pictures whose sides do not fit are padded inside.

`PairPacking`   two pixels a slot, real and imaginary; the densest, for storage and transport
`TilePacking`   one pixel a slot, each 16x16 tile in 256 consecutive slots: rotations by 128, 64, ..
                1 sum a tile into its first slot
`HaloPacking`   blocks of rows with one ring of neighbours around them, row-major: a 3x3 kernel is
                nine rotations by multiples of a row and single steps, right on the kept pixels

Rotations are cyclic over all slots. What a rotation carries in from a neighbouring tile or from the
far end lands only in slots that `unpack` or `tile_values` drop.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ringwright.camera.video import Picture, Size
from ringwright.errors import ParameterError

#: Slot values, shape (ciphertexts, slots), float64 or complex128.
Slots = NDArray[Any]


class Packing(Protocol):
    """What the pipeline needs of a packing."""

    @property
    def name(self) -> str:
        """One line for reports: what stands in a slot."""

    @property
    def ciphertexts(self) -> int:
        """Ciphertexts for one picture."""

    @property
    def weight(self) -> float:
        """Difference of the slot values of a white and a black pixel."""

    def pack(self, picture: Picture) -> Slots:
        """Slot values for one picture."""

    def unpack(self, slots: Slots) -> Picture:
        """The picture again."""


@dataclass(frozen=True)
class PairPacking:
    """Two pixels a slot in reading order: even pixels real, odd pixels imaginary."""

    size: Size
    slots: int
    name: str = "2 pixels a slot (real, imaginary)"

    weight = 1.0

    @property
    def ciphertexts(self) -> int:
        """Ciphertexts for one picture."""
        return ceil(self.size.pixels / (2 * self.slots))

    def pack(self, picture: Picture) -> Slots:
        """Slot values for one picture."""
        flat = np.zeros(self.ciphertexts * self.slots * 2)
        flat[: self.size.pixels] = picture.ravel()
        return flat.view(np.complex128).reshape(self.ciphertexts, self.slots)

    def unpack(self, slots: Slots) -> Picture:
        """The picture again."""
        flat = np.ascontiguousarray(slots, dtype=np.complex128).ravel().view(np.float64)
        return flat[: self.size.pixels].reshape(self.size.height, self.size.width)


@dataclass(frozen=True)
class TilePacking:
    """One pixel a slot, a tile's 256 pixels consecutive; tiles in reading order.

    Slot values are an eighth of the pixel's distance from middle grey: the sum over a tile of the
    squared difference of two pictures is then at most 4, which fits the last tower of every set.
    """

    size: Size
    slots: int
    name: str = "1 pixel a slot, tiles of 16x16"

    side = 16
    pixels_per_tile = side * side
    weight = 1 / 8
    middle = 0.5

    def __post_init__(self) -> None:
        if self.slots < self.pixels_per_tile:
            raise ParameterError(
                f"{self.slots} slots: a 16x16 tile needs {self.pixels_per_tile}, "
                f"so N must be at least {2 * self.pixels_per_tile}"
            )

    @property
    def tile_rows(self) -> int:
        """Tiles from top to bottom."""
        return ceil(self.size.height / self.side)

    @property
    def tile_columns(self) -> int:
        """Tiles from left to right."""
        return ceil(self.size.width / self.side)

    @property
    def tiles(self) -> int:
        """Tiles of one picture."""
        return self.tile_rows * self.tile_columns

    @property
    def ciphertexts(self) -> int:
        """Ciphertexts for one picture."""
        return ceil(self.tiles * self.pixels_per_tile / self.slots)

    def pack(self, picture: Picture) -> Slots:
        """Slot values for one picture."""
        rows, columns, side = self.tile_rows, self.tile_columns, self.side
        padded = np.zeros((rows * side, columns * side))
        padded[: self.size.height, : self.size.width] = self.weight * (picture - self.middle)
        tiles = padded.reshape(rows, side, columns, side).swapaxes(1, 2)
        flat = np.zeros(self.ciphertexts * self.slots)
        flat[: tiles.size] = tiles.ravel()
        return flat.reshape(self.ciphertexts, self.slots)

    def unpack(self, slots: Slots) -> Picture:
        """The picture again."""
        rows, columns, side = self.tile_rows, self.tile_columns, self.side
        flat = np.real(slots).ravel()[: self.tiles * self.pixels_per_tile]
        padded = flat.reshape(rows, columns, side, side).swapaxes(1, 2)
        picture: Picture = padded.reshape(rows * side, columns * side) / self.weight
        return picture[: self.size.height, : self.size.width] + self.middle

    def tile_values(self, slots: Slots) -> Picture:
        """The first slot of every tile, shape (tile rows, tile columns)."""
        firsts: Picture = np.real(slots).ravel()[:: self.pixels_per_tile][: self.tiles]
        return firsts.reshape(self.tile_rows, self.tile_columns)

    @cached_property
    def pixels_in_tile(self) -> NDArray[np.int64]:
        """Pixels of the picture in each tile; fewer than 256 where the edge is padded."""
        rows = np.minimum(self.side, self.size.height - self.side * np.arange(self.tile_rows))
        columns = np.minimum(self.side, self.size.width - self.side * np.arange(self.tile_columns))
        return np.outer(rows, columns)


@dataclass(frozen=True)
class HaloPacking:
    """Row-major blocks with a halo of one pixel all around; one block a ciphertext.

    The picture's own edge is repeated outwards. Of the ways to cut the picture into columns of
    blocks, the one with the fewest ciphertexts is taken.
    """

    size: Size
    slots: int
    name: str = "1 pixel a slot, blocks with a halo of 1"

    weight = 1.0

    def __post_init__(self) -> None:
        if self.slots < 9:
            raise ParameterError(f"{self.slots} slots: a 3x3 neighbourhood needs at least 9")

    @cached_property
    def block_columns(self) -> int:
        """Blocks side by side."""
        fitting = [c for c in range(1, self.size.width + 1) if self._kept_rows(c) >= 1]
        return min(fitting, key=lambda c: (c * self._block_rows(c), c))

    @property
    def kept_width(self) -> int:
        """Pixels of a block row without its halo."""
        return ceil(self.size.width / self.block_columns)

    @property
    def kept_height(self) -> int:
        """Rows of a block without its halo."""
        return self._kept_rows(self.block_columns)

    @property
    def row(self) -> int:
        """Slots from one pixel to the one below it."""
        return self.kept_width + 2

    @property
    def ciphertexts(self) -> int:
        """Ciphertexts for one picture."""
        return self.block_columns * self._block_rows(self.block_columns)

    def rotation(self, down: int, right: int) -> int:
        """Rotation that brings the neighbour (down, right), each -1 .. 1, onto a kept pixel."""
        return down * self.row + right

    def pack(self, picture: Picture) -> Slots:
        """Slot values for one picture."""
        block_rows = self._block_rows(self.block_columns)
        height, width = self.kept_height * block_rows, self.kept_width * self.block_columns
        below, beyond = 1 + height - self.size.height, 1 + width - self.size.width
        padded = np.pad(picture, ((1, below), (1, beyond)), mode="edge")
        packed = np.zeros((self.ciphertexts, self.slots))
        for index, (top, left) in enumerate(self._corners):
            block = padded[top : top + self.kept_height + 2, left : left + self.row]
            packed[index, : block.size] = block.ravel()
        return packed

    def unpack(self, slots: Slots) -> Picture:
        """Also turns packed results into a picture: the halo is dropped."""
        block_rows = self._block_rows(self.block_columns)
        picture = np.zeros((self.kept_height * block_rows, self.kept_width * self.block_columns))
        for index, (top, left) in enumerate(self._corners):
            packed = np.real(slots[index])[: (self.kept_height + 2) * self.row]
            block = packed.reshape(self.kept_height + 2, self.row)[1:-1, 1:-1]
            picture[top : top + self.kept_height, left : left + self.kept_width] = block
        return picture[: self.size.height, : self.size.width]

    @property
    def _corners(self) -> list[tuple[int, int]]:
        rows = range(self._block_rows(self.block_columns))
        return [
            (r * self.kept_height, c * self.kept_width)
            for r in rows
            for c in range(self.block_columns)
        ]

    def _kept_rows(self, columns: int) -> int:
        row = ceil(self.size.width / columns) + 2
        return min(self.size.height, self.slots // row - 2)

    def _block_rows(self, columns: int) -> int:
        return ceil(self.size.height / self._kept_rows(columns))
