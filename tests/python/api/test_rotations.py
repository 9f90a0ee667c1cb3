"""Programs whose rotations are composed of few that have keys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import ringwright as rw

PARAMS = rw.ckks.Parameters.preset("8192-6x30")
SLOTS = PARAMS.slots
STEPS = (1, 3, 7, 100, -1, 2048, 2049)


def turned(x: rw.Vector) -> tuple[rw.Vector, ...]:
    return tuple(x.rotate(step) for step in STEPS)


def galois(steps: list[int]) -> set[str]:
    """The keys that rotations by these alone need."""
    names = set()
    for step in steps:
        one = rw.Program(_by(step))
        names.update(one.trace(PARAMS).required_keys())
    return names


def _by(step: int) -> Callable[[rw.Vector], rw.Vector]:
    return lambda x: x.rotate(step)


@pytest.mark.parametrize(
    ("rotations", "steps"),
    [
        ("powers", [1 << k for k in range(12)]),
        ("signed powers", [sign << k for k in range(12) for sign in (1, -1)]),
        ((1, 60, -3000, 4097), [1, 60, -3000, 1]),
    ],
)
def test_results_are_right_with_these_keys(
    rotations: str | tuple[int, ...], steps: list[int]
) -> None:
    program = rw.program(rotations=rotations)(turned)
    keys = set(program.trace(PARAMS).required_keys())
    assert keys <= galois(steps)
    alice = rw.ckks.Client(PARAMS)
    held = alice.keys_for(program)
    assert set(held.names) == keys
    x = np.random.default_rng(0).uniform(-1, 1, SLOTS)
    run = rw.Server(held).run(program, alice.encrypt(x))
    for value, expected in zip(run.values, program.plain(x), strict=True):
        assert np.max(np.abs(alice.decrypt(value) - expected)) < value.error_bound


def test_every_power_is_used() -> None:
    program = rw.program(rotations="powers")(lambda x: x.rotate(SLOTS - 1))
    assert set(program.trace(PARAMS).required_keys()) == galois([1 << k for k in range(12)])


def test_a_matrix_with_few_keys() -> None:
    params = rw.ckks.Parameters.for_depth(1, log_scale=40)
    matrix = np.random.default_rng(1).normal(size=(40, 40)) / 40
    inputs = {"x": rw.ckks.Input(length=40)}
    alone = rw.program(inputs=inputs)(lambda x: matrix @ x)
    few = rw.program(inputs=inputs, rotations="powers")(lambda x: matrix @ x)
    alice = rw.ckks.Client(params)
    keys = [alice.keys_for(each) for each in (alone, few)]
    assert keys[1].encoded_len < keys[0].encoded_len
    x = np.random.default_rng(2).uniform(-1, 1, 40)
    run = rw.Server(keys[1]).run(few, alice.encrypt(x))
    assert np.max(np.abs(alice.decrypt(run) - matrix @ x)) < run.value.error_bound


def test_vectors_of_a_server() -> None:
    alice = rw.ckks.Client(PARAMS)
    held = alice.keys_for(rw.program(rotations=[1, 16])(lambda x: x.rotate(17)))
    x = np.random.default_rng(3).uniform(-1, 1, SLOTS)
    given = alice.encrypt(x)
    found = rw.Server(held, rotations=[1, 16]).vector(given).rotate(33)
    error = np.max(np.abs(alice.decrypt(found.ciphertext) - np.roll(x, -33)))
    assert error < found.ciphertext.error_bound
    with pytest.raises(rw.KeyMismatchError, match="missing evaluation key"):
        rw.Server(held).vector(given).rotate(33)


def test_refusals() -> None:
    with pytest.raises(rw.ProgramError, match=r"test_rotations.py:\d+: rotations = 'power' given"):
        rw.program(rotations="power")(turned)  # type: ignore[call-overload]
    with pytest.raises(rw.ProgramError, match=r"a step of rotations = 0\.5 given"):
        rw.program(rotations=[0.5])(turned)  # type: ignore[list-item]
    even = rw.program(rotations=[2, -6])(lambda x: x.rotate(2) + x.rotate(3))
    said = r"test_rotations.py:\d+: rotate: 3 steps given, .* by -6, 2 compose.*multiples of 2"
    with pytest.raises(rw.ProgramError, match=said):
        even.trace(PARAMS)
    for steps, said in (([], "none, expected at least one"), ([SLOTS], "no multiples")):
        with pytest.raises(rw.ParameterError, match=f"steps of rotations: .*{said}"):
            rw.program(rotations=steps)(turned).trace(PARAMS)
