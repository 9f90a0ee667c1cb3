"""Matrices by their diagonals: the same as whole, wherever they stand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import ringwright as rw

SHAPES = [(6, 6), (4, 9), (9, 4), (1, 5), (5, 1)]


def banded(rows: int, columns: int) -> rw.Diagonals:
    """Random ones on and beside the main diagonal, as far as there are any."""
    rng = np.random.default_rng(rows * 100 + columns)
    offsets = [offset for offset in (-2, 0, 1, 3) if -rows < offset < columns]
    whole = rng.uniform(-1, 1, (rows, columns))
    return rw.Diagonals({k: np.diagonal(whole, k) for k in offsets}, (rows, columns))


@pytest.mark.parametrize("shape", SHAPES)
def test_on_arrays_it_is_its_matrix(shape: tuple[int, int]) -> None:
    matrix = banded(*shape)
    whole = matrix.toarray()
    rng = np.random.default_rng(0)
    assert whole.shape == matrix.shape == shape
    assert all(np.array_equal(np.diagonal(whole, k), entries) for k, entries in matrix)
    for right in (rng.normal(size=shape[1]), rng.normal(size=(shape[1], 3)) * 1j):
        assert np.allclose(matrix @ right, whole @ right)
    for left in (rng.normal(size=shape[0]), rng.normal(size=(3, shape[0]))):
        assert np.allclose(left @ matrix, left @ whole)
    assert np.array_equal(matrix.T.toarray(), whole.T)


@pytest.mark.parametrize("shape", SHAPES)
def test_it_makes_the_program_of_its_matrix(shape: tuple[int, int]) -> None:
    matrix = banded(*shape)
    params = rw.ckks.Parameters.preset("8192-6x30")

    def traced(product: Callable[[rw.Vector], rw.Vector], length: int) -> str:
        inputs = {"x": rw.ckks.Input(length=length)}
        return rw.Program(product, inputs, "product").trace(params).text

    def unlined(text: str) -> list[str]:
        return [line.rpartition("  @ ")[0] for line in text.splitlines()]

    left = traced(lambda x: matrix @ x, shape[1])
    assert unlined(left) == unlined(traced(lambda x: matrix.toarray() @ x, shape[1]))
    right = traced(lambda x: x @ matrix, shape[0])
    assert unlined(right) == unlined(traced(lambda x: x @ matrix.toarray(), shape[0]))


def test_one_number_fills_a_diagonal() -> None:
    second = rw.Diagonals({-1: 1, 0: -2.0, 1: 1}, (5, 5))
    expected = np.diag(np.ones(4), -1) - 2 * np.eye(5) + np.diag(np.ones(4), 1)
    assert np.array_equal(second.toarray(), expected)
    assert second.offsets.tolist() == [-1, 0, 1]
    assert repr(second) == "<3 diagonals of a matrix of 5 rows and 5 columns>"


def test_all_slots_of_a_large_ring() -> None:
    params = rw.ckks.Parameters.for_depth(1, log_scale=40, slots=1 << 13)
    slots = params.slots
    second = rw.Diagonals({-1: 0.25, 0: -0.5, 1: 0.25}, (slots, slots))

    @rw.program
    def curvature(x: rw.Vector) -> rw.Vector:
        return second @ x

    alice = rw.ckks.Client(params)
    x = np.random.default_rng(1).uniform(-1, 1, slots)
    run = rw.Server(alice.keys_for(curvature)).run(curvature, alice.encrypt(x))
    expected = curvature.plain(x)
    assert np.array_equal(expected, second @ x)
    assert np.max(np.abs(alice.decrypt(run) - expected)) < run.value.error_bound


def test_another_matrix_in_its_place_is_noticed() -> None:
    params = rw.ckks.Parameters.preset("8192-6x30")
    matrix = rw.Diagonals({0: [1.0, 2.0]}, (2, 2))
    traced = rw.Program(lambda x: matrix @ x, {"x": rw.ckks.Input(length=2)})
    traced.trace(params)
    matrix = rw.Diagonals({0: [1.0, 2.0]}, (2, 2))
    traced.trace(params)
    matrix = rw.Diagonals({0: [1.0, 3.0]}, (2, 2))
    with pytest.raises(rw.StaleCaptureError, match="matrix has changed"):
        traced.trace(params)
    matrix = rw.Diagonals({0: [1.0, 2.0]}, (3, 2))
    with pytest.raises(rw.StaleCaptureError, match="matrix has changed"):
        traced.trace(params)


@pytest.mark.parametrize(
    ("diagonals", "shape", "said"),
    [
        ({0: 1.0}, (2,), r"shape = \(2,\) given; \(rows, columns\)"),
        ({0: 1.0}, (0, 2), "a side of shape = 0 given; an integer from 1"),
        ({2: 1.0}, (2, 2), "offset = 2 given; an integer from -1 to 1"),
        ({-2: 1.0}, (2, 2), "offset = -2 given"),
        ({0.5: 1.0}, (2, 2), "offset = 0.5 given"),
        ({1: [1.0, 2.0]}, (2, 2), r"diagonal 1 .* shape \(2,\) given .* 1 real numbers"),
        ({0: [1j, 0]}, (2, 2), "complex128"),
        ({0: [np.nan, 0]}, (2, 2), "diagonal 0 has numbers that are not finite"),
        ({0: 0.0}, (2, 2), "diagonals of zeros"),
        ({}, (2, 2), "diagonals of zeros"),
    ],
)
def test_refusals(diagonals: dict[int, float], shape: tuple[int, int], said: str) -> None:
    with pytest.raises(rw.ProgramError, match=f"test_diagonals.py:.*{said}"):
        rw.Diagonals(diagonals, shape)


def test_lengths_that_do_not_go_together() -> None:
    params = rw.ckks.Parameters.preset("8192-6x30")
    matrix = banded(4, 9)
    given = {"x": rw.ckks.Input(length=4)}
    for function, allowed in (
        (lambda x: matrix @ x, "4 columns"),
        (lambda x: x @ matrix.T, "4 rows"),
    ):
        for compute in (lambda p: p.trace(params), lambda p: p.plain(np.ones(4))):
            with pytest.raises(rw.ProgramError, match=f"vector of 4; {allowed} allowed"):
                compute(rw.Program(function, given))
    with pytest.raises(rw.ProgramError, match=r"shape \(4,\); \(9, ...\) allowed"):
        matrix @ np.ones(4)


def test_it_does_not_change() -> None:
    matrix = banded(4, 9)
    with pytest.raises(ValueError, match="read-only"):
        next(iter(matrix))[1][0] = 2.0
