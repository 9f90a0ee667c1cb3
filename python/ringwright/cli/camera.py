"""`ringwright camera`: encrypted video, end to end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from ringwright.camera import Alarm, Film, Options, Size, Source, default_machine, film, save
from ringwright.camera.application import FILES, counted
from ringwright.camera.clip import BUNDLED
from ringwright.camera.report_time import (
    clock_texts,
    latency_range_text,
    range_texts,
    unbuilt_texts,
)
from ringwright.cli import completion
from ringwright.cli.output import (
    JSON_HELP,
    duration,
    progress,
    rate,
    results,
    security,
    size,
    table,
)
from ringwright.cli.verbs import command_of
from ringwright.errors import ParameterError
from ringwright.quantity import JOULES, scaled
from ringwright.storage import require_folder

#: Of the table: ceiling, what a frame sends, PSNR, tax, security (said below), energy.
_SPARE = (2, 8, 6, 4, 7, 5)


def camera(  # noqa: PLR0913, PLR0917 - every option of the verb is an argument here
    context: typer.Context,
    input_: Annotated[
        Path | None,
        typer.Option("--input", metavar="FILE", help="Video file; default: the bundled clip."),
    ] = None,
    device: Annotated[
        int | None, typer.Option(metavar="N", help="Camera /dev/videoN instead of a file.")
    ] = None,
    resolution: Annotated[
        str, typer.Option(metavar="SIZE", help="qqvga (160x120), qvga (320x240) or WxH.")
    ] = "qvga",
    params: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.parameter_sets,
            metavar="NAME",
            help="Parameter set, for instance 4096-2x30 (the default).",
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(metavar="N", help="Ring degree; takes the smallest set that can compute."),
    ] = None,
    machine: Annotated[
        list[str] | None,
        typer.Option(
            autocompletion=completion.machines,
            metavar="NAME|FILE",
            help="Client machine; repeat for a row each.",
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.machines, metavar="NAME|FILE", help="Machine that computes."
        ),
    ] = None,
    link: Annotated[
        str,
        typer.Option(
            autocompletion=completion.links,
            metavar="NAME|FILE",
            help="Link between them; see `ringwright machines`.",
        ),
    ] = "5g-max",
    server_link: Annotated[
        str,
        typer.Option(
            autocompletion=completion.links,
            metavar="NAME|FILE",
            help="Link between the server and a simulated machine.",
        ),
    ] = Options.server_link,
    compute: Annotated[
        str,
        typer.Option(
            autocompletion=completion.modes, metavar="MODE", help="motion, alarm, blur or none."
        ),
    ] = "motion",
    frames: Annotated[int, typer.Option(metavar="N", help="Frames to run.")] = 30,
    fit: Annotated[
        str,
        typer.Option(
            autocompletion=completion.fits,
            metavar="HOW",
            help="How pictures of another size go into it: cover (cropped), contain (black bars) "
            "or stretch.",
        ),
    ] = Options.fit,
    in_flight: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Frames under way at once. 1: no overlap; 2: double buffering; 4: client, "
            "uplink, server and downlink each work on their own.",
        ),
    ] = 4,
    host: Annotated[
        str,
        typer.Option(
            autocompletion=completion.hosts,
            metavar="NAME|FILE",
            help="Processor beside a simulated machine; see `machines`.",
        ),
    ] = Options.host,
    batch: Annotated[
        int,
        typer.Option(
            metavar="K",
            help="Ciphertexts that a simulated client works on at once; 1: it drains after each.",
        ),
    ] = Options.batch,
    sampling_overlap: Annotated[
        bool, typer.Option(help="Whether a simulated client samples errors beside other work.")
    ] = Options.sampling_overlap,
    tile_threshold: Annotated[
        float, typer.Option(metavar="E", help="Mean squared difference from which a tile moves.")
    ] = Alarm.energy,
    alarm_share: Annotated[
        float,
        typer.Option(metavar="S", help="Share of moving tiles that raises the alarm, 0 to 1."),
    ] = Alarm.share,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where report, trace and results go.")
    ] = Path("out/camera"),
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Encrypt video, compute on it without seeing it, and say where the time went.

    Writes report.html, timeline.perfetto-trace and results.json.

    Exit code 1: an answer differs from the plain circuit beyond the predicted noise.
    """
    options = Options(
        source=_source(input_, device),
        size=Size.parse(resolution),
        compute=compute,
        frames=frames,
        fit=fit,
        parameters=params,
        n=n,
        machines=machine or [default_machine()],
        server=server or default_machine(),
        link=link,
        server_link=server_link,
        in_flight=in_flight,
        host=host,
        batch=batch,
        sampling_overlap=sampling_overlap,
        alarm=Alarm(tile_threshold, alarm_share),
    )
    require_folder(out, *FILES)
    result = _film(options, command_of(context))
    written = save(result, out)
    if json_:
        typer.echo(result.results_json(), nl=False)
    else:
        _print(result, written)
    if not result.correct:
        typer.echo("ringwright: WRONG answer: see `answers` in results.json", err=True)
        raise typer.Exit(1)


