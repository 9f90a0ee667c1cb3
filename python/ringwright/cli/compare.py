"""`ringwright compare`: one program on several machines, beside each other."""

from __future__ import annotations

from typing import Annotated

import typer

import ringwright as rw
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, duration, print_json, results, size, table
from ringwright.cli.source_files import SourceFiles, names_one
from ringwright.errors import ParameterError
from ringwright.oracle import mixed

_MACHINES = ["cpu", "rpu-128x128"]


def compare(
    program: Annotated[
        str,
        typer.Argument(metavar="PROGRAM", help="FILE.py:NAME, a function under rw.program."),
    ],
    machine: Annotated[
        list[str] | None,
        completion.option(
            completion.machines,
            f"Machine, default {' and '.join(_MACHINES)}; repeat to compare several.",
        ),
    ] = None,
    params: completion.ParametersOption = "4096-2x30",
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """One program on several machines: time, bytes moved, and what holds it up.

    A simulated machine's time is composed without running. On this computer's processor the
    program runs on encrypted random numbers, and the quickest of five runs counts. Neither holds
    what a client does, nor a link. A file of Python is executed, with what lies beside it.
    """
    if not names_one(program):
        raise ParameterError(f"program {program!r} given; allowed: FILE.py:NAME")
    with SourceFiles() as files:
        made = files.named(program, rw.Program)
        compared = rw.compare(made, machine or _MACHINES, files.parameters(params))
    if json_:
        print_json([each.to_dict() for each in compared])
        return
    console = results()
    rows = [
        [
            each.machine,
            duration(each.time_fs),
            f"{compared[0].time_fs / each.time_fs:.2f}" if each.time_fs else "",
            "" if each.cycles is None else f"{each.cycles:,}",
            "" if each.bytes_moved is None else size(each.bytes_moved),
            duration(each.ledger.kernel_fs),
            duration(each.ledger.tax_fs),
            each.costliest_line or "",
            mixed(each.ledger.provenances),
        ]
        for each in compared
    ]
    first = f"x {compared[0].machine}"
    heads = ["machine", "time", first, "cycles", "moved", "kernels", "tax", "costliest line"]
    console.print(
        table(
            [*heads, "provenance"],
            rows,
            right=(1, 2, 3, 4, 5, 6),
            title=f"{made.name} with {params}",
            spare=(8, 7, 4),
        )
    )
    for each in compared:
        console.print(
            f"{each.machine}: {each.bottleneck}.", soft_wrap=True, markup=False, highlight=False
        )
