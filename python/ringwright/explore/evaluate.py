"""One point: how long its machine takes, and what that costs.

What a point is computed from stands in a `Task`, and nowhere else, so its hash names the result.
The function may run on another computer; what goes there and comes back is plain.
"""

from __future__ import annotations

import hashlib
import json
import linecache
import traceback
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ringwright import _ringwright as native
from ringwright import schedules
from ringwright.ckks import Parameters
from ringwright.errors import (
    MachineError,
    MismatchError,
    ParameterError,
    ProgramError,
    RingwrightError,
)
from ringwright.explore import spans
from ringwright.explore.spans import Span
from ringwright.explore.workload import Workload
from ringwright.machines import Machine, backend
from ringwright.oracle import oracle
from ringwright.program import Program
from ringwright.silicon import AREA, BLOCKS, Cost, Energy, cost_from_text

Clock = Literal["described", "parts"]


@cache
def code() -> str:
    """Hash of what computes points: this package's compiled part and its Python files."""
    compiled = Path(native.__file__)
    package = compiled.parent
    digest = hashlib.sha256()
    for file in [compiled, *sorted(package.rglob("*.py"))]:
        name, data = file.relative_to(package).as_posix(), file.read_bytes()
        digest.update(f"{name} {len(data)}\n".encode() + data)
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Task:
    """A machine's description, what it does, which clock its time is in, in which process.

    `clock`: "described" is that of the description, "parts" the expected one of its parts.
    `process`: the text of a process file, `None` for ours. `search`: how many orders of each
    transform's instructions are tried for this design; with 0 they are ordered as what ships has
    it, or as the compiler's first guess. What searches have kept on this computer is left aside.
    """

    machine: str
    workload: Workload
    clock: Clock = "described"
    process: str | None = None
    search: int = 0

    @property
    def id(self) -> str:
        """Hash of everything that decides the result, the code that computes it included."""
        said = json.dumps([code(), asdict(self)], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()[:16]


def evaluate(task: Task) -> dict[str, Any]:
    """The record of a point; `skipped` says why there is none.

    A wrong answer is no result: raises `MismatchError`.
    """
    try:
        return _evaluated(task)
    except MismatchError:
        raise
    except RingwrightError as error:
        return {"skipped": " ".join(str(error).split())}


def _evaluated(task: Task) -> dict[str, Any]:
    machine = Machine.parse(task.machine, "design")
    if task.search and machine.schedule_identity is not None:
        machine = _searched(machine, task.workload, task.search)
    cost = cost_from_text(machine, task.process)
    clock, said = _clock(task, cost)
    done = _done(task.workload, machine, cost)
    return {
        "machine": machine.identity,
        "cycles": done.cycles,
        "clock_ghz": clock,
        "clock": said,
        "time_us": done.cycles / clock / 1e3,
        "time_provenance": " + ".join(done.provenances),
        "schedule": done.schedule,
        **(_blocks(cost) if done.energy is None else _silicon(cost, done.energy)),
        "timeline": done.timeline,
    }


def _clock(task: Task, cost: Cost) -> tuple[float, str | None]:
    """In GHz, and where it comes from."""
    if task.clock == "described":
        return cost.machine_clock_ghz, cost.machine_clock_provenance
    if cost.clock is None:
        raise MachineError(f"machine {cost.machine} has no clock of its parts; described allowed")
    return cost.clock.ghz.expected, "parts"


def _silicon(cost: Cost, energy: Energy) -> dict[str, Any]:
    area = cost.need_area()
    return {
        **_ends(AREA, area.value),
        "area_provenance": " + ".join(area.provenances),
        **_ends("energy_uj", energy.total.value),
        "energy_provenance": " + ".join(energy.total.provenances),
        **_ends("leakage_mw", cost.totals["leakage_mw"].value),
        "area_by_unit": {unit: each.value.expected for unit, each in cost.units.items()},
        "energy_by_unit": {unit: each.value.expected for unit, each in energy.units.items()},
    }


def _blocks(cost: Cost) -> dict[str, Any]:
    """What a machine takes of an FPGA."""
    found: dict[str, Any] = {}
    provenances: list[str] = []
    for name in BLOCKS:
        total = cost.totals[name]
        units: dict[str, float] = {}
        for row in cost.rows:
            if row.quantity == name:
                units[row.unit] = units.get(row.unit, 0) + row.value.expected
        found |= {**_ends(name, total.value), f"{name}_by_unit": units}
        provenances += total.provenances
    return found | {"blocks_provenance": " + ".join(dict.fromkeys(provenances))}


def _searched(machine: Machine, workload: Workload, tries: int) -> Machine:
    """The machine with the best orders of so many for each transform that the workload may have."""
    there, back = (False, True), (True, True)
    match workload.kind:
        case "transform":
            degree, sought = int(workload.name), [there]
        case "module":
            degree, sought = native.Module.parse(workload.text).n, [there, back]
        case "program":
            degree, sought = Parameters.preset(workload.preset).n, [there, back]
    found = native.search_schedules(machine, degree, tries, sought)
    assert found is not None, "its target orders instructions"
    return machine.with_schedules(found[0], "a search")


def _ends(name: str, value: Any) -> dict[str, float]:
    return {name: value.expected, f"{name}_low": value.low, f"{name}_high": value.high}


@dataclass(frozen=True)
class _Done:
    """What a machine has done, and how its transforms were ordered. `timeline`: see `spans`.
    `energy`: `None` where no event's is known, on an FPGA.
    """

    cycles: int
    provenances: list[str]
    energy: Energy | None
    schedule: str
    timeline: list[Span]


def _done(workload: Workload, machine: Machine, cost: Cost) -> _Done:
    if workload.kind == "transform":
        done = native.run_transform(machine, int(workload.name), forward_only=True)
        if done is None:
            raise ParameterError(f"target {machine.target} has no transform of its own")
        if not done.correct:
            raise MismatchError(f"wrong words in a transform of {workload.name}")
        return _Done(
            done.cycles,
            [done.provenance],
            cost.of_finished_transform(done) if cost.has_area else None,
            schedules.said(done.schedules),
            spans.of_transform(done),
        )
    timing = _timing(workload, machine)
    return _Done(
        timing.cycles,
        list(timing.provenances),
        cost.of_timing(timing) if cost.has_area else None,
        schedules.said(backend(machine).schedules()),
        spans.of_timing(timing),
    )


def _timing(workload: Workload, machine: Machine) -> native.Timing:
    if workload.kind == "module":
        lowered = native.lower(backend(machine), native.Module.parse(workload.text))
        timing = lowered.timing
    else:
        parameters = Parameters.preset(workload.preset)
        program = _program(workload)
        try:
            timing = oracle(program, machine, parameters).timing
        except Exception as error:
            (*_, innermost) = traceback.extract_tb(error.__traceback__)
            if innermost.filename != _file(workload):
                raise
            raise _failed(f"line {innermost.lineno}", error) from error
    if timing is None:
        raise ParameterError(f"target {machine.target} is not simulated")
    return timing


def _file(workload: Workload) -> str:
    """What Python calls the text of a workload."""
    return f"<workload {workload.digest}>"


def _failed(place: str, error: Exception) -> ProgramError:
    return ProgramError(f"workload: {place}: {type(error).__name__}: {error}")


@cache
def _program(workload: Workload) -> Program:
    """The program that the file defines; the file stands alone."""
    name = _file(workload)
    # Tracing looks at a function's lines.
    lines = workload.text.splitlines(keepends=True)
    linecache.cache[name] = (len(workload.text), None, lines, name)
    defined: dict[str, Any] = {"__name__": "workload"}
    try:
        exec(compile(workload.text, name, "exec"), defined)
    except RingwrightError:
        raise
    except Exception as error:
        raise _failed("its file", error) from error
    found = defined.get(workload.name)
    if not isinstance(found, Program):
        raise ParameterError(f"workload: its file has no program {workload.name!r}")
    return found
