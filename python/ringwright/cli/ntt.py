"""`ringwright ntt`: one transform alone on a machine, beside what its paper prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import ringwright as rw
from ringwright import _ringwright as native
from ringwright.cli.output import JSON_HELP, print_json, results, share_bar, table
from ringwright.errors import ParameterError
from ringwright.storage import write_whole


def ntt(  # noqa: PLR0913, PLR0917 - every option of the verb is an argument here
    n: Annotated[int, typer.Option(metavar="N", help="Ring degree, a power of two.")] = 1024,
    machine: Annotated[
        str | None, typer.Option(metavar="NAME|FILE", help="Machine with a transform unit.")
    ] = None,
    prime: Annotated[
        int | None,
        typer.Option(metavar="Q", help="The prime; default the largest that the machine takes."),
    ] = None,
    listing: Annotated[
        bool,
        typer.Option("--listing", help="Print the program: start cycle, pipe, instruction."),
    ] = False,
    c: Annotated[
        Path | None,
        typer.Option("--c", metavar="FILE.c", help="Write it as portable C instead of running it."),
    ] = None,
    inverse: Annotated[
        bool, typer.Option("--inverse", help="With --c: evaluations to coefficients.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Run one transform on a simulated machine: cycles, their bound, where the others went.

    With --c no machine is asked: the file holds a function of the file's name, for any prime below
    2^127, and says how it is called.

    Operands and result lie in the machine's own memory. With --listing the forward transform's
    program is printed in its order, for machines that have instructions; with --json it is the
    key `listing`. Exit code 1: wrong words.
    """
    if c is not None:
        _write_c(c, n, inverse=inverse)
        return
    if inverse:
        raise typer.BadParameter("goes with --c", param_hint="--inverse")
    on = rw.machine(machine or _default_machine())
    made = native.run_transform(on, n, prime)
    row = _skipped(on, n) if made is None else _row(made)
    if made is not None and listing and not made.program:
        said = f"target {on.target} has no instructions"
        raise typer.BadParameter(said, param_hint="--listing")
    if json_:
        placed = _listing(made) if made is not None and listing else {}
        print_json(row | placed)
    elif made is None:
        typer.echo(f"{on.name}: skipped: {row['skipped']}")
    elif listing:
        for start, unit, text in made.program:
            typer.echo(f"{start:6} {unit:10} {text}")
    else:
        _print(made, row)
    if made is not None and not made.correct:
        typer.echo("ringwright: WRONG words: the transform differs from its definition", err=True)
        raise typer.Exit(1)


def _write_c(path: Path, n: int, *, inverse: bool) -> None:
    if n < 1 or n & (n - 1):
        raise ParameterError(f"n = {n}, allowed: a power of two")
    text = native.transform_in_c(n.bit_length() - 1, path.stem, inverse=inverse)
    write_whole(path, text.encode())
    typer.echo(f"{path}: function {path.stem}, for any prime below 2^127", err=True)


def _default_machine() -> str:
    return next(target.default_machine for target in rw.targets() if target.has_transform)


def _row(made: native.Transform) -> dict[str, Any]:
    """`utilisation` is the share of the cycles in which the busiest unit works; `instructions` is
    null for machines without; `stalls` has every cycle of every unit with what it did.
    """
    return {
        "machine": made.machine,
        "n": made.n,
        "prime": made.prime,
        "cycles": made.cycles,
        "bound_cycles": made.bound_cycles,
        "published_cycles": made.published_cycles,
        "published_source": made.published_source,
        "inverse_cycles": made.inverse_cycles,
        "instructions": len(made.program) or None,
        "utilisation": max(share for _, share in made.units),
        "units": dict(made.units),
        "stalls": [
            {"unit": unit, "reason": reason, "cycles": cycles}
            for unit, reason, cycles in made.stalls
            if cycles
        ],
        "correct": made.correct,
        "provenance": made.provenance,
    }


def _listing(made: native.Transform) -> dict[str, Any]:
    rows = [
        {"start": start, "unit": unit, "instruction": text} for start, unit, text in made.program
    ]
    return {"listing": rows}


def _skipped(on: rw.Machine, n: int) -> dict[str, Any]:
    reason = f"target {on.target} has no transform unit of its own, so no cycles to count"
    return {"machine": on.name, "n": n, "skipped": reason}


def _print(made: native.Transform, row: dict[str, Any]) -> None:
    console = results()
    rows = [
        ["forward transform", f"{made.cycles:,}", "", made.provenance],
        ["inverse transform", f"{made.inverse_cycles:,}", "", made.provenance],
        ["bound", f"{made.bound_cycles:,}", _against(made.bound_cycles, made), "modelled"],
    ]
    if made.published_cycles is not None:
        against = _against(made.published_cycles, made)
        rows.append(["the paper", f"{made.published_cycles:,}", against, "published"])
    heads = ["", "cycles", "ours against it", "provenance"]
    title = f"{made.machine}: N = {made.n}, prime {made.prime}"
    console.print(table(heads, rows, right=(1, 2), title=title), "")
    units = [[unit, f"{share:.1%}", share_bar(share)] for unit, share in made.units]
    console.print(table(["unit", "works", ""], units, right=(1,)), "")
    waits = [[unit, reason, f"{cycles:,}"] for unit, reason, cycles in made.stalls if cycles]
    if waits:
        console.print(table(["unit", "cycles in which it", "number"], waits, right=(2,)), "")
    if made.program:
        console.print(f"program   {len(made.program):,} instructions", soft_wrap=True)
    verdict = "equal to the reference interpreter's" if made.correct else "WRONG"
    console.print(f"words     {verdict}", soft_wrap=True)
    said = row["published_source"] or "no paper prints this degree, number of units and width"
    console.print(f"paper     {said}", soft_wrap=True)


def _against(cycles: int, made: native.Transform) -> str:
    return f"{made.cycles / cycles - 1:+.1%}"
