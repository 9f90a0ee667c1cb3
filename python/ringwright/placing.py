"""Where a program's bootstrappings stand: where a machine takes the least time::

    found = rw.placed(training, params, "rpu-128x128")
    server = rw.Server(client.keys_for(found.program), machine="rpu-128x128")

Tracing bootstraps as late as can be, which is often but not always best: a value from which
several others come, each of which runs out of levels, is better bootstrapped before they part. So
a program is traced with bootstrappings earlier and earlier, and timed on the machine each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ringwright import _ringwright as native
from ringwright.ckks import Ciphertext, Input, Parameters
from ringwright.errors import DepthError, MachineError, ProgramError
from ringwright.machines import Machine
from ringwright.machines import machine as load_machine
from ringwright.oracle import oracle
from ringwright.program import Program

__all__ = ["Placement", "Tried", "placed"]

#: Where a bootstrapping begins, in a program's text.
_RAISE = " = raise "


@dataclass(frozen=True)
class Tried:
    """One way: operands of so many towers or fewer are bootstrapped before they are used.

    `bootstraps`: in the program's text; those of a function that is called count once, and stay
    where they are.
    """

    renew_at: int
    bootstraps: int
    cycles: int


@dataclass(frozen=True)
class Placement:
    """The program as it is quickest, and what was timed, the fewest bootstrappings first."""

    program: Program
    tried: tuple[Tried, ...]


def placed(
    program: Program,
    parameters: Parameters,
    machine: str | Machine,
    inputs: Sequence[Input | Ciphertext] | None = None,
    *,
    most: int = 4,
) -> Placement:
    """The same program with its bootstrappings where a simulated machine takes the least time.

    The program is traced with bootstrappings ever earlier, until they are more than at the latest
    places. Of the different programs that this gives, `most` are timed: those with the fewest
    bootstrappings, of equals those with the latest. Timing a program at N = 65536 takes half a
    minute or more.

    Raises `ProgramError` for a program that says nothing of bootstrapping, `MachineError` for a
    machine that is not simulated, and as `Program.trace` does.
    """
    if program.bootstrap is None:
        raise ProgramError(
            f"{program.name}: bootstrap = None given; a rw.ckks.Bootstrapping or 'auto' allowed"
        )
    described = machine if isinstance(machine, Machine) else load_machine(machine)
    ways = sorted(_ways(program, parameters, inputs), key=lambda way: way.bootstraps)
    tried = []
    for way in ways[: max(most, 1)]:
        latency = oracle(way.traced, described)
        if latency.cycles is None:
            raise MachineError(
                f"{program.name}: {described.name} given; a simulated machine allowed: "
                f"{latency.skipped}"
            )
        tried.append(Tried(way.renew_at, way.bootstraps, latency.cycles))
    best = min(tried, key=lambda each: each.cycles)
    (quickest,) = (way.program for way in ways if way.renew_at == best.renew_at)
    return Placement(quickest, tuple(tried))


@dataclass(frozen=True)
class _Way:
    program: Program
    bootstraps: int
    traced: native.HeProgram

    @property
    def renew_at(self) -> int:
        return self.program.renew_at


def _ways(
    program: Program, parameters: Parameters, inputs: Sequence[Input | Ciphertext] | None
) -> list[_Way]:
    """Different programs, the one with the latest bootstrappings first."""
    known: dict[str, _Way] = {}
    for renew_at in range(parameters.levels):
        renewing = program.renewing_at(renew_at)
        try:
            traced = renewing.trace(parameters, inputs)
        except DepthError:
            if known:
                break  # too little is left between two bootstrappings
            raise
        count = traced.text.count(_RAISE)
        way = known.setdefault(traced.text, _Way(renewing, count, traced))
        latest = next(iter(known.values()))
        if count == 0 or way.bootstraps > latest.bootstraps:
            break  # none are needed, or what comes earlier still only adds more
    return list(known.values())
