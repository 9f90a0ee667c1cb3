"""A million operations lowered on every target: seconds and memory, beside their limits.

`goals.toml` has the limits; the Rust bench `scale` measures. `python bench/scale.py` does it alone.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import examples
from rich.console import Console
from rich.table import Table

from ringwright.peers.row import ANSWERS_ONLY

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

GOALS = Path(__file__).with_name("goals.toml")


def judged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every row with its limits, and whether it keeps them."""
    limits = tomllib.loads(GOALS.read_text(encoding="utf-8"))["scale"]
    return [{**row, "limits": limits, "met": _keeps(row, limits)} for row in rows]


def _keeps(row: dict[str, Any], limits: dict[str, float]) -> bool | None:
    """`None` where the machine does not take such programs, the system tells no memory, or answers
    alone are checked: limits are for a million operations."""
    if "skipped" in row or row.get("gib") is None or ANSWERS_ONLY in os.environ:
        return None
    return all(row[key] <= limit for key, limit in limits.items())


def table(found: list[dict[str, Any]]) -> Table:
    """For people."""
    made = Table("machine", "long in", "N", "seconds", "parts", "again, s", "GiB", "limits", "")
    for row in found:
        limits = row["limits"]
        made.add_row(
            row["machine"],
            row["how"],
            f"{1 << row['log_n']:,}" if "log_n" in row else "",
            _measured(row, "seconds"),
            "" if row.get("parts") is None else f"{row['parts']:,}",
            _measured(row, "again_seconds"),
            _measured(row, "gib"),
            f"{limits['seconds']} s, {limits['again_seconds']} s, {limits['gib']} GiB",
            _verdict(row),
        )
    return made


def _measured(row: dict[str, Any], key: str) -> str:
    return "" if row.get(key) is None else f"{row[key]:.2f}"


def _verdict(row: dict[str, Any]) -> str:
    if not row["correct"]:
        return f"incorrect: {row.get('error', 'no answer, or a wrong one')}"
    if "skipped" in row:
        return f"skipped: {row['skipped']}"
    return {True: "met", False: "missed", None: "not measured"}[row["met"]]


if __name__ == "__main__":
    lowered = examples.rows("scale")
    Console(width=140).print(table(judged(lowered)))
    sys.exit(not all(row["correct"] for row in lowered))
