"""Fits a host to published totals: nonnegative least squares over operation counts.

Which rows enter is listed beforehand in `repro/hosts/<name>.toml`; every other row is a prediction.
Each row says: counts times cycles, plus the cycles of the simulated machine, equals the published
time. Rows count by their relative error. Operations that rows cannot tell apart (they occur in the
same proportion everywhere) share their time evenly, by a small penalty that favours no one, and
their range says so: the values that one operation may take while the others are fitted again and
the error of the whole fit stays within `slack` of the best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringwright._ringwright import decode_operations, encode_operations
from ringwright.reproduce import claims, systems
from ringwright.reproduce.claims import Claim
from ringwright.reproduce.workload import (
    conversion,
    parameter_set,
    total,
)

Vector = NDArray[np.float64]
#: Weight of the penalty that splits what cannot be told apart, relative to one row.
_EVEN = 0.03
_STEPS = 40


@dataclass(frozen=True)
class Row:
    """One published time: counts of unknown operations, and what is known of it already."""

    id: str
    counts: Mapping[str, float]
    known: float
    cycles: float
    used: bool


@dataclass(frozen=True)
class Fit:
    """A fitted host."""

    unknowns: tuple[str, ...]
    cycles: Vector
    ranges: NDArray[np.float64]
    rows: tuple[Row, ...]
    error: float

    def predicted(self, row: Row) -> float:
        """Cycles that the fit gives a row."""
        costs = zip(self.unknowns, self.cycles, strict=True)
        return row.known + float(sum(row.counts.get(name, 0.0) * cost for name, cost in costs))

    def residual(self, row: Row) -> float:
        """Relative: 0.1 is ten percent too much."""
        return self.predicted(row) / row.cycles - 1


def plan_of(name: str) -> dict[str, Any]:
    """What a fit uses: `repro/hosts/<name>.toml`."""
    return claims.read_toml(claims.ROOT / "hosts" / f"{name}.toml")


def fit(plan: Mapping[str, Any]) -> Fit:
    """The host that the plan's rows imply."""
    unknowns = tuple(plan["unknowns"])
    fixed = {name: float(cost["value"]) for name, cost in plan["fixed"].items()}
    rows = _rows(plan, fixed)
    used = [row for row in rows if row.used]
    floor = np.array([float(plan["floor"].get(name, 0.0)) for name in unknowns])
    matrix = np.array([[row.counts.get(name, 0.0) for name in unknowns] for row in used])
    target = np.array([row.cycles - row.known for row in used]) - matrix @ floor
    weight = 1 / np.array([row.cycles for row in used])
    matrix, target = matrix * weight[:, None], target * weight
    scale = matrix.max(axis=0)
    shares, error = _solve(matrix / scale, target)
    slack = float(plan["slack"])
    ranges = [
        _range(matrix / scale, target, i, shares, error + slack) for i in range(len(unknowns))
    ]
    above = np.array(ranges) / scale[:, None]
    return Fit(unknowns, floor + shares / scale, floor[:, None] + above, rows, error)


def host_file(plan: Mapping[str, Any], fitted: Fit) -> str:
    """The host as a description file, residuals as comments."""
    lines = [
        "# Written by repro/hosts/fit.py from repro/hosts/" + f"{plan['host']}.toml; edit that.",
        "#",
        "# Deviation of every row, ours over published:",
    ]
    for row in fitted.rows:
        kind = "fitted" if row.used else "predicted"
        lines.append(f"# {fitted.residual(row):+7.1%}  {kind:9}  {row.id}")
    lines += [f'name = "{plan["host"]}"', f'title = "{plan["title"]}"', ""]
    lines += ["[parameters.clock_fs]", "value = 1_000_000", f'source = "{plan["clock_source"]}"']
    lines += ["", "[parameters.core]", f'value = "{plan["core"]}"']
    lines += [f'source = "{plan["core_source"]}"']
    for name, cycles, (low, high) in zip(
        fitted.unknowns, fitted.cycles, fitted.ranges, strict=True
    ):
        bounds = [f"low = {_four(low)}", f"high = {_four(high)}"]
        lines += ["", f"[cycles.{name}]", f"value = {_four(cycles)}", *bounds]
        lines += ['provenance = "fitted"', f'source = "{plan["source"]}"']
    for name, cost in plan["fixed"].items():
        bounds = [f"{key} = {cost[key]}" for key in ("low", "high") if key in cost]
        lines += ["", f"[cycles.{name}]", f"value = {cost['value']}", *bounds]
        lines += [f'provenance = "{cost["provenance"]}"', f'source = "{cost["source"]}"']
    return "\n".join(lines) + "\n"


