"""Which claims say something that ours was not already told.

Four things keep a value of ours from being a reproduction, whatever it comes to:

- *calibrated*: the published value was used to fit or infer a parameter that ours is computed with;
- *by construction*: ours is arithmetic on parameters and printed numbers, nothing timed enters;
- *compared*: ours is of something that no paper has, a program of our own or the processor at hand;
- *derived*: ours is computed from a printed number, from a result that entered a fit, or from
  results that other claims stand for already.

A fitted host is used by every time that it is part of. What was fitted are the times in the fit's
rows, so those, and all that is computed from them, are not independent; the time of a conversion
that is no row is a prediction, and counts.

Claims that are computed from k results say at most k independent things: each claim that counts is
given a result of its own (a maximum matching, claims of few results first). Claims that differ in
nothing but how we read the paper are one: the first of a figure counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ringwright.reproduce import claims, fit
from ringwright.reproduce.claims import Claim
from ringwright.reproduce.inputs import Inputs, recorded
from ringwright.reproduce.studies import compute
from ringwright.reproduce.systems import HOST
from ringwright.reproduce.tile_studies import READINGS

__all__ = ["Standing", "standings"]

Kind = Literal["calibrated", "by-construction", "compared", "derived"]


@dataclass(frozen=True)
class Standing:
    """Why a claim is no independent one."""

    kind: Kind
    reason: str


def standings(computed: Sequence[tuple[Claim, Inputs]]) -> dict[str, Standing]:
    """By id, of every claim that is not independent; `computed` has what ours was computed from."""
    found: dict[str, Standing] = {}
    free: list[tuple[Claim, Inputs]] = []
    for claim, inputs in computed:
        standing = _of_itself(claim, inputs)
        if standing is None:
            free.append((claim, inputs))
        else:
            found[claim.id] = standing
    first: dict[object, Claim] = {}
    for claim, _ in free:
        other = first.setdefault(_statement(claim), claim)
        if other is not claim:
            reason = f"the published value of {other.id}, under another reading of the paper"
            found[claim.id] = Standing("derived", reason)
    left = [(claim, inputs) for claim, inputs in free if claim.id not in found]
    return found | _repeated(left)


def _of_itself(claim: Claim, inputs: Inputs) -> Standing | None:
    entered = calibrated_values().get(claim.id)
    if entered:
        return Standing("calibrated", entered)
    if not inputs.results:
        used = f" ({', '.join(inputs.printed)})" if inputs.printed else ""
        return Standing("by-construction", f"parameters and printed numbers alone{used}")
    if inputs.own:
        return Standing("compared", f"{' and '.join(inputs.own)}, which the paper does not have")
    if inputs.printed:
        return Standing("derived", f"computed with what is printed: {', '.join(inputs.printed)}")
    fitted = [name for name in inputs.results if name in calibrated_results()]
    if fitted:
        return Standing("derived", f"computed from what entered a fit: {_some(fitted)}")
    return None


def _repeated(free: Sequence[tuple[Claim, Inputs]]) -> dict[str, Standing]:
    """Claims for which no result is left that another claim does not stand for."""
    holder: dict[str, tuple[Claim, Inputs]] = {}

    def give(one: tuple[Claim, Inputs], asked: set[str]) -> bool:
        for name in one[1].results:
            if name in asked:
                continue
            asked.add(name)
            if name not in holder or give(holder[name], asked):
                holder[name] = one
                return True
        return False

    found: dict[str, Standing] = {}
    for one in sorted(free, key=lambda each: len(each[1].results)):
        if not give(one, set()):
            others = dict.fromkeys(holder[name][0].id for name in one[1].results)
            reason = f"the results that {', '.join(others)} stand for already"
            found[one[0].id] = Standing("derived", reason)
    return found


def _statement(claim: Claim) -> object:
    """What is published, whatever reading of the paper ours is computed under."""
    asked = sorted((key, str(value)) for key, value in claim.ours.items() if key not in READINGS)
    return (claim.figure, claim.published, claim.unit, tuple(asked))


@cache
def calibrated_values() -> Mapping[str, str]:
    """Every claim whose published value entered a fit or an inference, and which."""
    plan = fit.plan_of(HOST)
    of_host = f"entered the fit of host {HOST}"
    found = dict.fromkeys(plan["rows"], of_host)
    for share in plan["share"]:
        found |= dict.fromkeys(share["claims"], of_host)
    for entry in claims.read_toml(claims.ROOT / "inferred.toml")["inferred"]:
        what = f"{entry['parameter']} of {entry['of']} was inferred from it"
        found |= {name: what for name in entry["claims"] if name not in found}
    return found


@cache
def calibrated_results() -> frozenset[str]:
    """The results that fits and inferences were made for.

    A share that entered a fit says something of the parts of rows that are there anyway.
    """
    shares = {name for each in fit.plan_of(HOST)["share"] for name in each["claims"]}
    results: set[str] = set()
    for paper in claims.papers():
        for claim in claims.claims_of(paper):
            if claim.id in calibrated_values() and claim.id not in shares:
                with recorded() as inputs:
                    compute(claim.ours)
                results |= set(inputs.results)
    return frozenset(results)


def _some(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
