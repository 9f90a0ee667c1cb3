"""How a verb shows what it is doing."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from ringwright.cli import stages


def shown(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=60)
    monkeypatch.setattr(stages, "progress", lambda: console)
    with stages.Stages("bench") as begin:
        begin("keys")
        begin._done(None)
        begin._done(0.5)
        begin("runs")
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_short_verb_says_nothing_to_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO(), force_terminal=False)
    monkeypatch.setattr(stages, "progress", lambda: console)
    with stages.Stages("oracle", lines=False) as begin:
        begin("rpu-128x128")
    assert isinstance(console.file, io.StringIO)
    assert not console.file.getvalue()


def test_a_terminal_has_bars_and_a_pipe_has_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, terminal=False) == "bench: keys\nbench: runs\n"
    text = shown(monkeypatch, terminal=True)
    assert "keys" in text
    assert "━" in text
