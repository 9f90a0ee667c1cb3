"""`ringwright oracle`: how long operations take on a simulated machine, without running them."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Annotated

import typer

import ringwright as rw
from ringwright.cli.output import JSON_HELP, duration, print_json, results, table
from ringwright.errors import ParameterError, StorageError
from ringwright.oracle import Latency

_RING = ".ring"


def oracle(
    program: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROGRAM]",
            help="FILE.py:NAME, a function under rw.program; or FILE.ring, a ring module. "
            "Default: every operation at every level.",
        ),
    ] = None,
    machine: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Simulated machine.")
    ] = "rpu-128x128",
    preset: Annotated[
        str, typer.Option(metavar="NAME", help="CKKS parameters; a ring module has its own.")
    ] = "4096-2x30",
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Cycles and time of every operation of a program, without running it.

    For compilers that choose between programs. Nothing is encrypted and no value is computed; a
    machine that is not simulated is skipped with the reason.
    """
    found = _found(program, machine, preset)
    if json_:
        print_json(found.to_dict())
    elif found.skipped:
        typer.echo(f"{found.machine}: skipped: {found.skipped}")
    else:
        _print(found)


def _found(program: str | None, machine: str, preset: str) -> Latency:
    if program is None:
        return rw.latency_table(rw.ckks.Parameters.preset(preset), machine)
    if program.endswith(_RING):
        return rw.oracle(_text(Path(program)), machine)
    return rw.oracle(_program(program), machine, rw.ckks.Parameters.preset(preset))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{path}: not read: {error}") from error


def _program(given: str) -> rw.Program:
    """The program of that name in a file of Python, which is executed."""
    file, _, name = given.rpartition(":")
    if not file.endswith(".py") or not name:
        raise ParameterError(f"program {given!r} given; allowed: FILE.py:NAME or FILE{_RING}")
    path = Path(file)
    if not path.is_file():
        raise StorageError(f"{path}: no such file")
    defined = runpy.run_path(str(path))
    found = defined.get(name)
    if not isinstance(found, rw.Program):
        known = [key for key, value in defined.items() if isinstance(value, rw.Program)]
        names = ", ".join(known) or "none"
        raise ParameterError(f"{file} has no program {name!r}; its programs: {names}")
    return found


def _print(found: Latency) -> None:
    console = results()
    rows = [
        [
            operation.line or "",
            operation.op,
            "" if operation.level is None else str(operation.level),
            operation.function,
            f"{operation.cycles:,}",
            duration(operation.time_fs),
        ]
        for operation in found.operations
    ]
    if found.time_fs is not None:
        rows.append(["", "together", "", "", f"{found.cycles:,}", duration(found.time_fs)])
    heads = ["line", "operation", "level", "ring function", "cycles", "time"]
    title = f"{found.program} on {found.machine} ({found.provenance})"
    console.print(table(heads, rows, right=(2, 4, 5), title=title))
