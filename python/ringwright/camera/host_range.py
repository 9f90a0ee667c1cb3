"""What a host's costs leave open, as a range of the camera's times.

A fit cannot tell some costs apart, and its file gives them as ranges. The ledger is evaluated
twice more: with every cost at the least that it may be, and with every cost at the most. No host
that the ranges allow is quicker than the one end or slower than the other. The published totals tie
the costs together (where one is higher, another is lower), which a file of ranges does not say: so
the ends are far apart and the truth lies inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

from ringwright.camera.pipeline import Plan
from ringwright.system import Schedule

FS_PER_SECOND = 10**15

#: What is said of each cost that is a range.
_CONSTANT = ("operation", "cycles", "low", "high", "count")


def host_range(plan: Plan, steady: Schedule, jobs: int) -> dict[str, Any] | None:
    """`fps` and `latency_s` as [low, high], and the costs that leave them open, by host.

    `steady`: the frames of the steady state, `jobs` of them. `None` where every time is certain.
    """
    if steady.ends is None:
        return None
    rates = sorted(end.throughput_fps or 0.0 for end in steady.ends)
    times = sorted(median(map(end.latency_alone_fs, range(jobs))) for end in steady.ends)
    return {
        "fps": rates,
        "latency_s": [time / FS_PER_SECOND for time in times],
        "constants": _constants(plan),
    }


def _constants(plan: Plan) -> list[dict[str, Any]]:
    """Each cost with its host, who that is in the camera, and how often it occurs a frame."""
    client, server = plan.edge.host_operations, _of_controller(plan)
    asked = (
        ("client", plan.offloading.host, client),
        ("controller", plan.attachment.host, server),
    )
    return [
        {"host": host.name, "of": of, **dict(zip(_CONSTANT, constant, strict=True))}
        for of, host, operations in asked
        for constant in host.uncertain(operations)
    ]


def _of_controller(plan: Plan) -> Mapping[str, int]:
    """Operations of the server's controller a frame."""
    of_one = plan.evaluation.host_operations if plan.evaluation else {}
    ciphertexts = plan.computation.packing.ciphertexts
    return {name: ciphertexts * count for name, count in of_one.items()}


def constants_text(found: Mapping[str, Any]) -> str:
    """Which costs leave a range open: "keccak_permutation 0 to 89,080, ..."; in cycles."""
    named = {
        constant["operation"]: f"{_cycles(constant['low'])} to {_cycles(constant['high'])}"
        for constant in found["constants"]
    }
    return ", ".join(f"{operation} {ends}" for operation, ends in named.items())


def hosts_text(found: Mapping[str, Any]) -> str:
    """Whose costs they are."""
    return " and ".join(dict.fromkeys(constant["host"] for constant in found["constants"]))


def _cycles(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
