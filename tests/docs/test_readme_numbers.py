"""The tables of results are what the machines do and the papers print today; README quotes them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ringwright as rw
from ringwright import _ringwright as native

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
BOOK = ROOT / "docs" / "results.md"
ROW = re.compile(r"^\| ([\d,]+)(, 60 bit)? \|" + r" ([\d,]*) ?\|" * 5 + "$", re.M)


def number(text: str) -> int | None:
    return int(text.replace(",", "")) if text else None


ROWS = ROW.findall(BOOK.read_text(encoding="utf-8"))


def test_the_table_is_there() -> None:
    assert len(ROWS) == 5


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_number_is_todays(row: tuple[str, ...]) -> None:
    degree, wide, *cells = row
    n = number(degree)
    assert n is not None
    published, plain, interleaved, bound, drained = (number(cell) for cell in cells)
    machine = "rise-32bfu-60bit" if wide else "rise-32bfu"
    ours = native.run_transform(rw.machine(machine), n)
    assert ours is not None
    assert (ours.cycles, ours.bound_cycles, ours.drained_cycles) == (plain, bound, drained)
    # A bound that one of ours beats is none.
    assert bound is not None
    assert all(bound <= cycles for cycles in (plain, interleaved) if cycles is not None)
    assert ours.published_cycles == published
    if interleaved is not None:
        fast = native.run_transform(rw.machine("rise-32bfu-interleaved"), n)
        assert fast is not None
        assert fast.cycles == interleaved


def test_the_goals_of_the_rpu_stand_with_the_recipes_cycles() -> None:
    written = subprocess.run(
        [sys.executable, ROOT / "bench" / "kernels.py"], check=True, capture_output=True, text=True
    ).stdout
    assert written in BOOK.read_text(encoding="utf-8"), "python bench/kernels.py prints it anew"


def test_the_peers_stand_as_recorded() -> None:
    command = [sys.executable, ROOT / "bench" / "table.py", "--one-thread"]
    written = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for record in (ROOT / "bench" / "records").glob("*.json"):
        assert f": {json.loads(record.read_text())['cpu']}\n" in written
    assert written in BOOK.read_text(encoding="utf-8"), "python bench/table.py --book"


def test_the_bound_is_the_simulators() -> None:
    made = native.run_transform(rw.machine("rpu-128x128"), 1024)
    assert made is not None
    row = re.search(
        r"`rpu-128x128-freeports` \| 1,024 .*\| ([\d,]+) \| [\d,]+ \|$", BOOK.read_text(), re.M
    )
    assert row is not None
    assert number(row[1]) == made.bound_cycles


def test_a_programs_transform_is_what_the_book_says() -> None:
    made = native.run_transform(rw.machine("rpu-128x128"), 65536)
    assert made is not None
    assert f"{made.cycles:,} cycles for N = 65,536" in BOOK.read_text(encoding="utf-8")


def test_readme_quotes_the_book() -> None:
    """Every number of its short table stands in one row of the book's, beside the same degree."""
    book = [set(numbers(line)) for line in BOOK.read_text(encoding="utf-8").splitlines()]
    quoted = re.findall(r"^\| N = ([\d,]+),.*\| `(\S+)` \| (.*) \|$", README.read_text(), re.M)
    assert len(quoted) == 2
    for degree, _, cells in quoted:
        wanted = set(numbers(f"{degree} | {cells}"))
        assert any(wanted <= row for row in book), cells


def numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d,]*", text)
