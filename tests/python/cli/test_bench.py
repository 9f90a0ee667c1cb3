"""`ringwright bench`: what it prints of rows; measuring them is a slow test of tests/bench."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from ringwright.cli.app import BAD_USAGE, run
from ringwright.cli.bench import shown
from ringwright.peers.row import Row, row


def _rows(*, correct: bool) -> list[Row]:
    one, several, peer = 30.0, 16.0, 45.0
    return [
        row("rotate", {"machine": "cpu-1"}, one, {"A": peer, "B": 2 * peer}, correct=correct),
        row("rotate", {"machine": "cpu"}, several, {}, correct=True),
    ]


def _printed(rows: list[Row]) -> str:
    console = Console(width=110)
    with console.capture() as capture:
        console.print(shown(rows))
    return capture.get()


def test_ratios_are_to_the_fastest_peer_and_to_one_thread() -> None:
    first, second = _rows(correct=True)
    assert first["ratio_to_best"] == min(first["peers"].values()) / first["ours_us"]
    assert second["ratio_to_best"] is None
    text = _printed([first, second])
    assert f"{first['ours_us'] / second['ours_us']:.2f}" in text
    assert "none live" in text


def test_gains_stand_beside_those_of_arithmetic_alone() -> None:
    one, two = 3.0, 1.5
    rows = [
        row("arithmetic alone", {"threads": n}, us, {}, correct=True)
        for n, us in ((1, one), (2, two))
    ]
    rows += _rows(correct=True)
    gained = rows[2]["ours_us"] / rows[3]["ours_us"]
    assert f"{gained:.2f} of {one / two:.2f}" in _printed(rows)


def test_a_wrong_answer_stands_where_the_time_would() -> None:
    wrong = _rows(correct=False)
    text = _printed(wrong)
    assert "incorrect" in text
    assert f"{wrong[0]['ours_us']:.1f}" not in text.replace(f"{wrong[0]['ratio_to_best']:.2f}", "")


def test_an_interpreter_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    missing = Path("no") / "python3.10"
    assert run(["bench", "peers", "--openfhe-python", str(missing)]) == BAD_USAGE
    assert f"--openfhe-python {missing}: no such file" in capsys.readouterr().err
