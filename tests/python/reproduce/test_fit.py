"""The fitted host: the committed file is what the listed rows give, and says what they cannot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from ringwright.reproduce import claims, fit, systems

ROOT = Path(__file__).resolve().parents[3]
PLAN = fit.plan_of(systems.HOST)


@pytest.fixture(scope="module")
def fitted() -> fit.Fit:
    return fit.fit(PLAN)


def test_the_committed_host_is_the_fit(fitted: fit.Fit) -> None:
    committed = rw.host(systems.HOST).operations
    assert set(committed) == {*fitted.unknowns, *PLAN["fixed"]}
    costs = np.array([committed[name]["cycles"] for name in fitted.unknowns])
    for row in fitted.rows:
        counts = np.array([row.counts.get(name, 0.0) for name in fitted.unknowns])
        again = row.known + counts @ costs
        assert again == pytest.approx(fitted.predicted(row), rel=2e-3), row.id


def test_the_committed_file_is_what_the_fit_writes(fitted: fit.Fit) -> None:
    written = fit.host_file(PLAN, fitted).splitlines()
    committed = (ROOT / "machines" / "hosts" / f"{systems.HOST}.toml").read_text().splitlines()
    # Numbers are compared above; another linear algebra library may round the last digit.
    assert [line.split("=")[0] for line in written if not line.startswith("#")] == [
        line.split("=")[0] for line in committed if not line.startswith("#")
    ]


def test_every_cost_lies_in_its_range_and_wide_ranges_are_said(fitted: fit.Fit) -> None:
    low, high = fitted.ranges.T
    assert np.all(low <= fitted.cycles * (1 + 1e-9))
    assert np.all(fitted.cycles <= high * (1 + 1e-9))
    widths = dict(zip(fitted.unknowns, high - low, strict=True))
    # The three occur in one proportion everywhere: no row tells them apart.
    costs = dict(zip(fitted.unknowns, fitted.cycles, strict=True))
    for name in ("keccak_permutation", "ternary_sample", "binomial_sample"):
        assert widths[name] > costs[name]
    assert widths["butterfly"] < costs["butterfly"] / 2


def test_predictions_stay_out_of_the_fit() -> None:
    assert not set(PLAN["rows"]) & set(PLAN["predictions"])
    known = {claim.id: claim for paper in claims.papers() for claim in claims.claims_of(paper)}
    largest = max(known[name].ours["n"] for name in PLAN["rows"])
    assert all(known[name].ours["n"] > largest for name in PLAN["predictions"])
    outlier = "race.table-1.latency.baseline.m2c.16384"
    assert known[outlier].inconsistent
    assert outlier not in {*PLAN["rows"], *PLAN["predictions"]}


def test_least_squares_finds_a_nonnegative_solution() -> None:
    rng = np.random.default_rng(7)
    matrix, exact = rng.random((9, 4)), np.array([2.0, 0.0, 5.0, 0.0])
    assert fit.nonnegative_least_squares(matrix, matrix @ exact) == pytest.approx(exact)
    # The gradient condition of Lawson and Hanson at a solution on the boundary.
    target = matrix @ np.array([1.0, -1.0, 2.0, 0.5])
    x = fit.nonnegative_least_squares(matrix, target)
    slope = matrix.T @ (target - matrix @ x)
    assert np.all(x >= 0)
    assert np.all(slope[x == 0] <= 1e-9)
    assert slope[x > 0] == pytest.approx(np.zeros(np.count_nonzero(x)), abs=1e-9)
