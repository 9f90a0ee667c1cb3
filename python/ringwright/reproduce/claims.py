"""Claims as data: `repro/<paper>/<figure>/claim.toml`.

    figure = "Table I"
    source = "RACE (ISLPED 2022)"

    [[claim]]
    id = "race.table-1.baseline.m2c.1024"
    quantity = "message to ciphertext, processor alone"
    published = 65.57
    unit = "ms"
    conditions = "N = 1024, log Q = 27"
    ours = { study = "latency", system = "baseline", direction = "m2c", n = 1024 }
    tolerance = 0.1
    note = "why it may miss, or what ours means"

`published` may be left out where the paper prints no number. `relation = "below"` marks a limit
(below one frame a second), which has no tolerance. `inconsistent = "why"`: the value contradicts
its own document or another one; ours is computed all the same and not tuned. `skipped = "why"`:
nothing of ours. Which values entered a fit stands where the fit is (`hosts/`, `inferred.toml`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ringwright.errors import FormatError, ParameterError, StorageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: In a checkout, beside `python/`.
ROOT = Path(__file__).resolve().parents[3] / "repro"
PAPERS = ("race", "rise", "tax-he", "rpu", "trebuchet", "medha")

_TEXTS = {"id", "quantity", "unit", "conditions", "note", "relation"}
_REASONS = {"inconsistent", "skipped"}
_KEYS = _TEXTS | _REASONS | {"published", "ours", "tolerance"}
_RELATIONS = ("equal", "below")


@dataclass(frozen=True)
class Claim:
    """One published value and how ours is computed."""

    id: str
    paper: str
    figure: str
    place: str
    quantity: str
    unit: str
    published: float | None
    conditions: str = ""
    note: str = ""
    relation: str = "equal"
    tolerance: float | None = None
    ours: dict[str, Any] = field(default_factory=dict)
    inconsistent: str | None = None
    skipped: str | None = None


def papers() -> tuple[str, ...]:
    """The names that `reproduce` takes."""
    return PAPERS


@cache
def claims_of(paper: str) -> tuple[Claim, ...]:
    """Every claim of a paper, figure by figure. Raises `ParameterError` for an unknown paper."""
    if paper not in PAPERS:
        raise ParameterError(f"no paper is called {paper!r}; known: {', '.join(PAPERS)}")
    found: list[Claim] = []
    for path in sorted((ROOT / paper).glob("*/claim.toml")):
        found += _read(paper, path)
    if not found:
        raise StorageError(
            f"{ROOT / paper}: no claims; they stand in the repository's repro/ folder, "
            "so this command runs from a checkout"
        )
    _refuse_twice(found)
    return tuple(found)


@cache
def read_toml(path: Path) -> dict[str, Any]:
    """A data file of repro/. Raises `StorageError` or `FormatError` naming it."""
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path}: not valid TOML: {error}") from error
    return data


def _read(paper: str, path: Path) -> list[Claim]:
    data = read_toml(path)
    place = f"{data['source']}, {data['figure']}"
    read = []
    for entry in data["claim"]:
        _check(path, entry)
        known = {key: entry[key] for key in entry if key not in {"published", "tolerance"}}
        tolerance = entry.get("tolerance", data.get("tolerance"))
        published = entry.get("published")
        read.append(
            Claim(
                paper=paper,
                figure=path.parent.name,
                place=place,
                published=None if published is None else float(published),
                tolerance=None if tolerance is None else float(tolerance),
                **known,
            )
        )
    return read


def _check(path: Path, entry: dict[str, Any]) -> None:
    name = entry.get("id", "a claim without id")
    unknown = set(entry) - _KEYS
    if unknown:
        raise FormatError(f"{path}: {name}: unknown keys {', '.join(sorted(unknown))}")
    missing = {"id", "quantity", "unit"} - set(entry)
    if missing:
        raise FormatError(f"{path}: {name}: missing {', '.join(sorted(missing))}")
    if entry.get("relation", "equal") not in _RELATIONS:
        raise FormatError(f"{path}: {name}: relation is one of {', '.join(_RELATIONS)}")
    # What a paper names and prints no number of stands beside a note that says so.
    known = "published" in entry or "note" in entry
    if "skipped" not in entry and not ("ours" in entry and known):
        raise FormatError(f"{path}: {name}: needs published and ours, or skipped with its reason")


def _refuse_twice(found: list[Claim]) -> None:
    seen: set[str] = set()
    for claim in found:
        if claim.id in seen:
            raise FormatError(f"{claim.place}: {claim.id} stands twice")
        seen.add(claim.id)
