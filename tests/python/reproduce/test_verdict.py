"""Verdicts: from the deviation and the claim's own words, never from a wish."""

from __future__ import annotations

import dataclasses

import pytest

from ringwright.errors import ParameterError
from ringwright.reproduce import claims, reproduce, verdict
from ringwright.reproduce.claims import Claim
from ringwright.reproduce.ours import Ours
from ringwright.reproduce.studies import STUDIES

CLAIM = Claim("x", "race", "f", "p", "q", "ms", published=100.0, tolerance=0.1, note="because")


@pytest.mark.parametrize(
    ("changed", "ours", "expected"),
    [
        ({}, 109.0, "reproduced"),
        ({}, 91.0, "reproduced"),
        ({}, 112.0, "miss"),
        ({"tolerance": 0.0}, 100.0, "reproduced"),
        ({"relation": "below"}, 99.0, "reproduced"),
        ({"relation": "below"}, 100.5, "miss"),
        ({"inconsistent": "why"}, 100.0, "inconsistent-source"),
        ({"calibrated": "why"}, 300.0, "calibrated"),
    ],
)
def test_a_verdict(changed: dict[str, object], ours: float, expected: str) -> None:
    claim = dataclasses.replace(CLAIM, **changed)
    found, reason = verdict._verdict(claim, Ours(ours, "simulated"), fitted=False)
    assert found == expected
    assert reason in {"because", "why"}


def test_a_row_of_the_fit_is_never_called_reproduced() -> None:
    assert verdict._verdict(CLAIM, Ours(100.0, "fitted"), fitted=True)[0] == "calibrated"


@pytest.mark.parametrize("paper", claims.papers())
def test_every_claim_has_a_verdict_and_a_miss_its_reason(paper: str) -> None:
    results = reproduce(paper)
    assert sum(verdict.counts(results).values()) == len(results) == len(claims.claims_of(paper))
    for result in results:
        if result.verdict == "skipped":
            assert result.ours is None
        else:
            assert result.ours is not None
            assert result.provenance
        if result.verdict != "reproduced":
            assert result.reason, result.claim.id


def test_every_study_that_a_claim_names_exists_and_is_used() -> None:
    every = [claim for paper in claims.papers() for claim in claims.claims_of(paper)]
    assert {claim.ours["study"] for claim in every if claim.ours} == set(STUDIES)


def test_an_unknown_paper_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match=r"'medha'.*race, rise, tax-he, rpu, trebuchet"):
        reproduce("medha")
