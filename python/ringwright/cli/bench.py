"""`ringwright bench peers`: ours beside other libraries, every answer checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ringwright import peers
from ringwright.cli.output import JSON_HELP, print_json, progress, results, table
from ringwright.errors import ParameterError

app = typer.Typer(
    name="bench",
    help="Wall clock beside other libraries on this computer, every answer checked.",
    no_args_is_help=True,
)
_INCORRECT = 1


@app.callback()
def _bench() -> None:
    """Keeps `peers` a word of its own while it is the only one."""


@app.command("peers")
def beside_peers(
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    openfhe_python: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="A CPython 3.10 with OpenFHE; else the one on PATH."),
    ] = None,
) -> None:
    """Measure transforms and CKKS operations beside tfhe-ntt, SEAL and OpenFHE; takes minutes.

    Each figure is the least of many rounds. `x best` is the fastest live peer's time over ours; a
    wrong answer prints `incorrect` where the time would be and ends the command with status 1.
    """
    if openfhe_python is not None and not openfhe_python.is_file():
        raise ParameterError(f"--openfhe-python {openfhe_python}: no such file")
    found = peers.measure(
        openfhe_python=openfhe_python, progress=lambda part: progress().print(f"bench: {part}")
    )
    for peer, wanting in found.skipped.items():
        progress().print(f"bench: {peer} skipped, needs {wanting}")
    if json_:
        print_json(found.rows)
    else:
        results().print(shown(found.rows))
    if not all(row["correct"] for row in found.rows):
        raise typer.Exit(_INCORRECT)


def shown(rows: list[peers.Row]) -> object:
    """The rows as a table; on several threads with what they gain over one."""
    one = {_key(row): row["ours_us"] for row in rows if _key(row)}
    lines: list[list[str | Text]] = []
    for row in rows:
        alone = one.get(_key(row, several=True))
        ratio = row["ratio_to_best"]
        lines.append(
            [
                row["name"],
                " ".join(f"{key}={value}" for key, value in row["parameters"].items()),
                f"{row['ours_us']:.1f}" if row["correct"] else Text("incorrect", style="red"),
                f"{alone / row['ours_us']:.2f}" if alone else "",
                ", ".join(f"{name} {took:.1f}" for name, took in row["peers"].items())
                or "none live",
                f"{ratio:.2f}" if ratio else "-",
            ]
        )
    heads = ["bench", "parameters", "ours µs", "x one thread", "peers µs", "x best"]
    return table(heads, lines, right=[2, 3, 5])


def _key(row: peers.Row, *, several: bool = False) -> str:
    """What a row on one thread and its counterpart on several have in common; else empty."""
    parameters = dict(row["parameters"])
    if "machine" in parameters:
        single = parameters.pop("machine") == "cpu-1"
    elif "threads" in parameters:
        single = parameters.pop("threads") == 1
    else:
        return ""
    return f"{row['name']} {sorted(parameters.items())}" if single != several else ""
