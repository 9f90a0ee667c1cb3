"""`ringwright ntt --search`: what it finds is kept, said, and left aside where it is damaged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ringwright as rw
from ringwright import schedules
from ringwright.cli.app import run

N, MACHINE = 128, "rpu-8x8"


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    schedules.clear()
    yield
    schedules.clear()


def ntt(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[dict[str, Any], str]:
    command = ["ntt", "--n", str(N), "--machine", MACHINE, "--json", *options]
    assert run(command) == 0
    printed = capsys.readouterr()
    return json.loads(printed.out), printed.err


def kept() -> list[Path]:
    return sorted(schedules.folder().glob("*.toml"))


def test_a_search_is_kept_and_used_until_it_is_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    before, _ = ntt(capsys)
    assert (before["schedule"], before["schedule_source"]) == ("untuned", None)
    found, said = ntt(capsys, "--search", "20")
    (path,) = kept()
    assert str(path) in said
    after, _ = ntt(capsys)
    for row in (found, after):
        assert (row["schedule"], row["schedule_source"]) == ("tuned", "cache")
        assert row["correct"] is True
        assert row["cycles"] <= before["cycles"]
    assert ntt(capsys, "--no-cache")[0] == before
    assert run(["ntt", "--clear-cache"]) == 0
    assert str(path) in capsys.readouterr().err
    assert kept() == []
    assert ntt(capsys)[0] == before


def test_what_is_damaged_is_named_and_not_used(capsys: pytest.CaptureFixture[str]) -> None:
    before, _ = ntt(capsys)
    ntt(capsys, "--search", "5")
    (path,) = kept()
    path.write_text(path.read_text(encoding="utf-8")[:200], encoding="utf-8")
    row, said = ntt(capsys)
    assert row == before
    assert f"{path}: not used" in said
    with pytest.warns(schedules.ScheduleWarning, match="not used"):
        rw.machine(MACHINE)


@pytest.mark.parametrize(
    ("machine", "options", "part"),
    [
        (MACHINE, ["--search", "0"], "tries allowed"),
        (MACHINE, ["--search", "5", "--no-cache"], "--search"),
        ("rise-32bfu", ["--search", "5"], "orders no transforms"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    machine: str, options: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ntt", "--n", str(N), "--machine", machine, *options]) == 2
    assert part in capsys.readouterr().err
    assert kept() == []
