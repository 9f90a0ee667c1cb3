"""The computations on ciphertexts: what the server runs, one ciphertext of a picture at a time.

Each mode brings its packing, its program, and how the edge reads the result. `MODES` lists them:

`motion`   difference of two pictures, squared, summed over each tile by eight rotations; depth 1
`blur`     a 3x3 kernel by eight rotations and one multiplication per distinct weight; depth 1
`none`     no computation: the picture is encrypted, kept by the server and handed back
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2, sqrt
from typing import Literal

import ringwright as rw
from ringwright.camera.circuit import BLUR_KERNEL, blurred, tile_energies
from ringwright.camera.packing import HaloPacking, Packing, PairPacking, Slots, TilePacking
from ringwright.camera.quality import slot_error
from ringwright.camera.video import Picture, Size

Mode = Literal["motion", "blur", "none"]
MODES: tuple[Mode, ...] = ("motion", "blur", "none")


@dataclass(frozen=True)
class Computation:
    """A mode made concrete for one picture size and one set of parameters."""

    mode: Mode
    packing: Packing
    #: What runs on the server; `None` hands the picture back as it is.
    program: rw.Program | None
    #: Pictures that enter the program: this one, and for motion the one before.
    pictures: int
    #: Scale and bounds of the slots in which pictures are encoded.
    declared: rw.ckks.Input

    def result(self, slots: Slots) -> Picture:
        """The decrypted slots as the edge reads them: tile energies, or a picture."""
        if isinstance(self.packing, TilePacking):
            sums = self.packing.tile_values(slots) / self.packing.weight**2
            return sums / self.packing.pixels_in_tile
        return self.packing.unpack(slots)

    def plain(self, now: Picture, before: Picture | None) -> Picture:
        """The same in the clear, from the pictures."""
        if isinstance(self.packing, TilePacking):
            assert before is not None, "motion compares two pictures"
            return tile_energies(now, before, self.packing)
        return blurred(now) if self.program else now

    def stored_error(self, parameters: rw.ckks.Parameters) -> float:
        """Predicted standard deviation of a pixel that was encrypted and decrypted."""
        scale = self.declared.scale or parameters.scale
        return slot_error(parameters.fresh_noise, scale, parameters) / self.packing.weight

    def result_error(self, parameters: rw.ckks.Parameters) -> float:
        """Predicted standard deviation of the values of `result`, the noisiest of them.

        From the edge's own trace of the program: what a server claims of a result is not asked.
        """
        if self.program is None:
            return self.stored_error(parameters)
        last = self.program.explain(parameters).rows[-1]
        error = slot_error(2.0**last.noise_bits, 2.0**last.scale_bits, parameters)
        if isinstance(self.packing, TilePacking):
            fewest = float(self.packing.pixels_in_tile.min())
            return error / (self.packing.weight**2 * fewest)
        return error


def computation(mode: Mode, size: Size, parameters: rw.ckks.Parameters) -> Computation:
    """The mode for pictures of `size` in the slots of `parameters`.

    Raises `ParameterError` where there are too few slots and `DepthError`, naming the smallest N
    that can, where the parameters do not carry the program.
    """
    made = _MAKERS[mode](size, parameters)
    if made.program is not None:
        made.program.trace(parameters)
    return made


def _motion(size: Size, parameters: rw.ckks.Parameters) -> Computation:
    tiles = TilePacking(size, parameters.slots)
    # The square, rescaled by the last prime, comes out at the parameters' own scale.
    scale = 2.0 ** round(log2(parameters.q[-1] * parameters.scale) / 2)
    pixels = rw.ckks.Input(max=tiles.weight / 2, rms=tiles.weight / 4, scale=scale)

    @rw.program(inputs={"now": pixels, "before": pixels})
    def motion(now: rw.Vector, before: rw.Vector) -> rw.Vector:
        difference = now - before
        return (difference * difference).sum(tiles.pixels_per_tile)

    return Computation("motion", tiles, motion, pictures=2, declared=pixels)


def _blur(size: Size, parameters: rw.ckks.Parameters) -> Computation:
    halo = HaloPacking(size, parameters.slots)
    pixels = rw.ckks.Input(max=1.0, rms=0.5)

    @rw.program(inputs={"picture": pixels})
    def blur(picture: rw.Vector) -> rw.Vector:
        sums: dict[float, rw.Vector] = {}
        for (down, right), weight in BLUR_KERNEL.items():
            neighbour = picture.rotate(halo.rotation(down, right))
            sums[weight] = sums[weight] + neighbour if weight in sums else neighbour
        corners, sides, centre = (sums[weight] * weight for weight in sorted(sums))
        return corners + sides + centre

    return Computation("blur", halo, blur, pictures=1, declared=pixels)


def _none(size: Size, parameters: rw.ckks.Parameters) -> Computation:
    pairs = PairPacking(size, parameters.slots)
    return Computation("none", pairs, None, pictures=1, declared=rw.ckks.Input(max=sqrt(2)))


_MAKERS = {"motion": _motion, "blur": _blur, "none": _none}
