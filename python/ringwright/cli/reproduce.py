"""`ringwright reproduce PAPER`: the papers' claims beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, print_json, results, table
from ringwright.errors import ParameterError
from ringwright.report.files import write_together
from ringwright.reproduce import papers, reproduce
from ringwright.reproduce.figures import figures_of
from ringwright.reproduce.report import (
    deviation_text,
    published_text,
    report,
    tolerance_text,
    value_text,
)
from ringwright.reproduce.verdict import Result, counts, independent
from ringwright.storage import require_folder

_REPORT = "report.html"


def reproduce_(
    paper: Annotated[
        str,
        typer.Argument(
            autocompletion=completion.claimed,
            metavar="PAPER",
            help=f"One of {', '.join(papers())}.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where report.html with the figures goes.")
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Only this figure of the paper, as 6a or table-2, as SVG and PNG in --out.",
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Compare a paper's published values with ours, claim by claim.

    What counts are independent reproductions: neither calibrated, nor computed from what is, nor
    true by construction, each once. A miss is an answer, not a failure: the exit code stays 0.
    With --json the last record has the count: `{"id": "PAPER.independent", "reproduced", "of"}`.
    """
    if figure is not None:
        _draw(paper, figure, out, json_=json_)
        return
    if out is not None:
        require_folder(out, _REPORT)
    found = reproduce(paper)
    written = write_together(out, {_REPORT: report(paper, found).encode()}) if out else []
    if json_:
        total = independent(found)
        last = {"id": f"{paper}.independent", "reproduced": total.reproduced, "of": total.of}
        print_json([*(result.to_dict() for result in found), last])
        return
    _print(found)
    for path in written:
        typer.echo(f"figures: {path}")


def _draw(paper: str, number: str, out: Path | None, *, json_: bool) -> None:
    """Writes the panels of one figure."""
    if out is None:
        raise typer.BadParameter("goes with --out", param_hint="--figure")
    every = figures_of(paper)
    chosen = [each for each in every if each.number == number]
    if not chosen:
        known = ", ".join(dict.fromkeys(each.number for each in every))
        raise ParameterError(f"figure {number!r}: of {paper} there are {known}")
    files: dict[str, bytes] = {}
    for place, each in enumerate(chosen, 1):
        stem = f"{paper}-{number}" + (f"-{place}" if len(chosen) > 1 else "")
        drawn = each.draw()
        files[f"{stem}.svg"] = drawn.svg(each.title).encode()
        files[f"{stem}.png"] = drawn.png(each.title)
    written = [str(path) for path in write_together(out, files)]
    if json_:
        print_json({"figures": written})
        return
    for path in written:
        typer.echo(path)


def _print(found: list[Result]) -> None:
    console = results()
    heads = ["claim", "published", "ours", "unit", "deviation", "tolerance", "verdict"]
    figure = None
    rows: list[list[str]] = []
    for result in found:
        if result.claim.figure != figure and rows:
            console.print(table(heads, rows, right=[1, 2, 4, 5], title=figure, spare=[5, 4]), "")
            rows = []
        figure = result.claim.figure
        rows.append(_row(result))
    console.print(table(heads, rows, right=[1, 2, 4, 5], title=figure, spare=[5, 4]), "")
    missed = [result for result in found if result.verdict in {"miss", "skipped"}]
    for reason in dict.fromkeys(result.reason for result in missed):
        console.print(f"{_ids(missed, reason)}: {reason}")
    tally = ", ".join(f"{count} {name}" for name, count in counts(found).items() if count)
    total = independent(found)
    console.print("", f"{len(found)} claims: {tally}")
    console.print(f"independent: {total.reproduced} reproduced of {total.of}")


def _row(result: Result) -> list[str]:
    short = result.claim.id.removeprefix(f"{result.claim.paper}.{result.claim.figure}.")
    return [
        short,
        published_text(result),
        value_text(result.ours),
        result.claim.unit,
        deviation_text(result),
        tolerance_text(result),
        result.verdict,
    ]


def _ids(missed: list[Result], reason: str) -> str:
    """The claims that share a reason."""
    return ", ".join(result.claim.id for result in missed if result.reason == reason)
