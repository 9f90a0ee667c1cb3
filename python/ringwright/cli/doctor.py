"""`ringwright doctor`: what was found here, and what will be skipped."""

from __future__ import annotations

import importlib.metadata
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import av
import typer
from rich.text import Text

import ringwright as rw
from ringwright.cli.output import JSON_HELP, print_json, results, table
from ringwright.peers import openfhe

_WITHOUT = "no bench and no test of ciphertexts beside it"


def doctor(json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False) -> None:
    """Report vector instructions, targets and tools; say what is skipped without them."""
    video = rw.Fact("video", True, f"PyAV {av.__version__}")
    facts = [*rw.doctor(), video, _cameras(), _seal(), _openfhe()]
    if json_:
        print_json([asdict(fact) for fact in facts])
        return
    rows: list[list[str | Text]] = [
        [fact.name, _mark(fact), fact.value, fact.consequence] for fact in facts
    ]
    results().print(table(["what", "", "found", "without it"], rows))


def _cameras() -> rw.Fact:
    found = sorted(path.name for path in Path("/dev").glob("video[0-9]*"))
    if found:
        return rw.Fact("cameras", True, ", ".join(found))
    return rw.Fact("cameras", False, "none", "`ringwright camera --device N` is refused")


def _seal() -> rw.Fact:
    name = "peer SEAL"
    try:
        return rw.Fact(name, True, f"TenSEAL {importlib.metadata.version('tenseal')}")
    except importlib.metadata.PackageNotFoundError:
        return rw.Fact(name, False, "absent", f"{_WITHOUT}; python -m pip install tenseal")


def _openfhe() -> rw.Fact:
    name = "peer OpenFHE"
    try:
        return rw.Fact(name, True, openfhe.peer().command[0])
    except rw.MissingToolError as error:
        return rw.Fact(name, False, "absent", f"{_WITHOUT}; {error}")


def _mark(fact: rw.Fact) -> Text:
    return Text("yes", style="green") if fact.found else Text("no", style="yellow")
