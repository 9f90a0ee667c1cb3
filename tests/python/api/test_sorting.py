"""Sorting lists of encrypted numbers: the network, the places of bootstrappings, encrypted runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import ringwright as rw
from ringwright import sorting

STEPS = 256


@pytest.fixture(scope="module")
def small(small_bootstrapping: Callable[[int], rw.ckks.Parameters]) -> rw.ckks.Parameters:
    return small_bootstrapping(10)


def lists(slots: int, length: int) -> np.ndarray:
    """Random lists of numbers that are 1/256 apart or more."""
    draw = np.random.default_rng(3)
    drawn = [draw.permutation(STEPS)[:length] for _ in range(slots // length)]
    return np.array(drawn) / STEPS


@pytest.mark.parametrize("length", [2, 4, 8, 16])
def test_the_network_sorts(length: int) -> None:
    """All lists of zeros and ones, which is enough (Knuth's 0-1 principle)."""
    codes = np.arange(1 << length)
    numbers = (codes[:, np.newaxis] >> np.arange(length)) & 1
    for distance, larger in sorting.stages(length):
        others = numbers[:, np.arange(length) ^ distance]
        numbers = np.where(larger, np.maximum(numbers, others), np.minimum(numbers, others))
    assert (np.diff(numbers, axis=1) >= 0).all()


def test_other_lengths_are_refused(small: rw.ckks.Parameters) -> None:
    for length in (0, 1, 6):
        with pytest.raises(rw.ParameterError, match="power of two"):
            sorting.sort_program(length)
    with pytest.raises(rw.ParameterError, match="lists of 1024 numbers given; up to 512"):
        sorting.sort_program(1024).trace(small)


def _checked(parameters: rw.ckks.Parameters, length: int) -> None:
    program = sorting.sort_program(length)
    given = lists(parameters.slots, length)
    plain = program.plain(given.ravel())
    client = rw.ckks.Client(parameters)
    sent = client.encrypt(given.ravel(), program.inputs[0])
    run = rw.Server(client.keys_for(program, limited=True)).run(program, sent)
    found = client.decrypt(run.value)
    assert np.abs(found - plain).max() < run.value.error_bound
    rows = found.reshape(given.shape)
    assert (np.argsort(rows, axis=1) == np.arange(length)).all()
    assert np.abs(rows - np.sort(given, axis=1)).max() < 1 / STEPS / 4


def test_lists_come_out_in_order(small: rw.ckks.Parameters) -> None:
    _checked(small, 4)


def test_tracing_places_what_a_program_needs_and_no_more(small: rw.ckks.Parameters) -> None:
    text = sorting.sort_program(4).trace(small).text
    # Every stage of three bootstraps a difference and its sign; the numbers have levels to spare.
    assert text.count(" = raise ") == 2 * 3

    @rw.program(
        inputs={"x": rw.ckks.Input(level=3), "y": rw.ckks.Input(level=2)},
        bootstrap=rw.ckks.Bootstrapping(),
    )
    def several(x, y):
        fourth = (x * x) ** 2
        return fourth * y, fourth * x, y * 0.5

    rows = several.explain(small).rows
    # The power is spent; it is renewed once for both products.
    assert sum(row.op.startswith("raise") for row in rows) == 1
    assert rows[-1].level == 1
    x = np.random.default_rng(4).uniform(-1, 1, (2, small.slots))
    client = rw.ckks.Client(small)
    sent = [client.encrypt(a, each) for a, each in zip(x, several.inputs, strict=True)]
    run = rw.Server(client.keys_for(several)).run(several, *sent)
    for found, expected in zip(run.values, several.plain(*x), strict=True):
        assert np.abs(client.decrypt(found) - expected).max() < found.error_bound


def test_what_is_too_deep_for_any_levels_says_so() -> None:
    @rw.program(inputs={"x": rw.ckks.Input(level=2)}, bootstrap=rw.ckks.Bootstrapping())
    def deep(x):
        return x.apply(np.tanh, degree=127, interval=(-1, 1))

    towers = [60, *[42] * 8, *[60] * 10, *[53] * 4]
    few = rw.ckks.Parameters(
        log_n=10, q_bits=towers, p_bits=[61] * 4, digit=4, log_scale=42, insecure=True
    )
    with pytest.raises(rw.DepthError, match="more levels at once than the 5 that"):
        deep.trace(few)
    shallow = rw.ckks.Parameters(
        log_n=10, q_bits=[50] * 3, p_bits=[55], log_scale=40, insecure=True
    )

    @rw.program(bootstrap=rw.ckks.Bootstrapping())
    def power(x):
        return x**16

    with pytest.raises(rw.ParameterError, match="17 are spent"):
        power.trace(shallow)


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_a_thousand_lists_of_32_under_the_secure_set() -> None:
    _checked(rw.ckks.Parameters.preset("65536-boot"), 32)
