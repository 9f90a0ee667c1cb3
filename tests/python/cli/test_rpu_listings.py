"""Listings of the RPU's transforms, replayed by a second telling of the machine's rules."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rpu_replay import Replay

import ringwright as rw
from ringwright.cli.app import run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

GOALS = Path(__file__).resolve().parents[3] / "bench" / "goals.toml"
STRICT, OPEN = "rpu-128x128-strict", "rpu-128x128"
LOG_N = 16


def listing(machine: str, log_n: int, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    options = ["--n", str(1 << log_n), "--machine", machine, "--order", "any"]
    assert run(["ntt", *options, "--listing", "--json"]) == 0
    row: dict[str, Any] = json.loads(capsys.readouterr().out)
    return row


def replayed(row: dict[str, Any], values: dict[str, Any]) -> tuple[int, list[int | None]]:
    replay = Replay((each["instruction"] for each in row["listing"]), values)
    return replay.run(), [each.start for each in replay.program]


def starts(row: dict[str, Any]) -> list[int]:
    return [each["start"] for each in row["listing"]]


def goal(machine: str) -> int:
    goals = tomllib.loads(GOALS.read_text(encoding="utf-8"))["goal"]
    (cycles,) = (
        goal["cycles"] for goal in goals if (goal["machine"], goal["log_n"]) == (machine, LOG_N)
    )
    return int(cycles)


def test_the_strict_listing_keeps_every_rule_of_the_paper(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = listing(STRICT, LOG_N, capsys)
    strict = rw.machine(STRICT).values
    assert replayed(row, strict) == (row["cycles"], starts(row))
    assert row["bound_cycles"] <= row["cycles"] <= goal(STRICT)
    assert (row["correct"], row["schedule"]) == (True, "tuned")
    butterflies = [each for each in row["listing"] if each["instruction"].startswith("bfly ")]
    assert len(butterflies) * int(strict["vector_length"]) == row["n"] // 2 * LOG_N


@pytest.mark.parametrize(("machine", "log_n"), [(OPEN, 12), (STRICT, 10), ("trebuchet-v2", 10)])
def test_other_listings_are_replayed_too(
    machine: str, log_n: int, capsys: pytest.CaptureFixture[str]
) -> None:
    row = listing(machine, log_n, capsys)
    assert replayed(row, rw.machine(machine).values) == (row["cycles"], starts(row))


def test_the_replay_sees_every_question_that_the_paper_leaves_open(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = listing(OPEN, 14, capsys)
    strict, base = rw.machine(STRICT).values, rw.machine(OPEN).values
    harsher = [key for key in strict if strict[key] != base[key]]
    assert harsher
    for key in harsher:
        assert replayed(row, base | {key: strict[key]})[1] != starts(row), key