def nonnegative_least_squares(matrix: Vector, target: Vector) -> Vector:
    """Least |matrix x - target|, x >= 0, by active sets (Lawson and Hanson 1974, ch. 23)."""
    count = matrix.shape[1]
    x, free = np.zeros(count), np.zeros(count, dtype=bool)
    for _ in range(10 * count):
        slope = np.where(free, -np.inf, matrix.T @ (target - matrix @ x))
        best = int(np.argmax(slope))
        if slope[best] <= 1e-12:
            break
        free[best] = True
        while True:
            trial = np.zeros(count)
            trial[free] = np.linalg.lstsq(matrix[:, free], target, rcond=None)[0]
            blocked = free & (trial <= 0)
            if not blocked.any():
                break
            step = np.min(x[blocked] / (x[blocked] - trial[blocked]))
            x = x + step * (trial - x)
            free &= x > 1e-15
        x = trial
    return x


def _rows(plan: Mapping[str, Any], fixed: Mapping[str, float]) -> tuple[Row, ...]:
    listed = set(plan["rows"])
    known = {claim.id: claim for paper in claims.papers() for claim in claims.claims_of(paper)}
    wanted = [*plan["rows"], *plan["predictions"]]
    rows = [_total_row(known[name], name in listed, fixed) for name in wanted]
    shares = [(share, known[of]) for share in plan["share"] for of in share["of"]]
    return (*rows, *(_share_row(share, base, known, fixed) for share, base in shares))


def _total_row(claim: Claim, used: bool, fixed: Mapping[str, float]) -> Row:
    """A published latency: all operations of the conversion."""
    chosen, name = parameter_set(claim.ours["n"]), claim.ours["system"]
    direction = claim.ours["direction"]
    if name == systems.BASELINE:
        counts, cycles = total(conversion(direction, chosen)), 0
    else:
        made = systems.timing(name, direction, chosen)
        ends = encode_operations if direction == "m2c" else decode_operations
        left = made.host_operations
        counts = total({"machine": left, "host": ends(chosen.log_n, chosen.towers)})
        cycles = made.cycles
    return _row(claim.id, counts, cycles, _cycles(claim), used, fixed)


def _share_row(
    share: Mapping[str, Any],
    base: Claim,
    known: Mapping[str, Claim],
    fixed: Mapping[str, float],
) -> Row:
    """A published share: some parts of the conversion, as the middle of its printed range."""
    parts = conversion(base.ours["direction"], parameter_set(base.ours["n"]))
    ends = [known[name].published or 0.0 for name in share["claims"]]
    cycles = _cycles(base) * sum(ends) / len(ends) / 100
    counts = total({part: parts[part] for part in share["parts"]})
    return _row(f"{' + '.join(share['parts'])} of {base.id}", counts, 0, cycles, True, fixed)


def _four(value: float) -> str:
    """Four significant digits, as TOML."""
    return repr(float(f"{value:.4g}"))


def _row(  # noqa: PLR0913, PLR0917 - the fields of a row
    name: str,
    counts: Mapping[str, int],
    device: float,
    cycles: float,
    used: bool,
    fixed: Mapping[str, float],
) -> Row:
    known = device + sum(count * fixed[op] for op, count in counts.items() if op in fixed)
    unknown = {op: float(count) for op, count in counts.items() if op not in fixed}
    return Row(name, unknown, known, cycles, used)


def _cycles(claim: Claim) -> float:
    """A published time in milliseconds at the papers' 1 GHz."""
    return (claim.published or 0.0) * 1e6


def _solve(matrix: Vector, target: Vector) -> tuple[Vector, float]:
    """The solution and its root mean square error, without the penalty."""
    even = _EVEN * np.eye(matrix.shape[1])
    padded = np.vstack([matrix, even])
    x = nonnegative_least_squares(padded, np.concatenate([target, np.zeros(matrix.shape[1])]))
    return x, float(np.sqrt(np.mean((matrix @ x - target) ** 2)))


def _error_at(matrix: Vector, target: Vector, index: int, value: float) -> float:
    rest = np.delete(matrix, index, axis=1)
    return _solve(rest, target - matrix[:, index] * value)[1]


def _range(
    matrix: Vector, target: Vector, index: int, best: Vector, allowed: float
) -> Sequence[float]:
    """Between which values the error stays allowed; the error is convex in the value."""
    middle = float(best[index])
    if _error_at(matrix, target, index, middle) > allowed:
        return middle, middle

    def edge(good: float, bad: float) -> float:
        for _ in range(_STEPS):
            half = (good + bad) / 2
            if _error_at(matrix, target, index, half) <= allowed:
                good = half
            else:
                bad = half
        return good

    low = 0.0 if _error_at(matrix, target, index, 0.0) <= allowed else edge(middle, 0.0)
    return low, edge(middle, 2.0)
