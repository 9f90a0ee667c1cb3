"""The steps of a run on a simulated machine as stages: device, its units, and its host.

A machine leaves to its host what it has no unit for, as counts of operations. A host turns counts
into time, and the steps are scheduled again with it: transfers overlap transforms where neither a
unit nor a dependency forbids, and so does the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ringwright import _ringwright as native
from ringwright.errors import MachineError
from ringwright.machines import Host, Machine, hosts

__all__ = [
    "Step",
    "Timing",
    "decode_operations",
    "drained",
    "encode_operations",
    "host_stage",
    "require_costs",
    "stages",
    "time_decryption",
    "time_encryption",
    "time_program",
    "time_transform",
    "word_bytes",
]

Timing = native.Timing
Step = native.Step
time_encryption = native.time_encryption
time_decryption = native.time_decryption
time_transform = native.time_transform
time_program = native.time_program

#: Provenances from certain to guessed; a sum is as good as its worst part.
_CERTAIN_FIRST: tuple[native.Provenance, ...] = (
    "measured",
    "rtl",
    "synthesised",
    "simulated",
    "published",
    "fitted",
    "modelled",
)

#: What a host does to a device while that runs.
_CONTROL = {"register_write", "interrupt"}


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


def word_bytes(machine: Machine) -> int:
    """Bytes of one word in the memory of a simulated machine, a power of two of at least 4."""
    bits = int(machine.values["word_bits"])
    return max(4, 1 << (bits - 1).bit_length() >> 3)


def host_stage(
    name: str,
    host: Host,
    operations: Mapping[str, int],
    *,
    resource: str = "",
    after: Sequence[int] = (),
) -> native.Stage:
    """A host function; raises `MachineError` where the host has no cost for an operation.

    `resource`: the track; default the host's name.
    """
    cost = host.cost(operations)
    known: native.Provenance = "modelled"
    if cost.provenances:
        known = max(cost.provenances, key=_CERTAIN_FIRST.index)
    duration = cost.cycles * host.clock_fs
    return native.Stage(name, "host", resource or host.name, duration, known, after=after)


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
    host_resource: str = "",
    first: int = 0,
    after: Sequence[int] = (),
    device_after: Sequence[int] = (),
    named: Callable[[Step], str] | None = None,
) -> list[native.Stage]:
    """The steps as stages of a job in which they begin at index `first`.

    Every unit and the host do their steps in the order of the list, as the machine does.
    `device`: prefix of the tracks of its units. `after`: stages that all of them wait for.
    `device_after`: those that the device and its control wait for besides, such as the end of the
    run before. `named`: the ledger's name of a step; default its own.
    """
    name = named or (lambda step: step.name)
    made = []
    latest: dict[str, int] = {}
    for index, step in enumerate(timing.steps, start=first):
        waits = {*after, *(first + earlier for earlier in step.after)}
        waits.update(latest[unit] for unit in step.units if unit in latest)
        if _of_device(step):
            waits.update(device_after)
        latest.update(dict.fromkeys(step.units, index))
        if step.kind == "host":
            made.append(
                host_stage(
                    name(step), host, step.operations, resource=host_resource, after=sorted(waits)
                )
            )
            continue
        own, *others = (f"{device} {unit}" for unit in step.units)
        made.append(
            native.Stage(
                name(step),
                step.kind,
                own,
                step.cycles * timing.clock_fs,
                timing.provenance,
                after=sorted(waits),
                also_holds=others,
            )
        )
    return made


def drained(timing: Timing) -> int:
    """Index of the step after which the device is free for another run."""
    return max(index for index, step in enumerate(timing.steps) if _of_device(step))


def _of_device(step: Step) -> bool:
    return step.kind != "host" or bool(_CONTROL & set(step.operations))
