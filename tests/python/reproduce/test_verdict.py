"""Verdicts: from the deviation and what ours is computed from, never from a wish."""

from __future__ import annotations

import dataclasses

import pytest

import ringwright as rw
from ringwright.errors import ParameterError
from ringwright.reproduce import claims, fit, independence, reproduce, systems, verdict
from ringwright.reproduce.claims import Claim
from ringwright.reproduce.independence import Standing, standings
from ringwright.reproduce.inputs import Inputs, recorded
from ringwright.reproduce.studies import STUDIES, compute
from ringwright.reproduce.verdict import Result

CLAIM = Claim("x", "race", "f", "p", "q", "ms", published=100.0, tolerance=0.1, note="because")
DERIVED = Standing("derived", "from a fit")


@pytest.fixture(scope="module")
def judged() -> dict[str, list[Result]]:
    return {paper: reproduce(paper) for paper in claims.papers()}


@pytest.mark.parametrize(
    ("changed", "ours", "standing", "expected"),
    [
        ({}, 109.0, None, "reproduced"),
        ({}, 91.0, None, "reproduced"),
        ({}, 112.0, None, "miss"),
        ({"tolerance": 0.0}, 100.0, None, "reproduced"),
        ({"relation": "below"}, 99.0, None, "reproduced"),
        ({"relation": "below"}, 100.5, None, "miss"),
        ({"inconsistent": "why"}, 100.0, None, "inconsistent-source"),
        ({"inconsistent": "why"}, 100.0, DERIVED, "inconsistent-source"),
        ({}, 100.0, DERIVED, "derived"),
        ({}, 300.0, DERIVED, "miss"),
        ({}, 100.0, Standing("calibrated", "a row"), "calibrated"),
        ({}, 300.0, Standing("calibrated", "a row"), "miss"),
        ({}, 300.0, Standing("compared", "ours"), "compared"),
    ],
)
def test_a_verdict(
    changed: dict[str, object], ours: float, standing: Standing | None, expected: str
) -> None:
    claim = dataclasses.replace(CLAIM, **changed)
    found, reason = verdict._verdict(claim, ours, standing)
    assert found == expected
    assert reason


def inputs(*results: str, printed: str = "", own: str = "") -> Inputs:
    return Inputs(
        dict.fromkeys(results), {printed: None} if printed else {}, {own: None} if own else {}
    )


def of(name: str, published: float = 1.0) -> Claim:
    return dataclasses.replace(CLAIM, id=name, published=published, ours={"study": name})


def test_what_ours_is_computed_from_says_what_a_claim_is() -> None:
    fitted = next(iter(independence.calibrated_results()))
    row = next(iter(fit.plan_of(systems.HOST)["rows"]))
    kinds = {
        row: ("calibrated", inputs(fitted)),
        "formula": ("by-construction", inputs()),
        "silicon": ("by-construction", inputs(printed="power of race")),
        "energy": ("derived", inputs("a time", printed="power of race")),
        "ratio": ("derived", inputs("a time", fitted)),
        "compiled": ("compared", inputs("a program", own="our program")),
        "free": (None, inputs("another time")),
    }
    found = standings([(of(name), used) for name, (_, used) in kinds.items()])
    for name, (kind, _) in kinds.items():
        assert (found[name].kind if name in found else None) == kind, name


def test_k_results_hold_k_claims_and_a_statement_counts_once() -> None:
    counted = [
        (of("sum"), inputs("a", "b")),
        (of("a"), inputs("a")),
        (of("again"), inputs("a")),
        (of("product"), inputs("a", "b")),
    ]
    found = standings(counted)
    # What is computed from fewest results goes first; the two others share what is left of b.
    assert {claim.id for claim, _ in counted} - set(found) == {"a", "sum"}
    assert "stand for already" in found["again"].reason
    reading = [
        (dataclasses.replace(of("x"), id=f"x.{ports}", ours={"study": "x", "ports": ports}), used)
        for ports, used in (("published", inputs("a")), ("free", inputs("b")))
    ]
    assert set(standings(reading)) == {"x.free"}


