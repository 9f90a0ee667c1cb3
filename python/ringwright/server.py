"""The server: runs programs on ciphertexts with evaluation keys, never a secret.

A program is traced for the levels of the ciphertexts it is given, expanded into ring functions
and lowered to the machine once; later runs only run. Every run says where its time went.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringwright import _ringwright as native
from ringwright import notebook, system
from ringwright.ckks import Ciphertext, EvaluationKeys
from ringwright.declared import with_length
from ringwright.eager import Eager
from ringwright.errors import KeyMismatchError, ProgramError
from ringwright.ledger import duration_text
from ringwright.machines import Host, Machine
from ringwright.machines import host as load_host
from ringwright.machines import machine as load_machine
from ringwright.plain import Plain, plain_values
from ringwright.program import Program
from ringwright.rotations import Rotations
from ringwright.source_line import integer
from ringwright.spot_checks import Checked, Checks, devices
from ringwright.vector import Vector

__all__ = ["OperationTime", "Run", "Server"]

OperationTime = native.OperationTime


@dataclass(frozen=True)
class Run(system.Scheduled):
    """Results of one run, and its time.

    `values`: one ciphertext per returned vector, of its length; `Client.decrypt(run)` returns their
    numbers. `prepare_fs`: tracing, expansion and lowering, 0 when the program was prepared before;
    and encoding of plain arguments.
    `run_fs`: the run itself. `operations`: when in it each operation ran, in order, with the user's
    line (`op`, `result`, `function`, `line`, `start_fs`, `duration_fs`); neighbours that the CPU
    does together, word by word, are one, the last of them; one that leaves nothing to run is left
    out, and a machine that does not measure operations reports none. All times are measured, in
    femtoseconds.

    `timing`: on a simulated machine, what it does when; schedule, ledger and timeline then show its
    time and that of `host`, its controller, and `run_fs` is how long the simulation took. Both are
    `None` on a machine whose time is measured.

    `checks`: where a simulated machine's values are this computer's, how many of the `calls` of
    `kernels` were `checked`: computed on the machine too, every word equal.
    """

    program: str
    machine: str
    values: tuple[Ciphertext, ...]
    prepare_fs: int
    run_fs: int
    operations: tuple[OperationTime, ...] = ()
    timing: native.Timing | None = None
    host: Host | None = None
    checks: Checked | None = None

    def __repr__(self) -> str:
        beside = f" with host {self.host.name}" if self.host else ""
        return f"<run of {self.program} on {self.machine}{beside}: {self._said()}>"

    def _repr_html_(self) -> str:
        rows = [
            (each.line or "", each.op, duration_text(each.duration_fs)) for each in self.operations
        ]
        tables = [self.ledger.html_table()]
        if rows:
            tables.append(notebook.table(["line", "operation", "measured"], rows, [2]))
        return notebook.shown(f"{self.program} on {self.machine}: {self._said()}", *tables)

    def _said(self) -> str:
        count = len(self.values)
        lengths = ", ".join(map(str, self.lengths))
        vectors = f"{count} vector{'s' if count != 1 else ''}"
        said = f"{vectors} of length {lengths}, {self.ledger.summary}"
        if self.checks is None:
            return said
        checked = f"{self.checks.checked} of {self.checks.calls} calls checked"
        return f"{said}, values from {self.checks.values}, {checked}"

    @property
    def value(self) -> Ciphertext:
        """The only result; `ProgramError` where the program returns several (see `values`)."""
        if len(self.values) != 1:
            raise ProgramError(
                f"{self.program} returns {len(self.values)} vectors: use run.values, not run.value"
            )
        return self.values[0]

    @property
    def lengths(self) -> tuple[int, ...]:
        """How many slots of each value count, from the first."""
        return tuple(value.length for value in self.values)

    @property
    def length(self) -> int:
        """How many slots of the only result count: `alice.decrypt(run.value)[: run.length]`."""
        return self.value.length

    @cached_property
    def schedule(self) -> system.Schedule:
        """What is done once (a tax) and the program (a kernel), on the machine."""
        return system.schedule([self._job()], setup=self._setup())

    def _job(self) -> system.Job | system.Stages:
        if not (self.timing and self.host):
            return system.Job([self.stage(self._place)])
        stages = system.Stages()
        stages.run_folded(system.Station(self.machine, self.host), self.timing)
        return stages

    @property
    def _place(self) -> system.Resource:
        return system.Resource(self.machine, "device" if self.timing else "host")

    def _setup(self) -> system.Stages:
        """What is done once: the program is lowered here, a simulated machine is made ready."""
        setup = system.Stages()
        after: list[int] = []
        if self.prepare_fs:
            name = f"prepare {self.program}"
            stage = system.Stage(name, "host", self._place, self.prepare_fs, "measured")
            after = [setup.append(stage)]
        if self.timing and self.timing.set_up and self.host:
            station = system.Station(self.machine, self.host)
            setup.run_folded(station, self.timing.set_up, after=after)
        return setup

    @property
    def evaluate_fs(self) -> int:
        """Femtoseconds from beginning to end, without what is done once."""
        return system.schedule([self._job()]).total_fs

    def stage(self, place: system.Resource, after: Sequence[int] = ()) -> system.Stage:
        """The run as it was measured, its operations inside it."""
        details = self.details()
        return system.Stage(
            self.program, "kernel", place, self.run_fs, "measured", after=after, details=details
        )

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


class Server:
    """Holds evaluation keys and a machine. `machine`: a name, a path, or a `Machine`.

    `host`: the processor that controls a simulated machine; its operations have their cost there.
    `rotations`: of what rotations of a `vector` are composed, as `rw.program` takes it; a program
    has its own.

    `values`: on a simulated machine `"cpu"`, this computer's at its speed, with calls of kernels
    checked on the machine (`MismatchError` where it computes something else); `rw.Checks(...)`, the
    same with other calls checked; or `"device"`, every call simulated. The words are the same, and
    so is the time.
    """

    def __init__(
        self,
        keys: EvaluationKeys,
        machine: str | Machine = "cpu",
        host: str | Host = "blackparrot-published",
        rotations: Rotations | None = None,
        values: str | Checks = "cpu",
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
        self._evaluator = native.Evaluator(self.parameters, *devices(self.machine, values))
        self._prepared: dict[native.HeProgram, native.Prepared] = {}
        self._eager = Eager(self._evaluator, keys, rotations)

    def __repr__(self) -> str:
        return f"Server({self.parameters.name!r}, machine={self.machine.name!r})"

    def prepare(self, program: Program, *inputs: Ciphertext | Plain) -> native.Prepared:
        """Traces, expands and lowers a program for ciphertexts like these (none: fresh ones).

        Done by `run` when needed; calling it first keeps the preparation out of the first run.
        """
        _check_program(program)
        for index, ciphertext in enumerate(inputs):
            if isinstance(ciphertext, Plain):
                continue
            _check_ciphertext(f"{program.name}: input {index}", ciphertext)
            if ciphertext.parameters != self.parameters:
                raise KeyMismatchError(
                    f"{program.name}: ciphertext {index} belongs to {ciphertext.parameters}, "
                    f"the keys to {self.parameters}"
                )
        traced = program.trace(self.parameters, inputs or None)
        if traced not in self._prepared:
            self._prepared[traced] = self._evaluator.prepare(traced, self.keys)
        return self._prepared[traced]

    def timing(self, program: Program, *inputs: Ciphertext | Plain) -> native.Timing | None:
        """What a simulated machine does when, for ciphertexts like these; else `None`."""
        return self.prepare(program, *inputs).timing

    def run(
        self, program: Program, *inputs: Ciphertext | Plain, **named: Ciphertext | Plain
    ) -> Run:
        """Runs a program on ciphertexts, in the order of its parameters or by their names; plain
        inputs come as `rw.Plain`.

        Raises `KeyMismatchError` for ciphertexts of other parameters or a missing key,
        `DepthError` where the ciphertexts' levels do not carry the program, `ProgramError` for
        a wrong number of inputs.
        """
        _check_program(program)
        inputs = program.in_order(inputs, named)
        known, plains = len(self._prepared), plain_values(inputs)
        prepared = system.measure(self._ready, program, inputs, plains)
        is_new = len(self._prepared) > known or bool(plains)
        prepare_fs = prepared.duration_fs if is_new else 0
        ciphertexts = [each for each in inputs if isinstance(each, Ciphertext)]
        done = system.measure(prepared.value.run_profiled, ciphertexts, self.keys)
        values, operations, checks = done.value
        lengths = program.lengths(self.parameters, inputs or None)
        timing = self.timing(program, *inputs)
        return Run(
            program.name,
            self.machine.name,
            tuple(starmap(with_length, zip(values, lengths, strict=True))),
            prepare_fs,
            done.duration_fs,
            tuple(operations),
            timing,
            self.host if timing else None,
            checks,
        )

    def _ready(
        self, program: Program, inputs: Sequence[Any], plains: list[NDArray[np.float64]]
    ) -> native.Prepared:
        prepared = self.prepare(program, *inputs)
        return self._evaluator.bind(prepared, plains) if plains else prepared

    def vector(self, ciphertext: Ciphertext, length: int | None = None) -> Vector:
        """A ciphertext with operators, each computed at once: `server.vector(a) * 2 + 1`.

        For trying things out. A program is checked as a whole before anything runs, its keys are
        collected by `Client.keys_for`, and it is timed; here a missing key or level shows at the
        operation that needs it. `length`: numbers that it has; default: all slots, or its
        own length where the slots beyond are undefined.
        """
        _check_ciphertext("the vector", ciphertext)
        if ciphertext.parameters != self.parameters:
            raise KeyMismatchError(
                f"a ciphertext of {ciphertext.parameters} given; the keys belong to "
                f"{self.parameters}"
            )
        slots = self.parameters.slots
        known = slots if ciphertext.zeros_beyond else ciphertext.length
        wanted = known if length is None else length
        return Vector(self._eager, ciphertext, integer("length", wanted, 1, slots))


def _check_program(given: object) -> None:
    if not isinstance(given, Program):
        raise TypeError(f"{given!r} given; a program allowed: a function under rw.program")


def _check_ciphertext(what: str, given: object) -> None:
    if not isinstance(given, Ciphertext):
        raise TypeError(f"{what} is a {type(given).__name__}; a ciphertext allowed")
