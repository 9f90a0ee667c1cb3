"""The rows of a record as a table in Markdown.

Usage: `python bench/table.py RECORD`, or `ringwright bench peers --json | python bench/table.py -`.
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


def main(source: str) -> None:
    text = sys.stdin.read() if source == "-" else Path(source).read_text()
    measured = json.loads(text)
    rows = measured["rows"] if isinstance(measured, dict) else measured
    print("| | parameters | ours µs | peers µs | x the fastest |")
    print("|---|---|---|---|---|")
    for row in rows:
        print(line(row))


if __name__ == "__main__":
    main(sys.argv[1])
