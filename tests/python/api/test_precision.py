"""How many bits are right."""

from __future__ import annotations

import numpy as np
import pytest

import ringwright as rw


def test_bits_are_those_of_known_errors() -> None:
    expected = np.array([1.0, 2.0, 3.0, -4.0])
    errors = np.array([2.0**-10, -(2.0**-20), 2.0**-30, 0.0])
    found = rw.precision(expected + errors, expected)
    assert found.worst == 10.0
    assert found.median == 25.0
    assert found.mean == (10 + 20 + 30 + 53) / 4
    assert found.rms == pytest.approx(-np.log2(np.sqrt(np.mean(errors**2))))
    assert str(found) == "28.2 bits on average, 25.0 in the median, 10.0 in the worst slot"


def test_a_fresh_ciphertext_is_as_right_as_its_noise_says() -> None:
    client = rw.ckks.Client(rw.ckks.Parameters.preset("4096-3x30"))
    x = np.random.default_rng(1).uniform(-1, 1, client.parameters.slots)
    encrypted = client.encrypt(x)
    found = rw.precision(client.decrypt(encrypted), x)
    predicted = encrypted.noise * np.sqrt(client.parameters.n / 2) / encrypted.scale
    assert abs(found.rms + np.log2(predicted)) < 0.5
    assert -np.log2(encrypted.error_bound) <= found.worst <= found.rms <= found.mean


@pytest.mark.parametrize(
    ("found", "expected", "said"),
    [
        ([1.0], [1.0, 2.0], r"shape \(1,\)"),
        ([], [], "at least one"),
        ([float("nan")], [1.0], "found: holds"),
        ([1.0], [float("inf")], "expected: holds"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    found: list[float], expected: list[float], said: str
) -> None:
    with pytest.raises(rw.ParameterError, match=said):
        rw.precision(found, expected)
