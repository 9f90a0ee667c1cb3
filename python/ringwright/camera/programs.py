"""The computations on ciphertexts: what the server runs, one ciphertext of a picture at a time.

Each mode brings its packing, its program, and how the edge reads the result. `MODES` lists them:

`motion`   difference of two pictures, squared, summed over each tile by eight rotations; depth 1
`alarm`    the same, less a threshold that comes encrypted; the edge sees on which side a tile is
`blur`     a 3x3 kernel by eight rotations and one multiplication per distinct weight; depth 1
`none`     no computation: the picture is encrypted, kept by the server and handed back
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import ringwright as rw
from ringwright.camera.circuit import BLUR_KERNEL, Alarm, blurred, tile_energies
from ringwright.camera.packing import HaloPacking, Packing, PairPacking, Slots, TilePacking
from ringwright.camera.video import Picture, Size
from ringwright.errors import ParameterError

#: Larger thresholds do not fit the last tower beside the energies.
LARGEST_HIDDEN = 0.5

Mode = Literal["motion", "alarm", "blur", "none"]
MODES: tuple[Mode, ...] = ("motion", "alarm", "blur", "none")


@dataclass(frozen=True)
class Threshold:
    """A tile's threshold, as the edge encrypts it once: at the energies' own level and scale."""

    energy: float
    declared: rw.ckks.Input

    def slots(self, tiles: TilePacking) -> Slots:
        """The threshold of the sum over each tile, in all of the tile's slots."""
        sums = self.energy * tiles.weight**2 * tiles.pixels_in_tile
        flat = np.zeros(tiles.ciphertexts * tiles.slots)
        flat[: tiles.tiles * tiles.pixels_per_tile] = np.repeat(sums, tiles.pixels_per_tile)
        return flat.reshape(tiles.ciphertexts, tiles.slots)


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
    #: What the server subtracts without seeing it; enters the program after the pictures.
    threshold: Threshold | None = None

    def result(self, slots: Slots) -> Picture:
        """The decrypted slots as the edge reads them: tile energies (less the threshold), or a
        picture.
        """
        if isinstance(self.packing, TilePacking):
            sums = self.packing.tile_values(slots) / self.packing.weight**2
            return sums / self.packing.pixels_in_tile
        return self.packing.unpack(slots)

    def plain(self, now: Picture, before: Picture | None) -> Picture:
        """The same in the clear, from the pictures."""
        if isinstance(self.packing, TilePacking):
            assert before is not None, "motion compares two pictures"
            energies = tile_energies(now, before, self.packing)
            return energies if self.threshold is None else energies - self.threshold.energy
        return blurred(now) if self.program else now

    def moving(self, result: Picture, alarm: Alarm) -> NDArray[np.bool_] | None:
        """Which tiles move; `None` where no motion is looked for."""
        if not isinstance(self.packing, TilePacking):
            return None
        above = alarm.energy if self.threshold is None else 0.0
        moving: NDArray[np.bool_] = result > above
        return moving

    def stored_error(self, parameters: rw.ckks.Parameters) -> float:
        """Predicted standard deviation of a pixel that was encrypted and decrypted."""
        scale = self.declared.scale or parameters.scale
        noise = self.declared.noise or parameters.fresh_noise
        return parameters.slot_error(noise, scale) / self.packing.weight

    def result_error(self, parameters: rw.ckks.Parameters) -> float:
        """Predicted standard deviation of the values of `result`, the noisiest of them.

        From the edge's own trace of the program: what a server claims of a result is not asked.
        """
        if self.program is None:
            return self.stored_error(parameters)
        last = self.program.explain(parameters).rows[-1]
        error = parameters.slot_error(2.0**last.noise_bits, 2.0**last.scale_bits)
        if isinstance(self.packing, TilePacking):
            fewest = float(self.packing.pixels_in_tile.min())
            return error / (self.packing.weight**2 * fewest)
        return error


