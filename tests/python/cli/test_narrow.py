"""Tables on a narrow terminal: whole words, whole numbers, and the columns that matter."""

from __future__ import annotations

import json

import pytest
from rich.console import Console

from ringwright.cli import explain
from ringwright.cli.app import run
from ringwright.cli.output import table

HEADS = ["name", "empty", "rate", "aside", "verdict"]
ROWS = [
    ["a machine of some length", "", "1,234.5 frames", "less telling", "correct"],
    ["other", "", "7\n1 to 20", "x", "WRONG"],
]
WHOLE = 200


def printed(width: int, shown: object) -> list[str]:
    console = Console(width=width, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(shown)
    return [line.rstrip() for line in captured.get().splitlines()]


def made(**options: object):
    return table(HEADS, ROWS, right=[2], spare=[3], **options)


def test_a_wide_terminal_shows_every_column() -> None:
    lines = printed(WHOLE, made())
    assert lines[0].split() == HEADS
    assert not any("narrow" in line for line in lines)


@pytest.mark.parametrize("width", range(34, 60))
def test_what_is_shown_is_whole(width: int) -> None:
    lines = printed(width, made())
    text = "\n".join(lines)
    assert all(len(line) <= width for line in lines)
    assert "\u2026" not in text
    for word in (
        "name",
        "rate",
        "verdict",
        "machine",
        "length",
        "1,234.5",
        "20",
        "correct",
        "WRONG",
    ):
        assert word in text.split(), text
    assert ("aside" in lines[0]) != ("too narrow for: aside" in text)
    assert ("empty" in lines[0]) <= ("aside" in lines[0])


def test_columns_go_in_their_order() -> None:
    shown = table(["a", "b", "c"], [["x" * 10, "y" * 10, "z" * 10]], right=[0, 1, 2], spare=[1, 2])
    assert " ".join(printed(25, shown)).endswith("too narrow for: b")
    assert " ".join(printed(12, shown)).endswith("too narrow for: b, c")


def test_a_result_explained_on_80_columns(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(["camera", "--resolution", "48x32", "--frames", "2", "--out", str(out)]) == 0
    capsys.readouterr()
    assert run(["explain", str(out / "results.json"), "--json"]) == 0
    (machine,) = json.loads(capsys.readouterr().out)["machines"]
    text = "\n".join(printed(80, explain._operations(machine["operations"], 1)))
    assert "\u2026" not in text
    for operation in machine["operations"]:
        assert operation["line"] in text
        assert all(word in text for word in operation["op"].split())
