"""One program on several machines: how long it takes on each, and what holds it up there.

A simulated machine's time is known without running (`rw.oracle`). On this computer's processor the
program runs on encrypted random numbers, several times, and the quickest run counts. Both are told
as a server's ledger tells them, so that the parts add up to the whole. Neither holds what a client
does, nor a link between the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringwright import ckks
from ringwright.errors import ParameterError
from ringwright.ledger import Ledger
from ringwright.machines import Host, Machine
from ringwright.machines import machine as load_machine
from ringwright.oracle import Latency, mixed, oracle
from ringwright.plain import Plain
from ringwright.program import Program
from ringwright.server import Run, Server

__all__ = ["Compared", "compare"]

_RUNS = 5
_SEED = 1


@dataclass(frozen=True)
class Compared:
    """A program on one machine.

    `ledger`: where its time goes, from the first operand on the machine to the last result there.
    `line_fs`: the device's time by the user's line. `latency`: what `rw.oracle` says; `None` where
    the time was measured.
    """

    machine: str
    ledger: Ledger
    line_fs: dict[str, int]
    latency: Latency | None = None

    @property
    def time_fs(self) -> int:
        """End-to-end time: kernels and tax."""
        return self.ledger.total_fs

    @property
    def cycles(self) -> int | None:
        """The device's own, its host taking no time; `None` where the time was measured."""
        return self.latency.cycles if self.latency else None

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
            "bytes_moved": self.bytes_moved,
            "kernel_fs": self.ledger.kernel_fs,
            "tax_fs": self.ledger.tax_fs,
            "busy": self.busy,
            "bottleneck": self.bottleneck,
            "costliest_line": self.costliest_line,
            "line_fs": self.line_fs,
            "provenance": mixed(self.ledger.provenances),
        }


def compare(
    program: Program,
    machines: Sequence[str | Machine],
    parameters: ckks.Parameters,
    host: str | Host = "blackparrot-published",
) -> tuple[Compared, ...]:
    """The program on each of the machines, in their order.

    `host`: the processor that controls the simulated ones. Raises `ParameterError` where no machine
    is given, and what `rw.oracle` and a server raise.
    """
    if not machines:
        raise ParameterError("no machine given; allowed: one or more")
    return tuple(_on(program, load_machine(each), parameters, host) for each in machines)


def _on(
    program: Program, machine: Machine, parameters: ckks.Parameters, host: str | Host
) -> Compared:
    latency = oracle(program, machine, parameters)
    if latency.skipped:
        run = _quickest(program, machine, parameters)
        rows = ((row.line, row.duration_fs) for row in run.operations)
        return Compared(machine.name, run.ledger, _by_line(rows))
    rows = ((row.line, row.time_fs) for row in latency.operations)
    return Compared(machine.name, latency.ledger(host), _by_line(rows), latency)


def _by_line(rows: Iterable[tuple[str | None, int]]) -> dict[str, int]:
    spent: Counter[str] = Counter()
    for line, time_fs in rows:
        if line:
            spent[line] += time_fs
    return dict(spent.most_common())


def _quickest(program: Program, machine: Machine, parameters: ckks.Parameters) -> Run:
    """The quickest of several runs on random numbers within the bounds of the inputs."""
    client = ckks.Client(parameters)
    server = Server(client.keys_for(program), machine)
    draw = np.random.default_rng(_SEED)

    def drawn(declared: ckks.Input) -> ckks.Ciphertext | Plain:
        most = declared.max if declared.rms is None else min(declared.max, declared.rms)
        numbers = draw.uniform(-most, most, declared.length or parameters.slots)
        return Plain(numbers) if declared.plain else client.encrypt(numbers, declared)

    inputs = [drawn(declared) for declared in program.inputs]
    server.run(program, *inputs)  # with what is prepared once
    runs = (server.run(program, *inputs) for _ in range(_RUNS))
    return min(runs, key=lambda run: run.ledger.total_fs)
