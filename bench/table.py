"""The rows of a record as a table in Markdown.

Usage: `python bench/table.py RECORD`, or `ringwright bench peers --json | python bench/table.py -`.
With `--one-thread` only what README shows: one thread, transforms of N = 2^14.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def line(row: dict[str, Any]) -> str:
    shape = " ".join(f"{key}={value}" for key, value in row["parameters"].items())
    peers = ", ".join(f"{name} {took:.0f}" for name, took in row["peers"].items())
    ours = f"{row['ours_us']:.1f}" if row["correct"] else "incorrect"
    ratio = f"**{row['ratio_to_best']:.2f}**" if row["ratio_to_best"] else "-"
    return f"| {row['name']} | {shape} | {ours} | {peers or 'none live'} | {ratio} |"


def on_one_thread(row: dict[str, Any]) -> bool:
    """Whether README shows it."""
    shape = row["parameters"]
    transform = shape.get("log_n") == 14 and shape.get("threads") == 1
    return transform or (shape.get("machine") == "cpu-1" and "preset" in shape)


def markdown(rows: list[dict[str, Any]]) -> str:
    """The table."""
    heads = ["| | parameters | ours µs | peers µs | x the fastest |", "|---|---|---|---|---|"]
    return "\n".join([*heads, *map(line, rows)]) + "\n"


def main(source: str, *options: str) -> None:
    text = sys.stdin.read() if source == "-" else Path(source).read_text()
    measured = json.loads(text)
    rows = measured["rows"] if isinstance(measured, dict) else measured
    chosen = filter(on_one_thread, rows) if "--one-thread" in options else rows
    sys.stdout.write(markdown(list(chosen)))


if __name__ == "__main__":
    main(*sys.argv[1:])
