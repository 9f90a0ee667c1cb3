"""The tables of transform cycles in README are what the machines do and the papers print today."""

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
ROW = re.compile(r"^\| ([\d,]+)(, 60 bit)? \|" + r" ([\d,]*) ?\|" * 4 + "$", re.M)


def number(text: str) -> int | None:
    return int(text.replace(",", "")) if text else None


ROWS = ROW.findall(README.read_text(encoding="utf-8"))


def test_the_table_is_there() -> None:
    assert len(ROWS) == 5


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_number_is_todays(row: tuple[str, ...]) -> None:
    degree, wide, *cells = row
    n = number(degree)
    assert n is not None
    published, plain, bound, interleaved = (number(cell) for cell in cells)
    machine = "rise-32bfu-60bit" if wide else "rise-32bfu"
    ours = native.run_transform(rw.machine(machine), n)
    assert ours is not None
    assert (ours.cycles, ours.bound_cycles) == (plain, bound)
    assert ours.published_cycles == published
    if interleaved is not None:
        fast = native.run_transform(rw.machine("rise-32bfu-interleaved"), n)
        assert fast is not None
        assert fast.cycles == interleaved


def test_the_goals_of_the_rpu_stand_with_the_recipes_cycles() -> None:
    written = subprocess.run(
        [sys.executable, ROOT / "bench" / "kernels.py"], check=True, capture_output=True, text=True
    ).stdout
    assert written in README.read_text(encoding="utf-8"), "python bench/kernels.py prints it anew"


def test_the_peers_stand_as_recorded() -> None:
    command = [sys.executable, ROOT / "bench" / "table.py", "--one-thread"]
    written = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for record in (ROOT / "bench" / "records").glob("*.json"):
        assert f": {json.loads(record.read_text())['cpu']}\n" in written
    assert written in README.read_text(encoding="utf-8"), "python bench/table.py --readme"


def test_the_bound_is_the_simulators() -> None:
    made = native.run_transform(rw.machine("rpu-128x128"), 1024)
    assert made is not None
    row = re.search(r"`rpu-128x128-freeports` \| 1,024 .*\| ([\d,]+) \|$", README.read_text(), re.M)
    assert row is not None
    assert number(row[1]) == made.bound_cycles
