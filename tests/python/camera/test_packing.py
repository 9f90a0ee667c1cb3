"""Packings invert, and rotations of packed slots compute what the plain circuit computes."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest

import ringwright as rw
from ringwright.camera.circuit import BLUR_KERNEL, blurred, tile_energies
from ringwright.camera.packing import HaloPacking, PairPacking, TilePacking
from ringwright.camera.video import Size
from ringwright.errors import ParameterError

# Sides that divide, that do not, and that are smaller than a tile or a block.
SIZES = [Size(160, 120), Size(33, 17), Size(8, 8), Size(16, 16), Size(129, 65), Size(300, 9)]
SLOTS = [512, 1024, 2048]


def picture(size: Size, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((size.height, size.width))


def rotated(slots: np.ndarray, steps: int) -> np.ndarray:
    """What a rotation does to every ciphertext: slot i becomes slot i + steps, cyclically."""
    return np.roll(slots, -steps, axis=1)


@pytest.mark.parametrize("slots", SLOTS)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("packing", [PairPacking, TilePacking, HaloPacking])
def test_unpack_inverts_pack(packing, size: Size, slots: int) -> None:
    made = packing(size, slots)
    original = picture(size, slots)
    packed = made.pack(original)
    assert packed.shape == (made.ciphertexts, slots)
    np.testing.assert_allclose(made.unpack(packed), original, rtol=0, atol=1e-15)


@pytest.mark.parametrize("slots", SLOTS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_eight_rotations_sum_every_tile(size: Size, slots: int) -> None:
    tiles = TilePacking(size, slots)
    now, before = picture(size, 1), picture(size, 2)
    sums = np.square(tiles.pack(now) - tiles.pack(before))
    steps = tiles.pixels_per_tile
    while steps := steps // 2:
        sums = sums + rotated(sums, steps)
    energies = tiles.tile_values(sums) / tiles.weight**2 / tiles.pixels_in_tile
    np.testing.assert_allclose(energies, tile_energies(now, before, tiles), rtol=1e-12)


@pytest.mark.parametrize("slots", SLOTS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_nine_rotations_blur_every_kept_pixel(size: Size, slots: int) -> None:
    halo = HaloPacking(size, slots)
    original = picture(size, 3)
    packed = halo.pack(original)
    total = sum(w * rotated(packed, halo.rotation(*step)) for step, w in BLUR_KERNEL.items())
    np.testing.assert_allclose(halo.unpack(total), blurred(original), rtol=1e-12)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_pairs_are_as_dense_as_they_can_be(size: Size) -> None:
    assert PairPacking(size, 1024).ciphertexts == ceil(size.pixels / 2048)


def test_tile_sums_of_the_largest_difference_fit_the_last_tower() -> None:
    tiles = TilePacking(Size(16, 16), 2048)
    white, black = np.ones((16, 16)), np.zeros((16, 16))
    largest = np.square(tiles.pack(white) - tiles.pack(black)).sum()
    for name in rw.ckks.Parameters.presets():
        parameters = rw.ckks.Parameters.preset(name)
        if parameters.depth:
            assert largest * parameters.scale < parameters.q[0] / 2


def test_padding_does_not_count_as_pixels() -> None:
    tiles = TilePacking(Size(33, 17), 2048)
    assert tiles.pixels_in_tile.sum() == tiles.size.pixels
    assert tiles.pixels_in_tile.shape == (tiles.tile_rows, tiles.tile_columns)


def test_too_few_slots_are_refused() -> None:
    with pytest.raises(ParameterError, match="N must be at least 512"):
        TilePacking(Size(16, 16), 128)
    with pytest.raises(ParameterError, match="at least 9"):
        HaloPacking(Size(16, 16), 8)
