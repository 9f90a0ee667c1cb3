"""One program on several machines: how long it takes on each, and what holds it up there.

A simulated machine's time is known without running (`rw.oracle`). On this computer's processor the
program runs on encrypted random numbers, several times, and the quickest run counts. Both are told
as a server's ledger tells them, so that the parts add up to the whole. Neither holds what a client
does, nor a link between the two; `Batch` asks from how many runs on a link is worth it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ringwright import _ringwright as native
from ringwright import ckks, system
from ringwright.batches import Batch, BreakEven, Elsewhere, break_even
from ringwright.errors import ParameterError
from ringwright.machines import Host, Machine, backend
from ringwright.machines import host as load_host
from ringwright.machines import machine as load_machine
from ringwright.oracle import Latency, mixed, oracle
from ringwright.plain import Plain
from ringwright.program import Program
from ringwright.roofline import Roofline, roofline
from ringwright.server import Run, Server
from ringwright.silicon import Energy, energy_of

__all__ = ["Batch", "Compared", "compare"]

_RUNS = 5
_SEED = 1


@dataclass(frozen=True)
class Compared(system.Scheduled):
    """A program on one machine.

    `ledger` and `timeline`: where its time goes, from the first operand on the machine to the last
    result there. `line_fs`: the device's time by the user's line. `roofline`: where it lies under
    the machine's roofs. `latency`: what `rw.oracle` says; `None` where the time was measured.
    `runs_fs`: of those that were measured, in order. `break_even`: of batches on it behind a link,
    where that was asked for; `None` for a machine that needs none. `energy`: of one run, a range;
    `None` where none is known.
    """

    machine: str
    placed: system.Schedule
    line_fs: dict[str, int]
    roofline: Roofline
    latency: Latency | None = None
    runs_fs: tuple[int, ...] = ()
    break_even: BreakEven | None = None
    energy: Energy | None = None

    @property
    def schedule(self) -> system.Schedule:
        """Its stages on their resources."""
        return self.placed

    @property
    def time_fs(self) -> int:
        """End-to-end time: kernels and tax."""
        return self.ledger.total_fs

    @property
    def cycles(self) -> int | None:
        """The device's own, its host taking no time; `None` where the time was measured."""
        return self.latency.cycles if self.latency else None

    @property
    def bound_cycles(self) -> int | None:
        """Work of the busiest unit of each stretch that is done together (`rw.oracle`): no order of
        the same steps inside takes less. `None` where the time was measured.
        """
        return self.latency.bound_cycles if self.latency else None

    @property
    def above_bound(self) -> float | None:
        """Share of `cycles` that lies above `bound_cycles`."""
        if not self.cycles or self.bound_cycles is None:
            return None
        return 1 - self.bound_cycles / self.cycles

    @property
    def bytes_moved(self) -> int | None:
        """Between the device and the memory behind it; `None` where the time was measured."""
        if self.latency is None:
            return None
        return sum(operation.bytes_moved for operation in self.latency.operations)

    @property
    def busy(self) -> dict[str, float]:
        """By unit, for how much of the time it works, the busiest first."""
        busy: Counter[str] = Counter()
        for entry in self.ledger:
            if not entry.waits:
                busy[entry.resource] += entry.busy_fs
        total = self.time_fs
        return {unit: time / total for unit, time in busy.most_common() if total}

    @property
    def bottleneck(self) -> str:
        """What the program waits for longest, in words."""
        exposed: Counter[str] = Counter()
        for entry in self.ledger:
            exposed[entry.resource] += entry.exposed_fs
        if not self.time_fs:
            return "nothing takes time"
        ((unit, waited),) = exposed.most_common(1)
        works = self.busy.get(unit, 0)
        said = f"{waited / self.time_fs:.0%} of the time is spent waiting for {unit}"
        return f"{said}, which works for {works:.0%} of it"

    @property
    def costliest_line(self) -> str | None:
        """The user's line that takes longest; `None` where none is known."""
        return max(self.line_fs, key=self.line_fs.__getitem__, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; times in femtoseconds, what is not known is null."""
        return {
            "machine": self.machine,
            "time_fs": self.time_fs,
            "cycles": self.cycles,
            "bound_cycles": self.bound_cycles,
            "bytes_moved": self.bytes_moved,
            "kernel_fs": self.ledger.kernel_fs,
            "tax_fs": self.ledger.tax_fs,
            "busy": self.busy,
            "bottleneck": self.bottleneck,
            "costliest_line": self.costliest_line,
            "line_fs": self.line_fs,
            "roofline": self.roofline.to_dict(),
            "energy_uj": None if self.energy is None else self.energy.to_dict(),
            "runs_fs": list(self.runs_fs),
            "break_even": self.break_even.to_dict() if self.break_even else None,
            "provenance": mixed(self.ledger.provenances),
        }


def compare(
    program: Program,
    machines: Sequence[str | Machine],
    parameters: ckks.Parameters,
    host: str | Host = "blackparrot-published",
    batch: Batch | None = None,
) -> tuple[Compared, ...]:
    """The program on each of the machines, in their order.

    `host`: the processor that controls the simulated ones. `batch`: asks for batches on each of
    them behind a link, against the first machine that is measured here. Raises `ParameterError`
    where no machine is given, or none to hold a batch against, and what `rw.oracle` and a server
    raise.
    """
    if not machines:
        raise ParameterError("no machine given; allowed: one or more")
    described = [load_machine(each) for each in machines]
    if batch:
        _check_measured(described)
    controller = load_host(host)
    compared = [_on(program, each, parameters, controller) for each in described]
    if batch is None:
        return tuple(compared)
    there = next(each for each in compared if each.runs_fs)
    against = Elsewhere(there.machine, min(there.runs_fs), max(there.runs_fs))
    for index, each in enumerate(compared):
        if each.latency:
            prepared = _prepared(program, described[index], parameters)
            found = break_even(described[index], controller, prepared, against, batch)
            compared[index] = replace(each, break_even=found)
    return tuple(compared)


def _check_measured(machines: Sequence[Machine]) -> None:
    """A batch is held against a machine whose time is measured."""
    if any(backend(each).bytes_per_word is None for each in machines):
        return
    names = ", ".join(each.name for each in machines)
    raise ParameterError(
        f"a batch on {names}: all of them are simulated; allowed: at least one machine that is "
        "measured here, such as cpu"
    )


def _prepared(program: Program, machine: Machine, parameters: ckks.Parameters) -> native.Prepared:
    evaluator = native.Evaluator(parameters, backend(machine))
    return evaluator.prepare(program.trace(parameters))


def _on(program: Program, machine: Machine, parameters: ckks.Parameters, host: Host) -> Compared:
    latency = oracle(program, machine, parameters)
    placed = roofline(machine, latency.timing, latency.skipped)
    if latency.skipped:
        runs = _runs(program, machine, parameters)
        times = tuple(run.ledger.total_fs for run in runs)
        quickest = runs[times.index(min(times))]
        rows = ((row.line, row.duration_fs) for row in quickest.operations)
        line_fs = _by_line(rows)
        return Compared(machine.name, quickest.schedule, line_fs, placed, runs_fs=times)
    rows = ((row.line, row.time_fs) for row in latency.operations)
    energy = energy_of(machine, latency.timing)
    timed = latency.schedule(host), _by_line(rows), placed, latency
    return Compared(machine.name, *timed, energy=energy)


def _by_line(rows: Iterable[tuple[str | None, int]]) -> dict[str, int]:
    spent: Counter[str] = Counter()
    for line, time_fs in rows:
        if line:
            spent[line] += time_fs
    return dict(spent.most_common())


def _runs(program: Program, machine: Machine, parameters: ckks.Parameters) -> list[Run]:
    """Several runs on random numbers within the bounds of the inputs."""
    client = ckks.Client(parameters)
    server = Server(client.keys_for(program), machine)
    draw = np.random.default_rng(_SEED)

    def drawn(declared: ckks.Input) -> ckks.Ciphertext | Plain:
        most = declared.max if declared.rms is None else min(declared.max, declared.rms)
        numbers = draw.uniform(-most, most, declared.length or parameters.slots)
        return Plain(numbers) if declared.plain else client.encrypt(numbers, declared)

    inputs = [drawn(declared) for declared in program.inputs]
    server.run(program, *inputs)  # with what is prepared once
    return [server.run(program, *inputs) for _ in range(_RUNS)]
