"""The systems that the papers compare, and what one conversion takes on each.

A conversion is scheduled like any other job: encoding on the host, then the steps of the simulated
machine with its host functions, or the steps and then decoding. The baseline runs the papers'
software on the processor alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ringwright import _ringwright as native
from ringwright import offload, system
from ringwright.ckks import Parameters
from ringwright.errors import MachineError
from ringwright.ledger import Ledger
from ringwright.machines import Host, Machine, host, machine
from ringwright.offload import Step, Timing, decode_operations, encode_operations
from ringwright.reproduce import inputs
from ringwright.reproduce.workload import (
    Direction,
    ParameterSet,
    conversion,
    public_key_words,
)

#: The host of every system: one BlackParrot core.
HOST = "blackparrot-published"
BASELINE = "baseline"
#: The papers' systems with an accelerator, by our machines.
MACHINES = {"race": "race", "rise-1bfu": "rise-1bfu", "rise-32bfu": "rise-32bfu"}
#: The transforms alone, P butterfly units: `ntt-accel-<P>`.
NTT_ACCEL = "ntt-accel-"
NTT_ACCEL_BFUS = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True)
class Conversion:
    """One message to ciphertext (`m2c`) or back (`c2m`) on one system."""

    system: str
    direction: Direction
    chosen: ParameterSet
    ledger: Ledger

    @property
    def seconds(self) -> float:
        """End to end."""
        return self.ledger.total_fs / 1e15

    def exposed(self, *stages: str) -> float:
        """Seconds of the end-to-end time that belong to these stages."""
        mine = (entry.exposed_fs for entry in self.ledger if entry.stage in stages)
        return sum(mine) / 1e15

    @property
    def provenances(self) -> tuple[str, ...]:
        """What the total mixes."""
        return self.ledger.provenances


def run(name: str, direction: Direction, chosen: ParameterSet) -> Conversion:
    """One conversion. Raises `MachineError` for a system that is not there."""
    inputs.result(f"{name}: {direction}, {chosen.preset}")
    return _run(name, direction, chosen)


@cache
def _run(name: str, direction: Direction, chosen: ParameterSet) -> Conversion:
    stages = (
        _baseline(direction, chosen) if name == BASELINE else _offloaded(name, direction, chosen)
    )
    return Conversion(name, direction, chosen, system.schedule([stages]).ledger)


def timing(name: str, direction: Direction, chosen: ParameterSet) -> Timing:
    """Steps and cycles of one conversion on a system's machine, host functions uncosted."""
    inputs.result(f"{name}: cycles of {direction}, {chosen.preset}")
    return _timing(name, direction, chosen)


@cache
def _timing(name: str, direction: Direction, chosen: ParameterSet) -> Timing:
    time = native.time_encryption if direction == "m2c" else native.time_decryption
    parameters = Parameters.preset(chosen.preset)
    made = time(backend(name), parameters, parameters.levels)
    if made is None:
        raise MachineError(f"machine {name} is not simulated: it has no cycles")
    return made


def transform_timing(name: str, n: int, bits: int, *, inverse: bool = False) -> Timing:
    """Steps and cycles of one transform of one tower on a machine."""
    inputs.result(f"{name}: {'inverse ' if inverse else ''}transform, N = {n}, {bits} bit")
    return _transform_timing(name, n, bits, inverse)


@cache
def _transform_timing(name: str, n: int, bits: int, inverse: bool) -> Timing:
    made = native.time_transform(backend(name), n.bit_length() - 1, bits, inverse=inverse)
    if made is None:
        raise MachineError(f"machine {name} is not simulated: it has no cycles")
    return made


@cache
def backend(name: str) -> native.Backend:
    """The machine of a system, or any machine by its name."""
    return native.Backend(system_machine(name))


@cache
def system_machine(name: str) -> Machine:
    """A system's machine; `ntt-accel-<P>` is made from the one that ships."""
    if name.startswith(NTT_ACCEL):
        bfus = int(name.removeprefix(NTT_ACCEL))
        shipped = machine("ntt-accel-8")
        words = int(shipped.values["bank_words"]) * int(shipped.values["bfus"]) // bfus
        return shipped.with_values(name, source="swept", bfus=bfus, bank_words=words)
    return machine(MACHINES.get(name, name))


def kernel_cycles(made: Timing) -> int:
    """Cycles that butterfly units and samplers compute: no transfers, no control."""
    steps = (step for step in made.steps if step.kind == "kernel" and step.task != "control")
    return sum(step.cycles for step in steps)


def transfer_cycles(made: Timing) -> int:
    """Cycles that transfers take, overlapped or not."""
    return sum(step.cycles for step in made.steps if step.kind == "transfer")


def _baseline(direction: Direction, chosen: ParameterSet) -> list[native.Stage]:
    core = host(HOST)
    stages: list[native.Stage] = []
    for name, operations in conversion(direction, chosen).items():
        after = [len(stages) - 1] if stages else []
        stages.append(core.stage(name, operations, _place(core), after=after))
    return stages


def _offloaded(name: str, direction: Direction, chosen: ParameterSet) -> list[native.Stage]:
    core, made = host(HOST), _timing(name, direction, chosen)
    n, towers = chosen.n, chosen.towers
    if direction == "m2c":
        encode = core.stage("encode", encode_operations(n, towers), _place(core))
        before = [encode, *_fetched_by_software(name, core, chosen)]
        first = len(before)
        after = range(first)
        steps = offload.stages(
            made, core, device=name, first=first, after=after, named=_part_of_m2c
        )
        return [*before, *steps]
    steps = offload.stages(made, core, device=name, named=_part_of_c2m)
    decode = decode_operations(n, towers)
    return [*steps, core.stage("decode", decode, _place(core), after=range(len(steps)))]


def _place(core: Host) -> native.Resource:
    return native.Resource(core.name, "host")


def _fetched_by_software(name: str, core: Host, chosen: ParameterSet) -> list[native.Stage]:
    """The public key where products stay on the host; elsewhere the DMA fetches it."""
    if not name.startswith(NTT_ACCEL):
        return []
    words = public_key_words(chosen.n, chosen.towers)
    return [core.stage("encrypt on the host", words, _place(core))]


def _part_of_m2c(step: Step) -> str:
    return _part(step, "encrypt")


def _part_of_c2m(step: Step) -> str:
    return _part(step, "decrypt")


def _part(step: Step, computed: str) -> str:
    """The papers' name of the part that a step belongs to."""
    if step.kind == "transfer":
        return "DMA"
    if step.kind == "host" and step.task == "sample":
        return "error sampling"
    if step.kind == "host" and step.task == "control":
        return "control"
    return computed if step.kind == "kernel" else f"{computed} on the host"
