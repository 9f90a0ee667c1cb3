"""Published | ours | deviation | verdict, for every claim of a paper.

| verdict | meaning |
|---|---|
| reproduced | within the tolerance, and nothing of ours was told the published value |
| calibrated, derived, by-construction | within the tolerance, but not independent: `independence` |
| compared | our own program, or the processor at hand, beside the paper's; nothing to reproduce |
| miss | outside the tolerance, whatever it is computed from |
| inconsistent-source | the value contradicts its own document or another one |
| skipped | nothing of ours, with the reason |

What a paper's reproduction comes to is the number of independent claims that are reproduced, of the
independent ones that ours answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Literal, get_args

from ringwright.errors import MachineError
from ringwright.reproduce.claims import Claim, claims_of
from ringwright.reproduce.independence import Standing, standings
from ringwright.reproduce.inputs import Inputs, recorded
from ringwright.reproduce.ours import Ours
from ringwright.reproduce.studies import compute

Verdict = Literal[
    "reproduced",
    "calibrated",
    "derived",
    "by-construction",
    "compared",
    "miss",
    "inconsistent-source",
    "skipped",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Result:
    """One claim with ours beside it.

    `independent`: neither the published value nor one that ours stands for already was used.
    """

    claim: Claim
    ours: float | None
    provenance: str | None
    verdict: Verdict
    reason: str
    independent: bool = False

    @property
    def deviation(self) -> float | None:
        """Relative: 0.1 is ten percent above the published value; for a limit, how far beyond."""
        if self.ours is None or self.claim.published is None:
            return None
        deviation = self.ours / self.claim.published - 1
        return max(0.0, deviation) if self.claim.relation == "below" else deviation

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "id": self.claim.id,
            "quantity": self.claim.quantity,
            "place": self.claim.place,
            "conditions": self.claim.conditions,
            "relation": self.claim.relation,
            "published": self.claim.published,
            "ours": self.ours,
            "unit": self.claim.unit,
            "deviation": self.deviation,
            "tolerance": self.claim.tolerance,
            "provenance": self.provenance,
            "verdict": self.verdict,
            "independent": self.independent,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Independent:
    """How many independent claims are reproduced, of those that ours answers."""

    reproduced: int
    of: int


def reproduce(paper: str) -> list[Result]:
    """Every claim of a paper. Raises `ParameterError` for a paper that is not there."""
    computed = {claim.id: _computed(claim) for claim in claims_of(paper)}
    answered = [
        (claim, computed[claim.id][1])
        for claim in claims_of(paper)
        if isinstance(computed[claim.id][0], Ours) and not claim.inconsistent
    ]
    standing = standings(answered)
    return [
        _judged(claim, computed[claim.id][0], standing.get(claim.id)) for claim in claims_of(paper)
    ]


def counts(results: Sequence[Result]) -> dict[Verdict, int]:
    """How many claims have which verdict."""
    return {verdict: sum(r.verdict == verdict for r in results) for verdict in VERDICTS}


def independent(results: Sequence[Result]) -> Independent:
    """What the reproduction of a paper comes to."""
    counted = [result for result in results if result.independent]
    return Independent(sum(r.verdict == "reproduced" for r in counted), len(counted))


def _computed(claim: Claim) -> tuple[Ours | str, Inputs]:
    """Ours, or why there is nothing of ours, and what it is computed from."""
    with recorded() as inputs:
        if claim.skipped:
            return claim.skipped, inputs
        try:
            return compute(claim.ours), inputs
        except MachineError as error:
            return str(error), inputs


def _judged(claim: Claim, ours: Ours | str, standing: Standing | None) -> Result:
    if isinstance(ours, str):
        return Result(claim, None, None, "skipped", ours)
    verdict, reason = _verdict(claim, ours.value, standing)
    free = standing is None and not claim.inconsistent
    return Result(claim, ours.value, ours.provenance, verdict, reason, free)


def _verdict(claim: Claim, ours: float, standing: Standing | None) -> tuple[Verdict, str]:
    if claim.inconsistent:
        return "inconsistent-source", claim.inconsistent
    notes = [note for note in (standing.reason if standing else "", claim.note) if note]
    if standing and standing.kind == "compared":
        return standing.kind, "; ".join(notes)
    if not _within(claim, ours):
        return "miss", claim.note or "; ".join(notes)
    return (standing.kind if standing else "reproduced"), "; ".join(notes)


def _within(claim: Claim, ours: float) -> bool:
    published, tolerance = claim.published or 0.0, claim.tolerance or 0.0
    if claim.relation == "below":
        return ours < published
    return isclose(ours, published, rel_tol=0.0, abs_tol=tolerance * abs(published) + 1e-12)