def test_what_counts_for_race_are_the_predictions_of_the_fit(
    judged: dict[str, list[Result]],
) -> None:
    plan = fit.plan_of(systems.HOST)
    counted = {r.claim.id for r in judged["race"] if r.independent and r.verdict == "reproduced"}
    assert counted == set(plan["predictions"])
    rows = {r.claim.id for r in judged["race"] if r.verdict == "calibrated"}
    assert set(plan["rows"]) <= rows


def test_what_counts_is_the_same_on_every_computer(judged: dict[str, list[Result]]) -> None:
    measured = [
        result
        for results in judged.values()
        for result in results
        if result.provenance and "measured" in result.provenance
    ]
    assert measured
    for result in measured:
        assert result.verdict in {"compared", "inconsistent-source"}, result.claim.id
        assert not result.independent


def test_what_counts_for_trebuchet_are_its_two_transforms(
    judged: dict[str, list[Result]],
) -> None:
    transforms = {
        claim.ours["name"]
        for claim in claims.claims_of("trebuchet")
        if claim.ours.get("study") == "tile_transform" and claim.ours["program"] == "scheduled"
    }
    counted = [
        r.claim.ours["name"]
        for r in judged["trebuchet"]
        if r.independent and r.verdict == "reproduced"
    ]
    assert sorted(counted) == sorted(transforms)


@pytest.mark.parametrize("paper", claims.papers())
def test_every_claim_has_a_verdict_and_all_but_a_reproduction_their_reason(
    paper: str, judged: dict[str, list[Result]]
) -> None:
    results = judged[paper]
    assert sum(verdict.counts(results).values()) == len(results) == len(claims.claims_of(paper))
    for result in results:
        if result.verdict == "skipped":
            assert result.ours is None
        else:
            assert result.ours is not None
            assert result.provenance
        if result.verdict != "reproduced":
            assert result.reason, result.claim.id
        assert result.independent or result.verdict != "reproduced"
        if result.independent:
            assert result.verdict in {"reproduced", "miss"}
    total = verdict.independent(results)
    assert total.reproduced == verdict.counts(results)["reproduced"] <= total.of


def test_a_value_that_is_computed_twice_uses_the_same(judged: dict[str, list[Result]]) -> None:
    """What is kept from an earlier call is written down all the same."""
    for paper, results in judged.items():
        for claim in (r.claim for r in results if r.verdict in {"derived", "calibrated"}):
            used = []
            for _ in range(2):
                with recorded() as noted:
                    compute(claim.ours)
                used.append((list(noted.results), list(noted.printed)))
            assert used[0] == used[1], (paper, claim.id)


def test_every_inferred_parameter_is_listed_and_no_other() -> None:
    listed = {
        (entry["of"], entry["parameter"])
        for entry in claims.read_toml(claims.ROOT / "inferred.toml")["inferred"]
    }
    said = {
        (machine.target, name)
        for machine in rw.machines()
        for name, source in machine.sources.items()
        if source.startswith("inferred")
    }
    said |= {
        ("link", name)
        for link in rw.links()
        for name, source in link.sources.items()
        if source.startswith("inferred")
    }
    assert listed == said
    every = {claim.id for paper in claims.papers() for claim in claims.claims_of(paper)}
    assert set(independence.calibrated_values()) <= every


def test_every_study_that_a_claim_names_exists_and_is_used() -> None:
    every = [claim for paper in claims.papers() for claim in claims.claims_of(paper)]
    assert {claim.ours["study"] for claim in every if claim.ours} == set(STUDIES)


def test_an_unknown_paper_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match=r"'heax'.*race, rise, tax-he, rpu, trebuchet, medha"):
        reproduce("heax")
