"""What the verbs of exploration share: options, and how a study is run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ringwright import explore as exploring
from ringwright.cli.stages import Stages
from ringwright.errors import ParameterError
from ringwright.explore.evaluate import Clock as WhichClock

WORKLOAD = "ntt:N, FILE.py:PROGRAM@PRESET or FILE.ring: what each design does."

Workers = Annotated[int, typer.Option(metavar="N", help="Processes on this computer; 0: this one.")]
Cluster = Annotated[
    str | None, typer.Option(metavar="URL", help="A Dask scheduler instead, as tcp://host:8786.")
]
Clock = Annotated[
    str,
    typer.Option(
        metavar="WHICH",
        help="Clock of the times: that of the description, or the one that the parts allow "
        "(described, parts).",
    ),
]
Process = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Library points of your own, as of cost.")
]
Search = Annotated[
    int,
    typer.Option(
        metavar="TRIES", help="Orders of each transform's instructions tried for each design."
    ),
]


def studied(  # noqa: PLR0913 - what the verbs are given
    verb: str,
    plan: exploring.Plan,
    workload: str,
    out: Path,
    *,
    workers: int,
    cluster: str | None,
    clock: str,
    process: Path | None,
    search: int,
    where: Sequence[str] = (),
) -> exploring.Study:
    """Runs a plan, with its progress. Raises what `exploring.run` raises."""
    with Stages(verb, lines=False) as stages:
        stages(f"{plan.total:,} designs")
        return exploring.run(
            plan,
            exploring.Workload.parse(workload),
            out,
            workers=workers,
            cluster=cluster,
            clock=_clock(clock),
            process=process,
            search=search,
            where=where,
            watch=lambda done, of: stages.share(done / of),
        )


def _clock(given: str) -> WhichClock:
    if given == "described":
        return "described"
    if given == "parts":
        return "parts"
    raise ParameterError(f"clock {given!r}: described or parts")
