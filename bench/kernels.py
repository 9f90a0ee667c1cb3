"""The RPU's transforms against their goals: ours, goal, published, bound; in cycles.

`goals.toml` has the goals; the programs are compiled from their shipped recipes and run on words by
the Rust bench `kernels`. A goal that no recipe serves stands with nothing beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rich.table import Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

GOALS = Path(__file__).resolve().with_name("goals.toml")


def goals() -> list[dict[str, Any]]:
    """The goals, in the order of their file."""
    listed: list[dict[str, Any]] = tomllib.loads(GOALS.read_text(encoding="utf-8"))["goal"]
    return listed


def judged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every goal with what was compiled for it."""
    key = ("machine", "transform", "log_n")
    made = {tuple(row[k] for k in key): row for row in rows}
    found = []
    for goal in goals():
        row = made.get(tuple(goal[k] for k in key))
        ours = row["cycles"] if row else None
        met = ours is not None and ours <= goal["cycles"]
        found.append(
            {
                **{k: goal[k] for k in ("what", *key)},
                "ours": ours,
                "goal": goal["cycles"],
                "published": goal.get("published"),
                "bound": row["bound_cycles"] if row else None,
                "met": met,
                "correct": row["correct"] if row else None,
            }
        )
    return found


def table(found: list[dict[str, Any]]) -> Table:
    """For people."""
    made = Table("transform", "machine", "N", "ours", "goal", "published", "bound", "")
    for row in found:
        ours = "does not fit" if row["ours"] is None else f"{row['ours']:,}"
        made.add_row(
            row["what"],
            row["machine"],
            f"{1 << row['log_n']:,}",
            "incorrect" if row["correct"] is False else ours,
            *(f"{row[k]:,}" if row[k] else "" for k in ("goal", "published", "bound")),
            "met" if row["met"] else "missed",
        )
    return made
