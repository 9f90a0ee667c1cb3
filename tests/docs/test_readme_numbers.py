"""The table of transform cycles in README is what the machines do and the papers print today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ringwright as rw
from ringwright import _ringwright as native

README = Path(__file__).resolve().parents[2] / "README.md"
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
