"""Options that the verbs of exploration share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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


def clock(given: str) -> WhichClock:
    """The clock that is meant. Raises `ParameterError`."""
    if given == "described":
        return "described"
    if given == "parts":
        return "parts"
    raise ParameterError(f"clock {given!r}: described or parts")
