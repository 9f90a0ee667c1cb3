"""The server: runs programs on ciphertexts with evaluation keys, never a secret.

A program is traced for the levels of the ciphertexts it is given, expanded into ring functions
and lowered to the machine once; later runs only run. Every run says where its time went.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ringwright import _ringwright as native
from ringwright import offload, system
from ringwright.ckks import Ciphertext, EvaluationKeys
from ringwright.eager import Eager
from ringwright.errors import KeyMismatchError, ProgramError
from ringwright.ledger import Ledger
from ringwright.machines import Host, Machine
from ringwright.machines import host as load_host
from ringwright.machines import machine as load_machine
from ringwright.program import Program
from ringwright.source_line import integer
from ringwright.timeline import Timeline
from ringwright.vector import Vector

__all__ = ["OperationTime", "Run", "Server"]

OperationTime = native.OperationTime


@dataclass(frozen=True)
class Run:
    """Results of one run, and its time.

    `values`: one ciphertext per returned vector; `lengths`: how many slots of each count, from the
    first. `prepare_fs`: tracing, expansion and lowering, 0 when the program was prepared before.
    `run_fs`: the run itself. `operations`: when in it each operation ran, in order, with the user's
    line (`op`, `result`, `function`, `line`, `start_fs`, `duration_fs`); one that leaves nothing to
    run is left out, and a machine that does not measure operations reports none. All times are
    measured, in femtoseconds.

    `timing`: on a simulated machine, what it does when; schedule, ledger and timeline then show its
    time and that of `host`, its controller, and `run_fs` is how long the simulation took.
    """

    program: str
    machine: str
    values: tuple[Ciphertext, ...]
    prepare_fs: int
    run_fs: int
    operations: tuple[OperationTime, ...] = ()
    timing: offload.Timing | None = None
    host: Host | None = None
    lengths: tuple[int, ...] = ()

    @property
    def value(self) -> Ciphertext:
        """The only result; `ProgramError` where the program returns several (see `values`)."""
        if len(self.values) != 1:
            raise ProgramError(
                f"{self.program} returns {len(self.values)} vectors: use run.values, not run.value"
            )
        return self.values[0]

    @property
    def length(self) -> int:
        """How many slots of the only result count: `alice.decrypt(run.value)[: run.length]`."""
        _ = self.value
        return self.lengths[0]

    @cached_property
    def schedule(self) -> system.Schedule:
        """Preparation (a tax, paid once) and the program (a kernel), on the machine."""
        setup = []
        if self.prepare_fs:
            name = f"prepare {self.program}"
            setup.append(system.Stage(name, "host", self.machine, self.prepare_fs, "measured"))
        if self.timing and self.host:
            stages = offload.stages(self.timing, self.host, device=self.machine)
            return system.schedule([system.Job(stages)], setup=setup)
        kernel = system.Stage(
            self.program,
            "kernel",
            self.machine,
            self.run_fs,
            "measured",
            details=self.details(),
        )
        return system.schedule([system.Job([kernel])], setup=setup)

    def details(self, start_fs: int = 0) -> list[system.Detail]:
        """The operations as the inside of a stage in which the run begins at `start_fs`."""
        return [
            system.Detail(
                each.op,
                start_fs + each.start_fs,
                each.duration_fs,
                {"function": each.function, "line": each.line or "", "result": each.result},
            )
            for each in self.operations
        ]

    @property
    def ledger(self) -> Ledger:
        """Where the time went."""
        return self.schedule.ledger

    @property
    def timeline(self) -> Timeline:
        """When it went there; the program's operations lie inside its span."""
        return self.schedule.timeline


