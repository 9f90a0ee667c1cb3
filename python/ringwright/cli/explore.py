"""`ringwright explore` and `ringwright pareto`: many designs, one workload, and which are best."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import ringwright as rw
from ringwright import explore as exploring
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, print_json, results, table
from ringwright.cli.stages import Stages
from ringwright.errors import ParameterError
from ringwright.explore.evaluate import Clock
from ringwright.explore.front import columns
from ringwright.quantity import significant
from ringwright.report import study as page
from ringwright.storage import write_whole

_OBJECTIVES = ",".join(("time", "area", "energy"))


def explore(  # noqa: PLR0913, PLR0917 - every option of the verb is an argument here
    machine: Annotated[
        str, completion.option(completion.machines, "The machine whose parameters vary.")
    ],
    vary: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUES",
            help="Values of a parameter, as hples=4..256:x2, queue_depth=2..8:+2 or "
            "vdm_port=second,exclusive; repeat for each parameter.",
        ),
    ],
    workload: Annotated[
        str,
        typer.Option(
            metavar="WORK",
            help="ntt:N, FILE.py:PROGRAM@PRESET or FILE.ring: what each design does.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The study; a stopped one goes on.")],
    objectives: Annotated[
        str, typer.Option(metavar="LIST", help="Of the front: time, area, energy, cycles.")
    ] = _OBJECTIVES,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="As 'area_mm2 <= 20'; may be repeated."),
    ] = None,
    workers: Annotated[int, typer.Option(metavar="N", help="Processes on this computer.")] = 2,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A Dask scheduler instead, as tcp://host:8786."),
    ] = None,
    clock: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="Clock of the times: that of the description, or the one that the parts allow "
            "(described, parts).",
        ),
    ] = "described",
    process: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Library points of your own, as of cost.")
    ] = None,
    pick: Annotated[
        str | None, typer.Option(metavar="ID", help="A point whose design is written down.")
    ] = None,
    rtl: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With --pick: its RTL as a package.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Time and cost of every design of a space, on all cores or a cluster, and the front.

    A point is a file named by what it is computed from, so nothing that is finished is lost or done
    twice: stop a run at any time and start it again. A design that contradicts itself is skipped,
    with its reason. With --pick, the description of that design is written into the study, and
    with --rtl its hardware: `make check` there lints it and runs its programs in lockstep.
    """
    if (rtl is None) != (pick is None) and rtl is not None:
        raise typer.BadParameter("goes with --pick", param_hint="--rtl")
    names = objectives.split(",")
    columns(names)
    space = exploring.Space.parse(machine, vary)
    with Stages("explore", lines=False) as stages:
        stages(f"{len(space):,} designs")
        study = exploring.run(
            space,
            exploring.Workload.parse(workload),
            out,
            workers=workers,
            cluster=cluster,
            clock=_clock(clock),
            process=process,
            where=where or [],
            watch=lambda done, of: stages.share(done / of),
        )
    drawn = page.write(study, names)
    picked = None if pick is None else _written(study, space, pick, rtl)
    if json_:
        print_json(
            _said(study, names) | {"page": str(drawn)} | ({"picked": picked} if picked else {})
        )
        return
    _print(study, names)
    typer.echo(f"page: {drawn}")
    if picked:
        typer.echo(f"picked: {', '.join(picked.values())}")


def pareto(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A folder that explore wrote.")],
    objectives: Annotated[
        str, typer.Option(metavar="LIST", help="Of the front: time, area, energy, cycles.")
    ] = _OBJECTIVES,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """The designs of a study that no other beats in every objective."""
    names = objectives.split(",")
    found = exploring.Study.load(study)
    if json_:
        print_json(_said(found, names))
        return
    _print(found, names)


def _clock(given: str) -> Clock:
    if given == "described":
        return "described"
    if given == "parts":
        return "parts"
    raise ParameterError(f"clock {given!r}: described or parts")


def _written(
    study: exploring.Study, space: exploring.Space, pick: str, rtl: Path | None
) -> dict[str, str]:
    """The files of a point's design."""
    point = study.point(pick)
    if "skipped" in point:
        raise ParameterError(f"point {pick}: {point['skipped']}")
    values = {axis.name: point[axis.name] for axis in space.axes}
    machine = space.machine(values)
    file = study.folder / f"{point['id']}.toml"
    write_whole(file, machine.to_toml().encode())
    written = {"machine": str(file)}
    if rtl is not None:
        written["rtl"] = str(rw.rtl.package(machine, rtl))
    return written


def _said(study: exploring.Study, objectives: Sequence[str]) -> dict[str, Any]:
    return {
        "study": str(study.folder),
        "about": study.about,
        "points": list(study.points),
        "skipped": list(study.skipped),
        "front": [row["id"] for row in study.front(objectives)],
        "seconds": study.seconds,
    }


def _print(study: exploring.Study, objectives: Sequence[str]) -> None:
    console = results()
    best = study.front(objectives)
    axes = [name for name, _ in study.about["axes"]]
    rows = [
        [
            row["id"][:8],
            *(str(row[axis]) for axis in axes),
            f"{row['cycles']:,}",
            significant(row["time_us"]),
            _range(row, "area_mm2"),
            _range(row, "energy_uj"),
        ]
        for row in best
    ]
    heads = ["id", *axes, "cycles", "µs", "mm²", "µJ"]
    title = f"{study.about['machine']}, {study.about['workload']}: {len(best)} of "
    title += f"{len(study.points)} designs that no other beats in {', '.join(objectives)}"
    right = range(1, len(heads))
    console.print(table(heads, rows, right=tuple(right), title=title))
    clocks = sorted({f"{row['clock']}" for row in best})
    console.print(f"times by a clock that is {', '.join(clocks)}; of ranges the expected value")
    reasons = [row["skipped"] for row in study.skipped]
    for reason in dict.fromkeys(reasons):
        console.print(f"skipped {reasons.count(reason)}: {reason}")
    console.print(f"study: {study.folder}")


def _range(row: dict[str, Any], name: str) -> str:
    ends = (row[f"{name}_low"], row[name], row[f"{name}_high"])
    return " .. ".join(significant(end) for end in ends)
