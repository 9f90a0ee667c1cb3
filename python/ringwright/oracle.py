"""How long a program takes on a simulated machine, without running it: for compilers and searches.

A simulated machine's time never depends on values, so neither keys nor ciphertexts are needed:
every ring function of a program is lowered, its kernels are timed on the machine's cycle model, and
the times are composed as a server composes them. The first call for an operation and degree makes
and times its kernels (a fraction of a second); they are kept with the machine, and later calls only
compose (milliseconds).

`oracle` answers for a program, `latency_table` for every operation of a parameter set at every
level. `ringwright oracle --json` prints the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from ringwright import _ringwright as native
from ringwright import system
from ringwright.ckks import Ciphertext, Input, Parameters
from ringwright.errors import ParameterError, RingwrightError
from ringwright.ledger import Ledger
from ringwright.machines import Host, Machine
from ringwright.machines import backend as made_ready
from ringwright.machines import host as load_host
from ringwright.machines import machine as load_machine
from ringwright.program import Program

__all__ = ["Latency", "OperationLatency", "latency_table", "oracle"]

_KEPT_MACHINES = 8


@dataclass(frozen=True)
class OperationLatency:
    """One operation: the device's cycles from its first step until its last has ended.

    `kind`: what it does, in a word ("rotate"; a ring function's name where no scheme made it; what
    the device does for no operation has a row for all of a name, as "tables" that it fills);
    `op`: as `explain` shows it; `function`: the ring function that it expands to; `level`: towers
    of its operands, `None` for a ring function that no scheme made; `line`: the user's;
    `exposed_cycles`: those of the program's that it is waited for; where a device does several
    operations together, a step for more than one of them counts for the first; `time_fs`: of those;
    `bound_cycles`: work of the unit that works longest, which no order of the same steps undercuts;
    `bytes_moved`: between the device and the memory behind it; `interrupts`: what its host takes;
    `provenances`: where the cycles come from; several where they mix.
    """

    kind: str
    op: str
    function: str
    level: int | None
    line: str | None
    cycles: int
    exposed_cycles: int
    bound_cycles: int
    time_fs: int
    bytes_moved: int
    interrupts: int
    provenances: tuple[native.Provenance, ...]

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; the provenances are one text."""
        fields = dict(vars(self))
        del fields["provenances"]
        return fields | {"provenance": mixed(self.provenances)}


@dataclass(frozen=True)
class Latency:
    """What a program takes on a machine.

    `cycles` and `time_fs` are the device's, its host taking no time; `cycles` is the sum of the
    operations' `exposed_cycles`; both `None` where `skipped` says why there is none. `provenances`:
    where they come from, several where units that are in RTL and units that are only described take
    part; `clock_provenance`: where their period does. `ledger` adds the host.
    """

    program: str
    machine: str
    operations: tuple[OperationLatency, ...] = ()
    cycles: int | None = None
    clock_fs: int | None = None
    clock_provenance: native.Provenance | None = None
    provenances: tuple[native.Provenance, ...] = ()
    skipped: str | None = None
    timing: native.Timing | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        if self.skipped:
            return f"<latency of {self.program} on {self.machine}: skipped: {self.skipped}>"
        total = "" if self.cycles is None else f", {self.cycles:,} cycles ({self.provenance})"
        count = len(self.operations)
        return f"<latency of {self.program} on {self.machine}: {count} operations{total}>"

    @property
    def time_fs(self) -> int | None:
        """Femtoseconds of `cycles`."""
        if self.cycles is None or self.clock_fs is None:
            return None
        return self.cycles * self.clock_fs

    @property
    def provenance(self) -> str | None:
        """The provenances as one text; `None` where nothing was timed."""
        return mixed(self.provenances) or None

    def schedule(self, host: str | Host = "blackparrot-published") -> system.Schedule:
        """The schedule that a server's run of this program has, with the machine's controller.

        Raises `ParameterError` where there is no time.
        """
        if self.timing is None:
            raise ParameterError(f"{self.program}: no ledger: {self.skipped or 'no program'}")
        stages = system.Stages()
        stages.run_folded(system.Station(self.machine, load_host(host)), self.timing)
        return system.schedule([stages])

    @property
    def bound_cycles(self) -> int | None:
        """Work of the busiest unit, of each stretch that is done together, added up.

        No order of the same steps in these stretches takes less; `None` where nothing was timed.
        """
        return None if self.timing is None else self.timing.bound_cycles

    def ledger(self, host: str | Host = "blackparrot-published") -> Ledger:
        """Where its time goes. Raises `ParameterError` where there is no time."""
        return self.schedule(host).ledger

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        if self.skipped:
            return {"program": self.program, "machine": self.machine, "skipped": self.skipped}
        return {
            "program": self.program,
            "machine": self.machine,
            "cycles": self.cycles,
            "clock_fs": self.clock_fs,
            "clock_provenance": self.clock_provenance,
            "time_fs": self.time_fs,
            "provenance": self.provenance,
            "operations": [operation.to_dict() for operation in self.operations],
        }


def oracle(
    program: Program | native.HeProgram | str,
    machine: str | Machine,
    parameters: Parameters | None = None,
    inputs: Sequence[Input | Ciphertext] | None = None,
) -> Latency:
    """The time of a program on a machine, operation by operation, without running it.

    `program`: a function under `rw.program`, for which `parameters` must be given and `inputs` may
    (what each input is, declared or by example; default fresh ciphertexts); what its `trace`
    returned; or the text of a `ring` module. `machine`: a name, a path, or a `Machine`.

    A machine that is not simulated gives a `Latency` with `skipped`. Raises what tracing raises,
    and `MachineError` where the machine cannot run the program.
    """
    described = _machine(machine)
    backend = made_ready(described)
    if isinstance(program, str):
        lowered = native.lower(backend, native.Module.parse(program))
        return _of_module(described, lowered.timing)
    if isinstance(program, Program):
        if parameters is None:
            raise ParameterError(f"{program.name}: parameters must be given for a program")
        program = program.trace(parameters, inputs)
    lowered = native.lower(backend, native.Module.expanded(program, backend))
    timing = lowered.timing
    if timing is None:
        return _skipped(program.name, described)
    operations = [_operation(row, timing) for row in lowered.operations]
    return _latency(program.name, described, (*operations, *_around(timing)), timing)


