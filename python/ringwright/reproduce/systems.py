"""The systems that the papers compare, and what one conversion takes on each.

A conversion is scheduled like any other job: encoding on the host, then the steps of the simulated
machine with its host functions, or the steps and then decoding. The baseline runs the papers'
software on the processor alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ringwright import _ringwright as native
from ringwright import system
from ringwright.ckks import Parameters
from ringwright.errors import MachineError
from ringwright.ledger import Ledger
from ringwright.machines import Host, Machine, host, machine
from ringwright.machines import backend as made_ready
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


def run(name: str, direction: Direction, chosen: ParameterSet, core: str = HOST) -> Conversion:
    """One conversion, on the papers' host or another one.

    Raises `MachineError` for a system that is not there.
    """
    if core == HOST:
        inputs.result(f"{name}: {direction}, {chosen.preset}")
    else:
        inputs.result(f"{name} behind {core}: {direction}, {chosen.preset}")
        inputs.own(f"host {core}")
    return _run(name, direction, chosen, core)


@cache
def _run(name: str, direction: Direction, chosen: ParameterSet, core: str) -> Conversion:
    if name == BASELINE:
        stages = system.Stages(_baseline(direction, chosen, host(core)))
    else:
        stages = _offloaded(name, direction, chosen, host(core))
    return Conversion(name, direction, chosen, system.schedule([stages]).ledger)


def timing(name: str, direction: Direction, chosen: ParameterSet) -> native.Timing:
    """Steps and cycles of one conversion on a system's machine, host functions uncosted."""
    inputs.result(f"{name}: cycles of {direction}, {chosen.preset}")
    return _timing(name, direction, chosen)


@cache
def _timing(name: str, direction: Direction, chosen: ParameterSet) -> native.Timing:
    module = native.Module.encryption if direction == "m2c" else native.Module.decryption
    parameters = Parameters.preset(chosen.preset)
    made = native.lower(backend(name), module(parameters, parameters.levels)).timing
    if made is None:
        raise MachineError(f"machine {name} is not simulated: it has no cycles")
    return made


def transform_timing(name: str, n: int, bits: int, *, inverse: bool = False) -> native.Timing:
    """Steps and cycles of one transform of one tower on a machine."""
    inputs.result(f"{name}: {'inverse ' if inverse else ''}transform, N = {n}, {bits} bit")
    return _transform_timing(name, n, bits, inverse)


@cache
def _transform_timing(name: str, n: int, bits: int, inverse: bool) -> native.Timing:
    module = native.Module.transform(n.bit_length() - 1, bits, inverse=inverse)
    made = native.lower(backend(name), module).timing
    if made is None:
        raise MachineError(f"machine {name} is not simulated: it has no cycles")
    return made


@cache
def backend(name: str) -> native.Backend:
    """The machine of a system, or any machine by its name."""
    return made_ready(system_machine(name))


@cache
def system_machine(name: str) -> Machine:
    """A system's machine; `ntt-accel-<P>` is made from the one that ships."""
    if name.startswith(NTT_ACCEL):
        bfus = int(name.removeprefix(NTT_ACCEL))
        shipped = machine("ntt-accel-8")
        words = int(shipped.values["bank_words"]) * int(shipped.values["bfus"]) // bfus
        return shipped.with_values(name, source="swept", bfus=bfus, bank_words=words)
    return machine(MACHINES.get(name, name))


def kernel_cycles(made: native.Timing) -> int:
    """Cycles that butterfly units and samplers compute: no transfers, no control."""
    cycles = made.cycles_by_task.items()
    return sum(each for (kind, task), each in cycles if kind == "kernel" and task != "control")


def _baseline(direction: Direction, chosen: ParameterSet, core: Host) -> list[native.Stage]:
    stages: list[native.Stage] = []
    for name, operations in conversion(direction, chosen).items():
        after = [len(stages) - 1] if stages else []
        stages.append(core.stage(name, operations, _place(core), after=after))
    return stages


def _offloaded(name: str, direction: Direction, chosen: ParameterSet, core: Host) -> system.Stages:
    made = _timing(name, direction, chosen)
    log_n, towers = chosen.log_n, chosen.towers
    stages = system.Stages()
    if direction == "m2c":
        stages.append(core.stage("encode", native.encode_operations(log_n, towers), _place(core)))
        for stage in _fetched_by_software(name, core, chosen):
            stages.append(stage)
        station = system.Station(name, core, naming=_parts("encrypt"))
        stages.run(station, made, after=range(len(stages)))
        return stages
    stages.run(system.Station(name, core, naming=_parts("decrypt")), made)
    decode = native.decode_operations(log_n, towers)
    stages.append(core.stage("decode", decode, _place(core), after=range(len(stages))))
    return stages


def _place(core: Host) -> native.Resource:
    return native.Resource(core.name, "host")


def _fetched_by_software(name: str, core: Host, chosen: ParameterSet) -> list[native.Stage]:
    """The public key where products stay on the host; elsewhere the DMA fetches it."""
    if not name.startswith(NTT_ACCEL):
        return []
    words = public_key_words(chosen.n, chosen.towers)
    return [core.stage("encrypt on the host", words, _place(core))]


def _parts(computed: str) -> system.StepNaming:
    """The papers' names of the parts that steps belong to."""
    return system.StepNaming.groups(
        [
            ("transfer", None, "DMA"),
            ("host", "sample", "error sampling"),
            ("host", "control", "control"),
            ("kernel", None, computed),
            ("host", None, f"{computed} on the host"),
        ]
    )