class Server:
    """Holds evaluation keys and a machine. `machine`: a name, a path, or a `Machine`.

    `host`: the processor that controls a simulated machine; its operations have their cost there.
    """

    def __init__(
        self,
        keys: EvaluationKeys,
        machine: str | Machine = "cpu",
        host: str | Host = "blackparrot-published",
    ) -> None:
        if not isinstance(keys, EvaluationKeys):
            raise TypeError(
                f"keys of type {type(keys).__name__} given; EvaluationKeys allowed, as "
                "client.keys_for(program) makes them"
            )
        self.keys = keys
        self.parameters = keys.parameters
        self.machine = load_machine(machine)
        self.host = load_host(host)
        self._backend = native.Backend(self.machine)
        self._evaluator = native.Evaluator(self.parameters, self._backend)
        self._prepared: dict[native.HeProgram, native.Prepared] = {}
        self._timings: dict[native.Prepared, offload.Timing | None] = {}
        self._eager = Eager(self._evaluator, keys)

    def __repr__(self) -> str:
        return f"Server({self.parameters.name!r}, machine={self.machine.name!r})"

    def prepare(self, program: Program, *inputs: Ciphertext) -> native.Prepared:
        """Traces, expands and lowers a program for ciphertexts like these (none: fresh ones).

        Done by `run` when needed; calling it first keeps the preparation out of the first run.
        """
        _check_program(program)
        for index, ciphertext in enumerate(inputs):
            _check_ciphertext(f"{program.name}: input {index}", ciphertext)
            if ciphertext.parameters != self.parameters:
                raise KeyMismatchError(
                    f"{program.name}: ciphertext {index} belongs to {ciphertext.parameters}, "
                    f"the keys to {self.parameters}"
                )
        traced = program.trace(self.parameters, inputs or None)
        if traced not in self._prepared:
            self._prepared[traced] = self._evaluator.prepare(traced)
        return self._prepared[traced]

    def timing(self, program: Program, *inputs: Ciphertext) -> offload.Timing | None:
        """What a simulated machine does when, for ciphertexts like these; else `None`."""
        prepared = self.prepare(program, *inputs)
        if prepared not in self._timings:
            self._timings[prepared] = offload.time_program(self._backend, prepared)
        return self._timings[prepared]

    def run(self, program: Program, *inputs: Ciphertext, **named: Ciphertext) -> Run:
        """Runs a program on ciphertexts, in the order of its parameters or by their names.

        Raises `KeyMismatchError` for ciphertexts of other parameters or a missing key,
        `DepthError` where the ciphertexts' levels do not carry the program, `ProgramError` for
        a wrong number of inputs.
        """
        _check_program(program)
        inputs = program.in_order(inputs, named)
        known = len(self._prepared)
        prepared = system.measure(self.prepare, program, *inputs)
        prepare_fs = prepared.duration_fs if len(self._prepared) > known else 0
        done = system.measure(prepared.value.run_profiled, list(inputs), self.keys)
        values, operations = done.value
        return Run(
            program.name,
            self.machine.name,
            tuple(values),
            prepare_fs,
            done.duration_fs,
            tuple(operations),
            self.timing(program, *inputs),
            self.host,
            program.lengths(self.parameters, inputs or None),
        )

    def vector(self, ciphertext: Ciphertext, length: int | None = None) -> Vector:
        """A ciphertext with operators, each computed at once: `server.vector(a) * 2 + 1`.

        For trying things out. A program is checked as a whole before anything runs, its keys are
        collected by `Client.keys_for`, and it is timed; here a missing key or level shows at the
        operation that needs it. `length`: numbers that it has; default: all slots.
        """
        _check_ciphertext("the vector", ciphertext)
        if ciphertext.parameters != self.parameters:
            raise KeyMismatchError(
                f"a ciphertext of {ciphertext.parameters} given; the keys belong to "
                f"{self.parameters}"
            )
        slots = self.parameters.slots
        return Vector(self._eager, ciphertext, integer("length", length or slots, 1, slots))


def _check_program(given: object) -> None:
    if not isinstance(given, Program):
        raise TypeError(f"{given!r} given; a program allowed: a function under rw.program")


def _check_ciphertext(what: str, given: object) -> None:
    if not isinstance(given, Ciphertext):
        raise TypeError(f"{what} is a {type(given).__name__}; a ciphertext allowed")
