"""The steps of a run on a simulated machine as stages: device, its units, and its host.

A machine leaves to its host what it has no unit for, as counts of operations. A host turns counts
into time, and the steps are scheduled again with it: transfers overlap transforms where neither a
unit nor a dependency forbids, and so does the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ringwright import _ringwright as native
from ringwright.errors import MachineError
from ringwright.machines import Host, hosts

__all__ = [
    "Constant",
    "Step",
    "Timing",
    "decode_operations",
    "drained",
    "encode_operations",
    "require_costs",
    "stages",
    "time_decryption",
    "time_encryption",
    "time_transform",
    "uncertain",
]

Timing = native.Timing
Step = native.Step
time_encryption = native.time_encryption
time_decryption = native.time_decryption
time_transform = native.time_transform


def encode_operations(n: int, towers: int) -> dict[str, int]:
    """What encoding N/2 slots takes: the embedding's transform, rounding, residues per tower.

    The transform over the orbit of 5 has N/2 points, hence N/4 · log2(N/2) butterflies.
    """
    return {
        "conversion_setup": 1,
        "complex_butterfly": n // 4 * (n.bit_length() - 2),
        "coefficient_round": n,
        "signed_residue": n * towers,
    }


def decode_operations(n: int, towers: int) -> dict[str, int]:
    """What decoding takes: the integer coefficients out of their residues, then the transform."""
    return {
        "conversion_setup": 1,
        "residue_compose": n * towers,
        "coefficient_round": n,
        "complex_butterfly": n // 4 * (n.bit_length() - 2),
    }


@dataclass(frozen=True)
class Constant:
    """A cost that a fit cannot tell: cycles of the host, and how often the operation occurs."""

    operation: str
    cycles: float
    low: float
    high: float
    count: int


def uncertain(host: Host, operations: Mapping[str, int]) -> list[Constant]:
    """The costs among these operations that are a range; what moves the time most comes first."""
    costs = {name: host.operations[name] for name, count in operations.items() if count}
    ranged = [
        Constant(name, cost["cycles"], cost["low"], cost["high"], operations[name])
        for name, cost in costs.items()
        if cost["low"] < cost["high"]
    ]
    return sorted(ranged, key=lambda each: (each.low - each.high) * each.count)


def require_costs(host: Host, operations: Iterable[str]) -> None:
    """Raises `MachineError` where `host` lacks a cost; it names the hosts that know them all."""
    needed = set(operations)
    missing = sorted(needed - set(host.operations))
    if not missing:
        return
    able = [other.name for other in hosts() if needed <= set(other.operations)]
    others = f"host {' or '.join(able)} knows all" if able else "no host that ships knows all"
    raise MachineError(f"host {host.name}: the cost of {', '.join(missing)} is not known; {others}")


def stages(  # noqa: PLR0913 - keywords
    timing: Timing,
    host: Host,
    *,
    device: str,
    host_resource: native.Resource | str = "",
    first: int = 0,
    after: Sequence[int] = (),
    device_after: Sequence[int] = (),
    named: Callable[[Step], str] | None = None,
) -> list[native.Stage]:
    """The steps as stages of a job in which they begin at index `first`.

    Every unit and the host do their steps in the order of the list, as the machine does. A step
    that no RTL does is modelled, whatever its host's costs are. `device`: the resource that the
    machine's units are parts of, and what their names begin with. `host_resource`: default one with
    the host's name. `after`: stages that all of them wait for. `device_after`: those that the
    device and its control wait for besides, such as the end of the run before. `named`: the
    ledger's name of a step; default its own.
    """
    name = named or (lambda step: step.name)
    processor = host_resource or native.Resource(host.name, "host")
    made = []
    latest: dict[str, int] = {}
    for index, step in enumerate(timing.steps, start=first):
        waits = {*after, *(first + earlier for earlier in step.after)}
        waits.update(latest[unit] for unit in step.units if unit in latest)
        if _of_device(step):
            waits.update(device_after)
        latest.update(dict.fromkeys(step.units, index))
        # Only a host function can be without a provenance of its own.
        if step.provenance is None or step.kind == "host":
            operations, known = step.operations, step.provenance
            made.append(
                host.stage(name(step), operations, processor, after=sorted(waits), provenance=known)
            )
            continue
        own, *others = (
            native.Resource(f"{device} {unit}", "device", part_of=device) for unit in step.units
        )
        duration = step.cycles * timing.clock_fs
        made.append(
            native.Stage(
                name(step),
                step.kind,
                own,
                duration,
                step.provenance,
                after=sorted(waits),
                also_holds=others,
            )
        )
    return made


def drained(timing: Timing) -> int:
    """Index of the step after which the device is free for another run."""
    return max(index for index, step in enumerate(timing.steps) if _of_device(step))


def _of_device(step: Step) -> bool:
    return step.kind != "host" or step.task == "control"
