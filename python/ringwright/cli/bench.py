"""`ringwright bench peers|bootstrap`: ours beside other libraries, every answer checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ringwright import peers
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, print_json, progress, results, table
from ringwright.cli.verbs import Verbs
from ringwright.errors import ParameterError
from ringwright.peers import bootstrap, operations

app = Verbs(
    name="bench",
    help="Wall clock beside other libraries on this computer, every answer checked.",
    no_args_is_help=True,
)
_INCORRECT = 1
# What several threads gain in this row is the most that others can.
_MOST = "arithmetic alone"


@app.verb("peers")
def beside_peers(
    preset: Annotated[
        list[str] | None,
        completion.option(
            completion.parameter_sets,
            "A parameter set; may be given several times. Only CKKS operations are measured then.",
            file=False,
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    openfhe_python: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="A CPython 3.10 with OpenFHE; else the checkout's, or the one on PATH.",
        ),
    ] = None,
) -> None:
    """Measure transforms and CKKS operations beside tfhe-ntt, SEAL, OpenFHE and Lattigo; minutes.

    Each figure is the least of many rounds. `x best` is the fastest live peer's time over ours, `x
    one thread` what all cores gain, of what arithmetic alone gains there. A wrong answer prints
    `incorrect` where the time would be and ends the command with status 1.
    """
    if openfhe_python is not None and not openfhe_python.is_file():
        raise ParameterError(f"--openfhe-python {openfhe_python}: no such file")
    for name in preset or ():
        operations.check(name)
    found = peers.measure(
        presets=tuple(preset or ()),
        openfhe_python=openfhe_python,
        progress=lambda part: progress().print(f"bench: {part}"),
    )
    for peer, reason in found.skipped.items():
        progress().print(f"bench: {peer} skipped: {reason}")
    if json_:
        print_json(found.rows)
    else:
        results().print(shown(found.rows))
    if not all(row["correct"] for row in found.rows):
        raise typer.Exit(_INCORRECT)


@app.verb("bootstrap")
def beside_bootstrapping_peers(
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Measure bootstrappings of all slots beside peers' at N = 65536; minutes, 18 GB of memory.

    Bits are those of the slot that is worst off; levels those left to multiply with; `x best` is
    the fastest peer's time over ours, on one thread of its own, and beside it the same per level. A
    slot over its bound prints `incorrect` and ends the command with status 1.
    """
    rows, skipped = bootstrap.measure(lambda part: progress().print(f"bench: {part}"))
    for peer, reason in skipped.items():
        progress().print(f"bench: {peer} skipped: {reason}")
    if json_:
        print_json(rows)
    else:
        results().print(_bootstrapped(rows))
        for row in rows:
            if row["parameters"]["machine"] == operations.MACHINES[0]:
                each = row["other_precision_bits_worst"].items()
                said = ", ".join(f"{name}: {bits:.1f}" for name, bits in each)
                params = row["parameters"]["params"]
                results().print(f"{params}, bits for other numbers than uniform ones: {said}")
    if not all(row["correct"] for row in rows):
        raise typer.Exit(_INCORRECT)


def _bootstrapped(rows: list[bootstrap.BootstrapRow]) -> object:
    lines: list[list[str | Text]] = []
    for row in rows:
        levels, ratio = row["levels_left"], row["ratio_to_best"]
        each = [us / levels[name] for name, us in row["peers"].items()]
        ours = row["ours_us"] / levels[bootstrap.OURS]
        gained = [f"{ratio:.2f}" if ratio else "-", f"{min(each) / ours:.2f}" if each else "-"]
        what = " ".join(f"{value}" for value in row["parameters"].values())
        took = f"{row['ours_us'] / 1e6:.2f}" if row["correct"] else Text("incorrect", style="red")
        lines.append([what, took, *_given(row, bootstrap.OURS), *gained])
    beside = {name: row for row in rows for name in row["peers"]}
    for name, row in beside.items():
        lines.append([name, f"{row['peers'][name] / 1e6:.2f}", *_given(row, name), "", ""])
    heads = ["bootstrap", "seconds", "bits", "levels", "GB", "x best", "x best per level"]
    return table(heads, lines, right=[1, 2, 3, 4, 5, 6])


def _given(row: bootstrap.BootstrapRow, name: str) -> list[str | Text]:
    memory = row["rss_bytes"][name]
    return [
        f"{row['precision_bits_worst'][name]:.1f}",
        str(row["levels_left"][name]),
        "-" if memory is None else f"{memory / 1e9:.1f}",
    ]


def shown(rows: list[peers.Row]) -> object:
    """The rows as a table; several threads with their gain over one, of what arithmetic gains."""
    one = {_key(row): row["ours_us"] for row in rows if _key(row)}
    gains = [one.get(_key(row, several=True), 0.0) / row["ours_us"] for row in rows]
    most = max(
        (gain for row, gain in zip(rows, gains, strict=True) if row["name"] == _MOST), default=0.0
    )
    lines = [_line(row, gain, most) for row, gain in zip(rows, gains, strict=True)]
    heads = ["bench", "parameters", "ours µs", "x one thread", "peers µs", "x best"]
    return table(heads, lines, right=[2, 3, 5], spare=[3, 4])


def _line(row: peers.Row, gain: float, most: float) -> list[str | Text]:
    ratio = row["ratio_to_best"]
    gained = f"{gain:.2f}" if gain else ""
    return [
        row["name"],
        " ".join(f"{key}={value}" for key, value in row["parameters"].items()),
        f"{row['ours_us']:.1f}" if row["correct"] else Text("incorrect", style="red"),
        f"{gained} of {most:.2f}" if gain and most else gained,
        ", ".join(f"{name} {took:.1f}" for name, took in row["peers"].items()) or "none live",
        f"{ratio:.2f}" if ratio else "-",
    ]


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