def _operation(row: native.OperationCycles, timing: native.Timing) -> OperationLatency:
    return OperationLatency(
        row.kind,
        row.op,
        row.function,
        row.level,
        row.line,
        row.cycles,
        row.exposed_cycles,
        row.bound_cycles,
        row.exposed_cycles * timing.clock_fs,
        row.bytes_moved,
        row.interrupts,
        tuple(row.provenances),
    )


def latency_table(
    parameters: Parameters, machine: str | Machine, rotations: Sequence[int] = (1,)
) -> Latency:
    """Every operation on ciphertexts at every level, each alone; no total.

    A program takes less than its operations alone, where the machine does some of them together. A
    rotation's time depends on its steps: `rotations` says which. An operation that the machine
    cannot run or the level does not carry is left out.
    """
    described = _machine(machine)
    backend = made_ready(described)
    found: dict[str, OperationLatency] = {}
    timing: native.Timing | None = None
    for level in range(parameters.levels, 0, -1):
        for name, function in _operations(rotations).items():
            try:
                traced = Program(function, name=name).trace(parameters, _inputs(function, level))
                for alone in native.Module.expanded(traced, backend).separately():
                    lowered = native.lower(backend, alone)
                    timing = lowered.timing
                    if timing is None:
                        return _skipped(parameters.name, described)
                    (row,) = lowered.operations
                    label = name if row.kind == "rotate" else row.kind
                    one = replace(_operation(row, timing), op=label, line=None)
                    found.setdefault(one.function, one)
            except RingwrightError:
                continue
    if timing is None:
        return _skipped(parameters.name, described)
    rows = sorted(found.values(), key=lambda row: (row.op, -(row.level or 0), row.function))
    return Latency(
        parameters.name,
        described.name,
        tuple(rows),
        clock_fs=timing.clock_fs,
        clock_provenance=timing.clock_provenance,
        provenances=tuple(dict.fromkeys(each for row in rows for each in row.provenances)),
    )


def _operations(rotations: Sequence[int]) -> dict[str, Callable[..., Any]]:
    def rotate(steps: int) -> Callable[..., Any]:
        return lambda x: x.rotate(steps)

    return {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "neg": lambda x: -x,
        "add_constant": lambda x: x + 0.5,
        "mul_constant": lambda x: x * 0.5,
        "mul_relin": lambda x, y: x * y,
        "square": lambda x: x * x,
        "conjugate": lambda x: x.conjugate(),
        **{f"rotate {steps}": rotate(steps) for steps in rotations},
    }


def _inputs(function: Callable[..., Any], level: int) -> list[Input]:
    return [Input(level=level)] * function.__code__.co_argcount


def _of_module(described: Machine, timing: native.Timing | None) -> Latency:
    if timing is None:
        return _skipped("ring module", described)
    rows = [_of_kernel(each, timing) for each in timing.kernels]
    return _latency("ring module", described, tuple(rows), timing)


def _of_kernel(each: native.KernelTiming, timing: native.Timing) -> OperationLatency:
    return OperationLatency(
        each.name,
        each.name,
        each.name,
        None,
        each.line,
        each.cycles,
        each.exposed_cycles,
        each.bound_cycles,
        each.exposed_cycles * timing.clock_fs,
        each.bytes_moved,
        each.interrupts,
        tuple(each.provenances),
    )


def _around(timing: native.Timing) -> list[OperationLatency]:
    """What the device does for no operation, as tables and moves: a row for all of a name."""
    found: dict[str, OperationLatency] = {}
    for each in timing.besides:
        row = _of_kernel(each, timing)
        known = found.setdefault(row.kind, row)
        if known is not row:
            found[row.kind] = replace(
                known,
                provenances=tuple(dict.fromkeys(known.provenances + row.provenances)),
                **{name: getattr(known, name) + getattr(row, name) for name in _SUMS},
            )
    return list(found.values())


#: Of rows for the same, added up.
_SUMS = ("cycles", "exposed_cycles", "bound_cycles", "time_fs", "bytes_moved", "interrupts")


def mixed(provenances: Iterable[str]) -> str:
    """Several provenances as one text: "simulated + modelled"."""
    return " + ".join(provenances)


def _latency(
    program: str,
    described: Machine,
    operations: tuple[OperationLatency, ...],
    timing: native.Timing,
) -> Latency:
    return Latency(
        program,
        described.name,
        operations,
        timing.cycles,
        timing.clock_fs,
        timing.clock_provenance,
        tuple(timing.provenances),
        timing=timing,
    )


def _skipped(program: str, described: Machine) -> Latency:
    reason = f"target {described.target} is not simulated; its time is measured by running"
    return Latency(program, described.name, skipped=reason)


def _machine(machine: str | Machine) -> Machine:
    """A file may change between calls, so only what ships is kept by name."""
    if not isinstance(machine, str) or machine.endswith(".toml"):
        return load_machine(machine)
    return _shipped(machine)


@lru_cache(maxsize=_KEPT_MACHINES)
def _shipped(name: str) -> Machine:
    return load_machine(name)