def _source(path: Path | None, device: int | None) -> Source:
    if path is not None and device is not None:
        raise ParameterError(f"input {path} and device {device} given; one of them allowed")
    if device is not None:
        return Source.device(device)
    return Source(BUNDLED if path is None else path)


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


def _print(result: Film, written: Sequence[Path]) -> None:
    heads = ["client", "frames/s", "ceiling", "latency", "tax", "energy", "PSNR", "security"]
    options, console = result.options, results()
    title = f"{options.source}, {counted(result)} frames of {options.size}, "
    title += f"{options.compute} over {options.link}, server {result.runs[0].row['server']}"
    rows = [_row(run.row) for run in result.runs]
    heads += ["a frame", "answers"]
    console.print(table(heads, rows, right=range(1, 9), title=title, spare=_SPARE), "")
    for run in result.runs:
        console.print(f"slowest   {_slowest(run.row)}", soft_wrap=True)
    for run in result.runs:
        for text in range_texts(run.row):
            console.print(f"range     {run.row['name']}: {text}", soft_wrap=True)
    for text in dict.fromkeys(text for run in result.runs for text in unbuilt_texts(run.row)):
        console.print(f"modelled  {text}", soft_wrap=True)
    for text in dict.fromkeys(text for run in result.runs for text in clock_texts(run.row)):
        console.print(f"clock     {text}", soft_wrap=True)
    left_out = dict.fromkeys(name for run in result.runs for name in run.row["not_timed"])
    if left_out:
        console.print(f"not timed on simulated clients: {', '.join(left_out)}", soft_wrap=True)
    if any(run.row["energy"]["joules_per_frame"] is not None for run in result.runs):
        console.print("energy    published watts times our time of the conversions", soft_wrap=True)
    for said in dict.fromkeys(run.row["security"] for run in result.runs):
        console.print(f"security  {said}", soft_wrap=True)
    console.print(f"report    {written[0]}", soft_wrap=True)
    console.print(f"more      ringwright explain {written[1]}", soft_wrap=True)


def _row(row: dict[str, Any]) -> list[str | Text]:
    uplink = next(r for r in row["resources"] if r["name"] == "uplink")
    verdict = row["answers"]["verdict"]
    return [
        row["name"],
        rate(row["fps"]) + _rates(row),
        rate(uplink["fps"]),
        duration(round(row["latency_s"] * 1e15)) + _latencies(row),
        f"{row['tax_share']:.0%}",
        _energy(row["energy"]["joules_per_frame"]),
        f"{row['psnr_db']:.1f} dB",
        security(row["security_bits"]),
        size(row["bytes"]["uplink_per_frame"]),
        Text(verdict, style="green" if verdict == "correct" else "bold red"),
    ]


def _rates(row: dict[str, Any]) -> str:
    """Under the rate, between which ends the costs of the host leave it; nothing if certain."""
    if row["range"] is None:
        return ""
    low, high = map(rate, row["range"]["fps"])
    return f"\n{low} to {high}"


def _latencies(row: dict[str, Any]) -> str:
    """The same under the latency."""
    return "" if row["range"] is None else f"\n{latency_range_text(row)}"


def _energy(joules: float | None) -> str:
    return "" if joules is None else " ".join(scaled(joules, JOULES))


def _slowest(row: dict[str, Any]) -> str:
    for resource in row["resources"]:
        if resource["name"] == row["slowest"]:
            busy = duration(resource["busy_fs_per_frame"])
            provenance = ", ".join(resource["provenance"])
            return f"{row['name']}: the {row['slowest']}, {busy} a frame ({provenance})"
    return f"{row['name']}: no resource; {row['in_flight']} frames in flight keep none busy"
