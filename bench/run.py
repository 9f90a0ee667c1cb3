"""Runs every bench, prints the tables, records them in a folder.

What stands beside other libraries is `ringwright bench peers`; the rest is defined here.

Usage: `make bench`, or `python bench/run.py FOLDER [PYTHON_WITH_OPENFHE]`. Exit status 1 where an
answer is wrong. `make bench ANSWERS_ONLY=1 RECORDS=FOLDER` checks answers on less and runs what is
timed once; its record says so, and does not go among the others.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from pathlib import Path
from typing import Any

import examples
import kernels
import rtl
import scale
from rich.console import Console
from rich.table import Table

import ringwright
from ringwright import peers
from ringwright.cli.bench import shown
from ringwright.peers import transforms
from ringwright.peers.row import ANSWERS_ONLY

native = transforms.native
RECORDS = Path(__file__).with_name("records")


def cpu_model() -> str:
    """The processor's name, and the numbers that tell it from others of that name."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    # Of every core the same.
    facts = dict(re.findall(r"^(model name|cpu family|model)\s*:\s*(.+)$", text, re.M))
    if "model name" not in facts:
        return platform.machine()
    numbers = [f"{key.split()[-1]} {facts[key]}" for key in ("cpu family", "model") if key in facts]
    return " ".join([facts["model name"].strip(), f"({', '.join(numbers)})"])


def found() -> dict[str, str]:
    """What `ringwright doctor` says of this computer."""
    return {fact.name: fact.value for fact in ringwright.doctor()}


def show_leaks(rows: list[dict[str, Any]]) -> None:
    table = Table("operation", "samples", "Welch's t", "secrets are")
    for row in rows:
        table.add_row(row["name"], str(row["samples"]), f"{row['t']:.1f}", row["verdict"])
    Console(width=120).print(table)


def record(folder: Path, measured: dict[str, list[dict[str, Any]]]) -> Path:
    model, facts = cpu_model(), found()
    used = next(name.removeprefix("isa ") for name, value in facts.items() if value == "used")
    slug = re.sub(r"[^a-z0-9]+", "-", f"{model} {used}".lower()).strip("-")
    path = folder / f"{slug}-{ringwright.__version__}.json"
    folder.mkdir(exist_ok=True)
    once = {"answers_only": True} if ANSWERS_ONLY in os.environ else {}
    taken = {**once, "cpu": model, "version": ringwright.__version__, "found": facts, **measured}
    path.write_text(json.dumps(taken, indent=1) + "\n")
    return path


def main(folder: Path, openfhe_python: Path | None = None) -> int:
    if ANSWERS_ONLY in os.environ and folder.resolve() == RECORDS.resolve():
        print(f"times of a single round are no record: not into {folder}", file=sys.stderr)
        return 2
    found = peers.measure(openfhe_python=openfhe_python)
    for peer, reason in found.skipped.items():
        print(f"{peer} skipped: {reason}", file=sys.stderr)
    rows = found.rows + examples.rows("rpu") + rtl.rows()
    Console(width=140).print(shown(rows))
    compiled = examples.rows("kernels")
    judged = kernels.judged(compiled)
    Console(width=120).print(kernels.table(judged))
    lowered = scale.judged(examples.rows("scale"))
    Console(width=140).print(scale.table(lowered))
    leaks = native("constant_time")
    show_leaks(leaks)
    measured = {
        "rows": rows,
        "kernels": compiled,
        "goals": judged,
        "scale": lowered,
        "constant_time": leaks,
    }
    print(f"recorded in {record(folder, measured)}")
    return 0 if all(row["correct"] for row in rows + compiled + lowered) else 1


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
