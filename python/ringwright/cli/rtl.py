"""`ringwright rtl`: the hardware of a machine, to take away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import ringwright as rw
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, print_json


def rtl(
    machine: Annotated[
        str,
        typer.Argument(
            autocompletion=completion.machines, metavar="NAME|FILE", help="A machine with RTL."
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder; replaced if it is ours.")],
    seed: Annotated[int, typer.Option(metavar="N", help="Chooses the vectors' operands.")] = 1,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Write sources, parameters, testbench and vectors of a machine's RTL into a folder.

    `make check` there lints the design, runs the testbench and prints PASS; it needs Verilator 5.
    """
    folder = rw.rtl.package(machine, out, seed=seed)
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    if json_:
        print_json({"folder": str(folder), "files": files})
        return
    typer.echo(f"{folder}: {len(files)} files; run `make -C {folder} check`")
