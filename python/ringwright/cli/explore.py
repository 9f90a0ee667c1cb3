"""`ringwright explore` and `ringwright pareto`: many designs, one workload, and which are best."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

import ringwright as rw
from ringwright import explore as exploring
from ringwright.cli import completion
from ringwright.cli import explore_options as shared
from ringwright.cli.output import JSON_HELP, print_json, results, table
from ringwright.errors import MissingToolError, ParameterError
from ringwright.explore.front import OBJECTIVES, columns, columns_of, usual
from ringwright.explore.sampled import BATCH, SEED
from ringwright.quantity import significant
from ringwright.report import study as page
from ringwright.silicon import BLOCKS
from ringwright.storage import write_whole

Objectives: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help=f"Of the front, of {', '.join(OBJECTIVES)}; default time, area and energy, or what an "
        "FPGA has.",
    ),
]


#: Columns of a table with their ends, and units.
_RANGES = {"area_mm2": "mm²", "energy_uj": "µJ"}


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
    workload: Annotated[str, typer.Option(metavar="WORK", help=shared.WORKLOAD)],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The study; a stopped one goes on.")],
    objectives: Objectives = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="As 'area_mm2 <= 20'; may be repeated."),
    ] = None,
    workers: shared.Workers = 2,
    cluster: shared.Cluster = None,
    clock: shared.Clock = "described",
    process: shared.Process = None,
    search: shared.Search = 0,
    sampler: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="grid: every point. optuna: --trials of them, chosen by what came before.",
        ),
    ] = "grid",
    trials: Annotated[
        int | None, typer.Option(metavar="N", help="Points that Optuna may ask for.")
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(metavar="N", help=f"Points that Optuna asks for together, default {BATCH}."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help=f"Where its choices start, default {SEED}.")
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where Optuna keeps its own record, as sqlite:///trials.db or "
            "postgresql://host/name.",
        ),
    ] = None,
    pick: Annotated[
        str | None, typer.Option(metavar="ID", help="A point whose design is written down.")
    ] = None,
    rtl: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --pick: its RTL as a package, linted and run."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="With --rtl: lint the package and run it.")
    ] = True,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Time and cost of every design of a space, on all cores or a cluster, and the front.

    A point is a file named by what it is computed from, so nothing that is finished is lost or done
    twice: stop a run at any time and start it again. A design that contradicts itself is skipped,
    with its reason. With --pick, the description of that design is written into the study, and
    with --rtl its hardware, linted and its programs run in lockstep. Exit code 1: they differ.
    """
    if (rtl is None) != (pick is None) and rtl is not None:
        raise typer.BadParameter("goes with --pick", param_hint="--rtl")
    space = exploring.Space.parse(machine, vary)
    names = _chosen(objectives, columns_of(rw.cost_of(space.base)))
    plan = _plan(
        sampler, space, trials, names, where or [], seed=seed, batch=batch, storage=storage
    )
    study = shared.studied(
        "explore",
        plan,
        workload,
        out,
        workers=workers,
        cluster=cluster,
        clock=clock,
        process=process,
        search=search,
        where=where or [],
    )
    drawn = page.write(study, names)
    picked = None if pick is None else _written(study, space, pick, rtl, check=check)
    if json_:
        print_json(
            _said(study, names) | {"page": str(drawn)} | ({"picked": picked} if picked else {})
        )
        return
    _print(study, names)
    typer.echo(f"page: {drawn}")
    for name, value in (picked or {}).items():
        typer.echo(f"{name}: {value}")


def pareto(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A folder that explore wrote.")],
    objectives: Objectives = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """The designs of a study that no other beats in every objective."""
    found = exploring.Study.load(study)
    names = _chosen(objectives, found.points[0] if found.points else OBJECTIVES.values())
    if json_:
        print_json(_said(found, names))
        return
    _print(found, names)


def _plan(  # noqa: PLR0913 - what a sampler is given
    sampler: str,
    space: exploring.Space,
    trials: int | None,
    objectives: list[str],
    where: list[str],
    *,
    seed: int | None,
    batch: int | None,
    storage: str | None,
) -> exploring.Plan:
    if sampler == "grid":
        if any(given is not None for given in (trials, seed, batch, storage)):
            hint = "--trials, --batch, --seed, --storage"
            raise typer.BadParameter("goes with --sampler optuna", param_hint=hint)
        return exploring.grid(space)
    if sampler != "optuna":
        raise ParameterError(f"sampler {sampler!r}: grid or optuna")
    if trials is None:
        raise typer.BadParameter("goes with --sampler optuna", param_hint="--trials")
    return exploring.Sampled(
        space,
        trials,
        objectives,
        seed=SEED if seed is None else seed,
        batch=BATCH if batch is None else batch,
        storage=storage,
        where=where,
    )


def _written(
    study: exploring.Study, space: exploring.Space, pick: str, rtl: Path | None, *, check: bool
) -> dict[str, str]:
    """The files of a point's design, and what the check of its hardware said."""
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
    if rtl is not None and check:
        try:
            written["check"] = rw.rtl.check(rtl)
        except MissingToolError as error:
            written["check"] = f"skipped: {error}"
    return written


def _chosen(objectives: str | None, there: Collection[str]) -> list[str]:
    """Names of objectives whose columns there are."""
    names = usual(there) if objectives is None else objectives.split(",")
    columns(names, there)
    return names


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
    ranges = {name: unit for name, unit in _RANGES.items() if any(name in row for row in best)}
    blocks = [] if ranges else [name for name in BLOCKS if any(name in row for row in best)]
    rows = [
        [
            row["id"][:8],
            *(str(row[axis]) for axis in axes),
            f"{row['cycles']:,}",
            significant(row["time_us"]),
            *(_range(row, name) for name in ranges),
            *(f"{row[name]:,.0f}" for name in blocks),
        ]
        for row in best
    ]
    # Heads break at spaces.
    heads = ["id", *(axis.replace("_", " ") for axis in axes), "cycles", "µs"]
    heads += [*ranges.values(), *blocks]
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