def computation(
    mode: Mode,
    size: Size,
    parameters: rw.ckks.Parameters,
    alarm: Alarm | None = None,
    *,
    symmetric: bool = False,
) -> Computation:
    """The mode for pictures of `size` in the slots of `parameters`, which the edge encrypts with
    the public key or, `symmetric`, with the secret one.

    Raises `ParameterError` where there are too few slots and `DepthError`, naming the smallest N
    that can, where the parameters do not carry the program.
    """
    made = _MAKERS[mode](size, Encrypted(parameters, symmetric), alarm or Alarm())
    if made.program is not None:
        made.program.trace(parameters)
    return made


@dataclass(frozen=True)
class Encrypted:
    """What the edge encrypts, and with which key."""

    parameters: rw.ckks.Parameters
    symmetric: bool

    def input(self, given: rw.ckks.Input) -> rw.ckks.Input:
        """The input with the noise of its encryption, where that is not the public key's."""
        if not self.symmetric:
            return given
        scale = self.parameters.scale if given.scale is None else given.scale
        return replace(given, noise=self.parameters.symmetric_noise_at(scale, given.max))

    def pixels(self, tiles: TilePacking) -> rw.ckks.Input:
        """The square, rescaled by the last prime, comes out at the parameters' own scale."""
        scale = 2.0 ** round(log2(self.parameters.q[-1] * self.parameters.scale) / 2)
        return self.input(rw.ckks.Input(max=tiles.weight / 2, scale=scale))


def _motion(size: Size, encrypted: Encrypted, _: Alarm) -> Computation:
    tiles = TilePacking(size, encrypted.parameters.slots)
    pixels = encrypted.pixels(tiles)

    @rw.program(inputs={"now": pixels, "before": pixels})
    def motion(now: rw.Vector, before: rw.Vector) -> rw.Vector:
        difference = now - before
        return (difference * difference).sum(tiles.pixels_per_tile)

    return Computation("motion", tiles, motion, pictures=2, declared=pixels)


def _alarm(size: Size, encrypted: Encrypted, given: Alarm) -> Computation:
    parameters = encrypted.parameters
    tiles = TilePacking(size, parameters.slots)
    pixels = encrypted.pixels(tiles)
    parameters.require_depth(1)
    if given.energy > LARGEST_HIDDEN:
        raise ParameterError(
            f"tile threshold {given.energy:g}: 0 to {LARGEST_HIDDEN:g} allowed, encrypted"
        )
    assert pixels.scale is not None
    threshold = encrypted.input(
        rw.ckks.Input(
            max=LARGEST_HIDDEN * tiles.weight**2 * tiles.pixels_per_tile,
            level=parameters.levels - 1,
            scale=pixels.scale**2 / parameters.q[-1],
        )
    )

    @rw.program(inputs={"now": pixels, "before": pixels, "threshold": threshold})
    def alarm(now: rw.Vector, before: rw.Vector, threshold: rw.Vector) -> rw.Vector:
        difference = now - before
        return (difference * difference).sum(tiles.pixels_per_tile) - threshold

    hidden = Threshold(given.energy, threshold)
    return Computation("alarm", tiles, alarm, 2, pixels, threshold=hidden)


def _blur(size: Size, encrypted: Encrypted, _: Alarm) -> Computation:
    halo = HaloPacking(size, encrypted.parameters.slots)
    pixels = encrypted.input(rw.ckks.Input(max=1.0))

    @rw.program(inputs={"picture": pixels})
    def blur(picture: rw.Vector) -> rw.Vector:
        sums: dict[float, rw.Vector] = {}
        for (down, right), weight in BLUR_KERNEL.items():
            neighbour = picture.rotate(halo.rotation(down, right))
            sums[weight] = sums[weight] + neighbour if weight in sums else neighbour
        corners, sides, centre = (sums[weight] * weight for weight in sorted(sums))
        return corners + sides + centre

    return Computation("blur", halo, blur, pictures=1, declared=pixels)


def _none(size: Size, encrypted: Encrypted, _: Alarm) -> Computation:
    pairs = PairPacking(size, encrypted.parameters.slots)
    pixels = encrypted.input(rw.ckks.Input(max=sqrt(2)))
    return Computation("none", pairs, None, pictures=1, declared=pixels)


_MAKERS = {"motion": _motion, "alarm": _alarm, "blur": _blur, "none": _none}
