"""Digits on encrypted images: data, the network in the clear, and a small encrypted run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import ringwright as rw
from ringwright import digits
from ringwright.digits import images, network


@pytest.fixture(scope="module")
def small(small_bootstrapping: Callable[[int], rw.ckks.Parameters]) -> rw.ckks.Parameters:
    """Four images a ciphertext."""
    return small_bootstrapping(11)


@pytest.fixture(scope="module")
def few() -> digits.Images:
    testing = digits.handwritten().part(testing=True)
    return digits.Images(testing.pixels[:6], testing.digits[:6])


@pytest.fixture(scope="module")
def found(small: rw.ckks.Parameters, few: digits.Images) -> digits.Read:
    return digits.read(few, small)


def test_the_data_are_those_whose_source_is_named() -> None:
    every = digits.handwritten()
    assert every.pixels.shape == (1797, 64)
    assert (every.pixels.min(), every.pixels.max()) == (0, 1)
    assert set(every.digits) == set(range(10))
    provenance = (images.DIGITS.parent / "README.md").read_text()
    assert hashlib.sha256(images.DIGITS.read_bytes()).hexdigest() in provenance
    parts = [every.part(testing=testing) for testing in (False, True)]
    assert [len(part) for part in parts] == [1347, 450]


def test_a_convolution_is_the_sum_over_neighbours() -> None:
    draw = np.random.default_rng(1)
    weights, image = draw.normal(size=(9, 4)), draw.normal(size=(8, 8))
    padded = np.pad(image, 1)
    expected = [
        sum(
            weights[3 * down + right, channel] * padded[down : down + 8, right : right + 8]
            for down in range(3)
            for right in range(3)
        )
        for channel in range(4)
    ]
    matrix = network._convolution(weights)
    slots = matrix @ np.pad(image.ravel(), (0, 192))
    assert np.allclose(slots, np.ravel(expected))


def test_slopes_are_differences() -> None:
    draw = np.random.default_rng(2)
    net = network.Network(
        *(draw.normal(0, 0.3, shape) for shape in ((9, 4), 4, (36, 4), 4, (256, 10), 10))
    )
    pixels, labels = draw.uniform(size=(3, 64)), np.array([1, 7, 7])

    def loss(net: network.Network) -> float:
        scores = net.scores(pixels)
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        return float(-np.log(shares[np.arange(3), labels]).mean())

    slopes = network._slopes(net, pixels, labels)
    for name, slope in slopes.items():
        direction = draw.normal(size=slope.shape)
        moved = [
            replace(net, **{name: getattr(net, name) + step * direction}) for step in (1e-6, -1e-6)
        ]
        difference = (loss(moved[0]) - loss(moved[1])) / 2e-6
        assert difference == pytest.approx(float((slope * direction).sum()), rel=1e-5), name


def test_images_are_read_as_in_the_clear(found: digits.Read, few: digits.Images) -> None:
    assert found.correct
    assert found.bootstraps == 1
    assert len(found.runs) == 2
    assert found.largest_error < 1e-5
    assert found.accuracy == (found.plain.argmax(axis=1) == few.digits).mean() > 0.8
    assert found.evaluate_fs > 0


def test_another_score_is_wrong(found: digits.Read) -> None:
    assert not replace(found, encrypted=-found.encrypted).correct
    assert not replace(found, encrypted=found.encrypted + 1).correct


def test_images_beyond_what_was_said_are_found_in_the_clear(
    small: rw.ckks.Parameters, few: digits.Images
) -> None:
    with pytest.raises(rw.ProgramError, match="said to be within"):
        digits.read(digits.Images(3 * few.pixels, few.digits), small)


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_all_images_for_testing_under_the_secure_set() -> None:
    found = digits.read()
    assert found.correct
    assert len(found.images) == 450
    assert found.bootstraps == 1
    assert found.accuracy > 0.97
