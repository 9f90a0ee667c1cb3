"""The RPU's transforms against their goals: ours, goal, published, bound; in cycles.

`goals.toml` has the goals; the programs are compiled from their shipped recipes and run on words by
the Rust bench `kernels`. A goal that no recipe serves stands with nothing beside it.

`python bench/kernels.py` prints README's table from the recipes' own cycles, to which a test of the
compiler holds them; another test holds README to this.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from rich.table import Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
GOALS = ROOT / "bench" / "goals.toml"
RECIPES = ROOT / "crates" / "target-rpu" / "src" / "compile" / "recipes.toml"
#: Words of a vector of B512.
VECTOR = 512
_HPLES = re.compile(r"rpu-(\d+)x\d+")
_TREBUCHET = {"hples": 64, "gap": 1}


def goals() -> list[dict[str, Any]]:
    """The goals, in the order of their file."""
    listed: list[dict[str, Any]] = tomllib.loads(GOALS.read_text(encoding="utf-8"))["goal"]
    return listed


def judged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every goal with what was compiled for it."""
    key = ("machine", "transform", "log_n")
    # Where a second recipe keeps the words in order, the quickest counts.
    slowest_first = sorted(rows, key=lambda row: -row["cycles"])
    made = {tuple(row[k] for k in key): row for row in slowest_first}
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


def bound(machine: str, log_n: int) -> int:
    """Cycles in which the lanes do nothing but the transform's butterflies."""
    lanes = _HPLES.match(machine)
    hples, gap = (int(lanes[1]), 0) if lanes else (_TREBUCHET["hples"], _TREBUCHET["gap"])
    return (log_n << log_n) // 2 // VECTOR * (VECTOR // hples + gap)


def shipped() -> list[dict[str, Any]]:
    """The recipes as rows, their cycles taken from the file."""
    recipes = tomllib.loads(RECIPES.read_text(encoding="utf-8"))["kernel"]
    return [
        {
            **{key: recipe[key] for key in ("machine", "transform", "log_n", "cycles")},
            "bound_cycles": bound(recipe["machine"], recipe["log_n"]),
            "correct": True,
        }
        for recipe in recipes
    ]


def markdown() -> str:
    """README's table."""
    lines = [
        "| transform | machine | N | ours | goal | published | butterflies alone |",
        "|:--|:--|--:|--:|--:|--:|--:|",
    ]
    for row in judged(shipped()):
        cells = [f"{row[key]:,}" if row[key] else "" for key in ("goal", "published")]
        ours = "does not fit" if row["ours"] is None else f"{row['ours']:,}"
        least = bound(row["machine"], row["log_n"])
        lines.append(
            f"| {row['what']} | `{row['machine']}` | {1 << row['log_n']:,} | {ours} | "
            f"{' | '.join(cells)} | {least:,} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(markdown())
