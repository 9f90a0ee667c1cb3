"""One parameter at a time: what is changed, what it does, and how it is drawn."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ringwright as rw
from ringwright import explore
from ringwright.cli.app import run
from ringwright.errors import ParameterError
from ringwright.explore import Study, Workload, one_by_one
from ringwright.explore.sensitivity import effects
from ringwright.report.tornado import tornado

MACHINE, WORK = "rpu-8x8", "ntt:512"
# What a visitor sees.
VISIT = """
seen.bars = document.querySelectorAll("#tornado .bars .point").length;
const names = document.querySelectorAll("#tornado .yaxislayer-above text");
seen.names = [...names].map((text) => text.textContent);
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    work, out = Workload.parse(WORK), tmp_path_factory.mktemp("study")
    return explore.run(one_by_one(MACHINE), work, out, workers=0, search=8)


def test_the_machine_comes_first_and_each_point_differs_in_one_value(study: Study) -> None:
    base, *changed = study.rows
    names = [name for name, _ in study.about["axes"]]
    values = rw.machine(MACHINE).values
    assert all(base[name] == values[name] for name in names)
    assert all(sum(row[name] != base[name] for name in names) == 1 for row in changed)
    assert {"hples", "vdm_map", "gap", "clock_fs"} <= set(names)
    assert "hples" not in study.about["open"]
    assert {"vdm_map", "gap"} <= set(study.about["open"])


def test_a_clock_twice_as_slow_takes_twice_as_long(study: Study) -> None:
    (clock,) = (e for e in effects(study, "time") if e.parameter == "clock_fs")
    slow = max(clock.changes, key=lambda change: change.value)
    assert slow.ratio == pytest.approx(2, rel=1e-6)
    assert not any(e.swing for e in effects(study, "cycles") if e.parameter == "clock_fs")


def test_effects_stand_in_the_order_of_their_swing(study: Study) -> None:
    for objective in ("time", "area", "energy"):
        found = effects(study, objective)
        swings = [effect.swing for effect in found]
        assert swings == sorted(swings, reverse=True)
        assert swings[0] > 0
        low, high = found[0].ratios
        assert low <= 1 <= high
        assert found[0].swing == pytest.approx(math.log(high / low))
    with pytest.raises(ParameterError, match="objectives: beauty given"):
        effects(study, "beauty")


def test_what_only_a_compiler_changes_is_said(study: Study) -> None:
    """Programs for separate pipes are not scheduled."""
    (pipes,) = (e for e in effects(study, "time") if e.parameter == "load_store_pipes")
    assert pipes.changes[0].schedule == "untuned schedule"
    (banks,) = (e for e in effects(study, "time") if e.parameter == "banks")
    assert all(change.schedule is None for change in banks.changes)


def test_more_orders_find_none_that_is_worse(tmp_path: Path) -> None:
    space = explore.Space.parse(MACHINE, ["queue_depth=2,4"])
    work = Workload.parse(WORK)
    cycles = [
        [
            row["cycles"]
            for row in explore.run(space, work, tmp_path / str(s), search=s, workers=0).rows
        ]
        for s in (0, 4, 40)
    ]
    assert all(more <= less for less, more in zip(cycles[1], cycles[2], strict=True))
    assert cycles[2] < cycles[0]
    with pytest.raises(ParameterError, match="search -1: 0 to"):
        explore.run(space, work, tmp_path / "x", search=-1, workers=0)


def test_the_verb_prints_and_draws(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verb = ["sensitivity", MACHINE, WORK, "--search", "8", "--workers", "0"]
    out = tmp_path / "kept"
    shutil.copytree(study.folder, out)
    assert run([*verb, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "parameters change nothing by themselves" in printed
    assert "load_store_pipes" in printed
    assert (out / "tornado.html").is_file()
    assert run([*verb, "--json", "--objective", "area", "--out", str(out)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["effects"][0]["changes"][0]["ratio"] != 1
    assert said["base"]["id"] == study.rows[0]["id"]
    assert run(["sensitivity", "cpu", WORK]) == 2


@pytest.mark.slow
def test_the_page_has_a_bar_for_each_change(
    study: Study, visit: Callable[[str, str], dict[str, Any]]
) -> None:
    moving = [effect for effect in effects(study, "time") if effect.swing]
    found = visit(tornado(study, "time"), VISIT)
    assert found["bars"] == sum(c.ratio is not None for e in moving for c in e.changes)
    assert found["names"][-1] == f"{moving[0].parameter} = {moving[0].value}"
