"""The plain circuits against their definitions, and the quality figures."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ringwright as rw
from ringwright.camera.circuit import BLUR_KERNEL, Alarm, blurred, tile_energies
from ringwright.camera.packing import TilePacking
from ringwright.camera.programs import computation
from ringwright.camera.quality import psnr_db
from ringwright.camera.video import Size
from ringwright.comparison import Comparison
from ringwright.errors import ParameterError


def test_energy_is_the_mean_square_of_each_tile() -> None:
    size = Size(40, 24)
    rng = np.random.default_rng(5)
    now, before = rng.random((24, 40)), rng.random((24, 40))
    energies = tile_energies(now, before, TilePacking(size, 2048))
    for row in range(2):
        for column in range(3):
            tile = np.s_[16 * row : 16 * row + 16, 16 * column : 16 * column + 16]
            expected = np.mean((now[tile] - before[tile]) ** 2)
            assert energies[row, column] == pytest.approx(expected)


def test_the_kernel_keeps_brightness_and_repeats_the_edge() -> None:
    assert sum(BLUR_KERNEL.values()) == 1
    np.testing.assert_allclose(blurred(np.full((5, 7), 0.3)), 0.3)
    point = np.zeros((5, 5))
    point[2, 2] = 1
    expected = np.outer([1, 2, 1], [1, 2, 1]) / 16
    np.testing.assert_allclose(blurred(point)[1:4, 1:4], expected)


def test_the_alarm_needs_more_than_its_share_of_moving_tiles() -> None:
    alarm = Alarm(energy=0.5, share=0.25)
    assert not alarm.raised(np.array([[True, False], [False, False]]))
    assert alarm.raised(np.array([[True, True], [False, False]]))


def test_a_tile_moves_above_its_threshold() -> None:
    parameters = rw.ckks.Parameters.preset("4096-2x30")
    alarm, energies = Alarm(energy=0.25), np.array([[0.3, 0.25], [0.2, 0.0]])
    motion, hidden, blur = (
        computation(mode, Size(32, 32), parameters, alarm) for mode in ("motion", "alarm", "blur")
    )
    expected = [[True, False], [False, False]]
    assert motion.moving(energies, alarm).tolist() == expected
    assert hidden.moving(energies - alarm.energy, alarm).tolist() == expected
    assert blur.moving(energies, alarm) is None


@pytest.mark.parametrize("thresholds", [(-0.1, 0.5), (math.nan, 0.5), (0.1, 1.5), (0.1, -1)])
def test_thresholds_outside_their_range_are_refused(thresholds: tuple[float, float]) -> None:
    with pytest.raises(ParameterError, match="0 to 1 allowed"):
        Alarm(*thresholds)


def test_psnr_is_its_definition_and_finite_for_a_perfect_picture() -> None:
    assert psnr_db(0.01) == pytest.approx(20)
    assert psnr_db(0.0) == pytest.approx(-20 * math.log10(np.finfo(np.float64).eps))


def test_errors_beyond_the_predicted_noise_are_not_correct() -> None:
    expected = np.zeros((3, 3))
    for error, correct in [(0.0, True), (2.39, True), (2.41, False), (math.nan, False)]:
        comparison = Comparison(predicted=0.1)
        comparison.add(np.full((3, 3), error), expected)
        comparison.add(expected, expected)
        assert comparison.correct is correct
