"""`ringwright camera`: encrypted video, end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ringwright.camera import Film, Options, film, save
from ringwright.camera.application import FILES
from ringwright.cli.camera_choices import Choices
from ringwright.cli.camera_table import show
from ringwright.cli.output import JSON_HELP, progress
from ringwright.cli.verbs import command_of
from ringwright.storage import require_folder


def camera(
    context: typer.Context,
    choices: Choices,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where report, trace and results go.")
    ] = Path("out/camera"),
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Encrypt video, compute on it without seeing it, and say where the time went.

    Writes report.html, timeline.perfetto-trace and results.json.

    Exit code 1: an answer differs from the plain circuit beyond the predicted noise.
    """
    options = choices.options()
    require_folder(out, *FILES)
    result = _film(options, command_of(context))
    written = save(result, out)
    if json_:
        typer.echo(result.results_json(), nl=False)
    else:
        show(result, written)
    if not result.correct:
        typer.echo("ringwright: WRONG answer: see `answers` in results.json", err=True)
        raise typer.Exit(1)


def _film(options: Options, command: str | None) -> Film:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bars = Progress(*columns, TimeElapsedColumn(), console=progress())
    task = bars.add_task("frames")

    def started(total: int) -> None:
        bars.update(task, total=total)
        bars.start()

    try:
        result = film(
            options, started=started, progress=lambda: bars.advance(task), command=command
        )
    finally:
        if bars.live.is_started:
            bars.stop()
    for remark in result.remarks:
        typer.echo(f"ringwright: {remark}", err=True)
    return result
