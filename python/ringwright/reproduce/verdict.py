"""Published | ours | deviation | verdict, for every claim of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Literal

from ringwright.errors import MachineError
from ringwright.reproduce import fit
from ringwright.reproduce.claims import Claim, claims_of
from ringwright.reproduce.ours import Ours
from ringwright.reproduce.studies import compute
from ringwright.reproduce.systems import HOST

Verdict = Literal["reproduced", "calibrated", "miss", "inconsistent-source", "skipped"]
VERDICTS: tuple[Verdict, ...] = (
    "reproduced",
    "calibrated",
    "miss",
    "inconsistent-source",
    "skipped",
)


@dataclass(frozen=True)
class Result:
    """One claim with ours beside it."""

    claim: Claim
    ours: float | None
    provenance: str | None
    verdict: Verdict
    reason: str

    @property
    def deviation(self) -> float | None:
        """Relative: 0.1 is ten percent above the published value; for a bound, how far beyond."""
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
            "reason": self.reason,
        }


def reproduce(paper: str) -> list[Result]:
    """Every claim of a paper. Raises `ParameterError` for a paper that is not there."""
    plan = fit.plan_of(HOST)
    fitted = {*plan["rows"], *(name for share in plan["share"] for name in share["claims"])}
    return [_judge(claim, claim.id in fitted) for claim in claims_of(paper)]


def counts(results: Sequence[Result]) -> dict[Verdict, int]:
    """How many claims have which verdict."""
    return {verdict: sum(r.verdict == verdict for r in results) for verdict in VERDICTS}


def _judge(claim: Claim, fitted: bool) -> Result:
    if claim.skipped:
        return Result(claim, None, None, "skipped", claim.skipped)
    try:
        ours = compute(claim.ours)
    except MachineError as error:
        return Result(claim, None, None, "skipped", str(error))
    verdict, reason = _verdict(claim, ours, fitted)
    return Result(claim, ours.value, ours.provenance, verdict, reason)


def _verdict(claim: Claim, ours: Ours, fitted: bool) -> tuple[Verdict, str]:
    if claim.inconsistent:
        return "inconsistent-source", claim.inconsistent
    if fitted:
        return "calibrated", f"entered the fit of host {HOST}"
    if claim.calibrated:
        return "calibrated", claim.calibrated
    return ("reproduced" if _within(claim, ours.value) else "miss"), claim.note


def _within(claim: Claim, ours: float) -> bool:
    published, tolerance = claim.published or 0.0, claim.tolerance or 0.0
    if claim.relation == "below":
        return ours < published
    return isclose(ours, published, rel_tol=0.0, abs_tol=tolerance * abs(published) + 1e-12)
