"""`ringwright sensitivity`: which parameter of a machine moves a program's result most."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from ringwright import explore as exploring
from ringwright.cli import completion
from ringwright.cli import explore_options as shared
from ringwright.cli.output import JSON_HELP, print_json, results, table
from ringwright.explore.front import OBJECTIVES, columns, columns_of
from ringwright.explore.sensitivity import Change, Effect, effects
from ringwright.quantity import significant
from ringwright.report import tornado
from ringwright.silicon import cost_of

#: Orders tried for each design, so that no design is the only one that was searched for.
_SEARCH = 60


def sensitivity(  # noqa: PLR0913, PLR0917 - every option of the verb is an argument here
    machine: Annotated[
        str,
        typer.Argument(
            autocompletion=completion.machines,
            metavar="MACHINE",
            help="The machine whose parameters change.",
        ),
    ],
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=shared.WORKLOAD)],
    objective: Annotated[
        str, typer.Option(metavar="WHICH", help=f"One of {', '.join(OBJECTIVES)}.")
    ] = "time",
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the study, and a page with the picture, there."),
    ] = None,
    workers: shared.Workers = 2,
    cluster: shared.Cluster = None,
    clock: shared.Clock = "described",
    process: shared.Process = None,
    search: shared.Search = _SEARCH,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Which parameter, and which open question of its paper, moves a result of a machine most.

    One parameter changes at a time: a number to half and twice as much, a name to every other one,
    and what a paper leaves open to its harshest reading too. The program is compiled for each
    design anew, with as many orders tried for each. Parameters that change nothing are counted.
    """
    columns([objective], columns_of(cost_of(machine)))
    with ExitStack() as open_:
        study = shared.studied(
            "sensitivity",
            exploring.one_by_one(machine),
            program,
            out or Path(open_.enter_context(tempfile.TemporaryDirectory())),
            workers=workers,
            cluster=cluster,
            clock=clock,
            process=process,
            search=search,
        )
        found = effects(study, objective)
        drawn = None if out is None else tornado.write(study, objective)
    if json_:
        said: dict[str, Any] = {"study": study.about, "objective": objective}
        said |= {"base": study.rows[0], "effects": [_said(effect) for effect in found]}
        print_json(said | ({} if drawn is None else {"page": str(drawn)}))
        return
    _print(study, found, objective)
    if drawn is not None:
        typer.echo(f"page: {drawn}")


def _said(effect: Effect) -> dict[str, Any]:
    return {
        "parameter": effect.parameter,
        "value": effect.value,
        "open": effect.is_open,
        "changes": [
            {"value": change.value, "ratio": change.ratio}
            | ({"skipped": change.skipped} if change.skipped else {})
            | ({"schedule": change.schedule} if change.schedule else {})
            for change in effect.changes
        ],
    }


def _print(study: exploring.Study, found: tuple[Effect, ...], objective: str) -> None:
    console = results()
    moving = [effect for effect in found if effect.swing]
    rows = [
        [
            effect.parameter,
            "open" if effect.is_open else "",
            str(effect.value),
            ", ".join(map(_changed, effect.changes)),
        ]
        for effect in moving
    ]
    base, column = study.rows[0], OBJECTIVES[objective]
    title = f"{objective} of {study.about['workload']} on {study.about['machine']}: "
    title += f"{significant(base[column])} ({column})"
    console.print(table(["parameter", "", "is", "and with"], rows, right=[2], title=title))
    still = len(found) - len(moving)
    console.print(f"{still} of {len(found)} parameters change nothing by themselves")
    skipped = [(e.parameter, c) for e in found for c in e.changes if c.skipped]
    for parameter, change in skipped:
        console.print(f"skipped {parameter} = {change.value}: {change.skipped}")


def _changed(change: Change) -> str:
    if change.ratio is None:
        return f"{change.value}: skipped"
    schedule = f" ({change.schedule})" if change.schedule else ""
    return f"{change.value}: {100 * (change.ratio - 1):+.1f} %{schedule}"
