"""`ringwright explain`: the program's operations and the time of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ringwright import camera
from ringwright.camera.stages import EVALUATE
from ringwright.cli.app import run
from ringwright.ledger import duration_text


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    film = camera.film(camera.Options(size=camera.Size(48, 32), frames=2))
    directory = tmp_path_factory.mktemp("explain")
    camera.save(film, directory)
    return directory / "results.json"


def explained(results: Path, capsys: pytest.CaptureFixture[str]) -> dict:
    capsys.readouterr()
    assert run(["explain", str(results), "--json"]) == 0
    (machine,) = json.loads(capsys.readouterr().out)["machines"]
    return machine


def test_operations_show_time_and_share(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = explained(results, capsys)
    (evaluate,) = (stage for stage in machine["stages"] if stage["stage"] == EVALUATE)
    measured = [each for each in machine["operations"] if each["op"] != "input"]
    assert all(each["provenance"] == "measured" for each in measured)
    assert 0 < sum(each["busy_fs"] for each in measured) <= evaluate["busy_fs"]
    assert run(["explain", str(results)]) == 0
    lines = capsys.readouterr().out.splitlines()
    (rest,) = (line for line in lines if "around these" in line)
    around_fs = evaluate["busy_fs"] - sum(each["busy_fs"] for each in measured)
    assert duration_text(around_fs) in rest
    for each in measured:
        assert each["share"] == each["busy_fs"] / evaluate["busy_fs"]
        (line,) = (line for line in lines if f" {each['op']} " in line)
        assert duration_text(each["busy_fs"]) in line


def test_operations_without_times_say_so(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(results.read_text())
    for operation in found["machines"][0]["operations"]:
        operation["busy_fs"] = operation["provenance"] = None
    silent = tmp_path / "results.json"
    silent.write_text(json.dumps(found))
    assert all(each["share"] is None for each in explained(silent, capsys)["operations"])
    assert run(["explain", str(silent)]) == 0
    assert "does not measure operations" in capsys.readouterr().out
