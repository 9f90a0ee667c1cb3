"""What `ringwright camera` prints of a film: a row for each client, and what a reader must know."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from ringwright.camera import Film
from ringwright.camera.application import counted
from ringwright.camera.report_time import (
    clock_texts,
    latency_range_text,
    range_texts,
    unbuilt_texts,
    values_texts,
)
from ringwright.cli.output import duration, rate, results, security, size, table
from ringwright.quantity import JOULES, scaled

#: Of the table: ceiling, what a frame sends, PSNR, tax, security (said below), energy.
_SPARE = (2, 8, 6, 4, 7, 5)


def show(result: Film, written: Sequence[Path]) -> None:
    """Prints it; `written` are the files that hold the rest."""
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
    for text in dict.fromkeys(text for run in result.runs for text in values_texts(run.row)):
        console.print(f"values    {text.removeprefix('values are ')}", soft_wrap=True)
    left_out = dict.fromkeys(name for run in result.runs for name in run.row["not_timed"])
    if left_out:
        console.print(f"not timed on simulated clients: {', '.join(left_out)}", soft_wrap=True)
    for text in dict.fromkeys(_energy_texts(run.row) for run in result.runs):
        if text:
            console.print(f"energy    {text}", soft_wrap=True)
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


def _energy_texts(row: dict[str, Any]) -> str:
    """How a client's energy is known, and how far it is."""
    energy, published = row["energy"], row["energy"]["published"]["joules_per_frame"]
    said = []
    if energy["joules_per_frame"] is not None:
        low, high = map(_energy, energy["joules_range"])
        said.append(f"{low} to {high}, of the accelerator's events and its host's cycles")
    if published is not None:
        said.append(f"{_energy(published)} by published watts")
    return f"{row['name']}: {'; '.join(said)}" if said else ""


def _energy(joules: float | None) -> str:
    return "" if joules is None else " ".join(scaled(joules, JOULES))


def _slowest(row: dict[str, Any]) -> str:
    for resource in row["resources"]:
        if resource["name"] == row["slowest"]:
            busy = duration(resource["busy_fs_per_frame"])
            provenance = ", ".join(resource["provenance"])
            return f"{row['name']}: the {row['slowest']}, {busy} a frame ({provenance})"
    return f"{row['name']}: no resource; {row['in_flight']} frames in flight keep none busy"
