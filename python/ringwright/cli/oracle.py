"""`ringwright oracle`: how long operations take on a simulated machine, without running them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

import ringwright as rw
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, duration, print_json, results, table
from ringwright.cli.source_files import SourceFiles, names_one
from ringwright.cli.stages import Stages
from ringwright.errors import FormatError, ParameterError, StorageError
from ringwright.oracle import Latency
from ringwright.quantity import significant
from ringwright.silicon import Energy, energy_of

_RING = ".ring"
_MACHINE = "rpu-128x128"


def oracle(
    program: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROGRAM]",
            help="FILE.py:NAME, a function under rw.program; or FILE.ring, a ring module, which "
            "has parameters of its own. Default: every operation at every level.",
        ),
    ] = None,
    machine: Annotated[
        list[str] | None,
        completion.option(
            completion.machines, f"Simulated machine, default {_MACHINE}; repeat to ask several."
        ),
    ] = None,
    params: completion.ParametersOption = "4096-2x30",
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Cycles and time of every operation of a program, without running it.

    For compilers that choose between programs. Nothing is encrypted and no value is computed; a
    machine that is not simulated is skipped with the reason. Of a program on a machine with a cost
    (`ringwright cost`) the energy of one run is said too, unit by unit. A file of Python is
    executed, with what lies beside it. With --json, several machines give a list.
    """
    machines = machine or [_MACHINE]
    found = _found(program, machines, params)
    asked = zip(found, machines, strict=True)
    energies = [energy_of(rw.machine(name), each.timing) for each, name in asked]
    if json_:
        said = [
            each.to_dict() | ({"energy_uj": energy.to_dict()} if energy else {})
            for each, energy in zip(found, energies, strict=True)
        ]
        print_json(said if len(said) > 1 else said[0])
        return
    for each, energy in zip(found, energies, strict=True):
        if each.skipped:
            typer.echo(f"{each.machine}: skipped: {each.skipped}")
        else:
            _print(each, energy)


def _found(program: str | None, machines: list[str], params: str) -> list[Latency]:
    if program is not None and program.endswith(_RING):
        text = _text(Path(program))
        return _each(machines, lambda machine: rw.oracle(text, machine))
    if program is not None and not names_one(program):
        raise ParameterError(f"program {program!r} given; allowed: FILE.py:NAME or FILE{_RING}")
    with SourceFiles() as files:
        parameters = files.parameters(params)
        if program is None:
            return _each(machines, lambda machine: rw.latency_table(parameters, machine))
        made = files.named(program, rw.Program)
        return _each(machines, lambda machine: rw.oracle(made, machine, parameters))


def _each(machines: list[str], timed: Callable[[str], Latency]) -> list[Latency]:
    found = []
    with Stages("oracle", lines=False) as stages:
        for machine in machines:
            stages(machine)
            found.append(timed(machine))
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{path}: not read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: byte {error.start} is not text (UTF-8)") from error


def _print(found: Latency, energy: Energy | None) -> None:
    console = results()
    rows = [
        [
            operation.line or "",
            operation.op,
            "" if operation.level is None else str(operation.level),
            operation.function,
            f"{operation.exposed_cycles:,}",
            duration(operation.time_fs),
        ]
        for operation in found.operations
    ]
    if found.time_fs is not None:
        rows.append(["", "together", "", "", f"{found.cycles:,}", duration(found.time_fs)])
    heads = ["line", "operation", "level", "ring function", "cycles", "time"]
    title = f"{found.program} on {found.machine} ({found.provenance}"
    title += f"; its clock is {found.clock_provenance})"
    console.print(table(heads, rows, right=(2, 4, 5), title=title, spare=(3, 2)))
    if energy is not None:
        console.print(_energy_text(energy))


def _energy_text(energy: Energy) -> str:
    value = energy.total.value
    low, expected, high = map(significant, (value.low, value.expected, value.high))
    shares = ", ".join(f"{unit} {energy.share(unit):.0%}" for unit in energy.units)
    where = " + ".join(energy.total.provenances)
    return f"energy: {expected} µJ, from {low} to {high} ({where}): {shares}"
