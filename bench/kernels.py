"""The RPU's transforms against their goals: ours, goal, published, bound; in cycles.

`goals.toml` has the goals; the programs are compiled from their shipped recipes and run on words by
the Rust bench `kernels`. A goal that no recipe serves stands with nothing beside it.

`python bench/kernels.py` prints the table of docs/results.md from the recipes' own cycles, to which
a test of the compiler holds them; another test holds the page to this.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

from rich.table import Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
GOALS = ROOT / "bench" / "goals.toml"
MACHINES = ROOT / "machines"
DECLARED = ROOT / "spec" / "rpu" / "params.toml"
PUBLISHED = ROOT / "spec" / "rpu" / "published.toml"
RECIPES = ROOT / "crates" / "target-rpu" / "src" / "kernels" / "compile" / "recipes.toml"

Parameters = dict[str, Any]


def goals() -> list[dict[str, Any]]:
    """The goals, in the order of their file, each with the machine's parameters."""
    listed: list[dict[str, Any]] = _read(GOALS)["goal"]
    return [{**goal, "parameters": parameters(goal)} for goal in listed]


def parameters(goal: dict[str, Any]) -> Parameters:
    """What the goal's machine is."""
    given = _read(MACHINES / f"{goal['machine']}.toml")["parameters"]
    return {**{key: each["value"] for key, each in given.items()}, **goal.get("change", {})}


def strictly(machine: Parameters) -> Parameters:
    """The machine with what the papers leave open read as harshly as it can be."""
    read = dict(machine)
    for declared in _read(DECLARED)["parameter"]:
        name, strict = declared["name"], declared.get("strict")
        if strict is not None:
            read[name] = max(strict, machine[name]) if isinstance(strict, int) else strict
    return read


def judged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every goal with what was compiled for it."""
    found = []
    for goal in goals():
        row = _made(rows, goal["parameters"], goal)
        strict = _made(rows, strictly(goal["parameters"]), goal)
        ours = row["cycles"] if row else None
        met = ours is not None and ours <= goal["cycles"]
        found.append(
            {
                **{k: goal[k] for k in ("what", "machine", "transform", "log_n")},
                "change": goal.get("change", {}),
                "ours": ours,
                "strict": strict["cycles"] if strict else None,
                "goal": goal["cycles"],
                "published": _published(goal),
                "bound": bound(goal["parameters"], goal["log_n"]),
                "met": met,
                "correct": row["correct"] if row else None,
            }
        )
    return found


def table(found: list[dict[str, Any]]) -> Table:
    """For people."""
    heads = ("transform", "machine", "N", "ours", "strict", "goal", "published", "bound", "")
    made = Table(*heads)
    for row in found:
        ours = "does not fit" if row["ours"] is None else f"{row['ours']:,}"
        made.add_row(
            row["what"],
            _named(row),
            f"{1 << row['log_n']:,}",
            "incorrect" if row["correct"] is False else ours,
            *(f"{row[k]:,}" if row[k] else "" for k in ("strict", "goal", "published", "bound")),
            "met" if row["met"] else "missed",
        )
    return made


def bound(machine: Parameters, log_n: int) -> int:
    """Cycles in which the lanes do nothing but the transform's butterflies."""
    vector, beats = machine["vector_length"], machine["vector_length"] // machine["hples"]
    return (log_n << log_n) // 2 // vector * (beats * machine["ii"] + machine["gap"])


def shipped() -> list[dict[str, Any]]:
    """The recipes as rows, their cycles taken from the file."""
    return [
        {
            **{key: recipe[key] for key in ("transform", "log_n", "cycles")},
            "parameters": machine["parameters"],
            "correct": True,
        }
        for machine in _read(RECIPES)["machine"]
        for recipe in machine["kernel"]
    ]


def markdown() -> str:
    """The table of docs/results.md."""
    lines = [
        "| transform | machine | N | ours | ours, strict | published | bound | goal |",
        "|:--|:--|--:|--:|--:|--:|--:|--:|",
    ]
    for row in judged(shipped()):
        numbers = ("strict", "published", "bound", "goal")
        cells = [f"{row[key]:,}" if row[key] else "" for key in numbers]
        ours = "does not fit" if row["ours"] is None else f"{row['ours']:,}"
        lines.append(
            f"| {row['what']} | {_named(row, '`')} | {1 << row['log_n']:,} | {ours} | "
            f"{' | '.join(cells)} |"
        )
    return "\n".join(lines) + "\n"


def _named(row: dict[str, Any], quote: str = "") -> str:
    changed = ", ".join(f"{key} {value}" for key, value in row["change"].items())
    return f"{quote}{row['machine']}{quote}{', ' if changed else ''}{changed}"


def _made(
    rows: list[dict[str, Any]], machine: Parameters, goal: dict[str, Any]
) -> dict[str, Any] | None:
    """The quickest row of this transform on machines with the parameters."""

    def fits(row: dict[str, Any]) -> bool:
        of_machine = row["parameters"].items() <= machine.items()
        return of_machine and all(row[k] == goal[k] for k in ("transform", "log_n"))

    return min(filter(fits, rows), key=lambda row: int(row["cycles"]), default=None)


def _published(goal: dict[str, Any]) -> int | None:
    for row in _read(PUBLISHED)["transform"]:
        of_transform = goal["what"] == "forward" and row["log_n"] == goal["log_n"]
        if of_transform and row["parameters"].items() <= goal["parameters"].items():
            return int(row["cycles"])
    return None


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.stdout.write(markdown())
