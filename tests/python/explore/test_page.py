"""The page of a study: it holds its points, asks for nothing, and answers keys and clicks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from ringwright import explore
from ringwright.explore import Space, Study, Workload
from ringwright.report.study import explorer

Visit = Callable[[str, str], dict[str, Any]]
OBJECTIVES = ["time", "area"]
# What a visitor does: filter, choose with the keys, choose with the mouse, change what is shown.
VISIT = """
const by = (id) => document.getElementById(id);
const rows = () => [...by("table").querySelectorAll("tr[data-id]")];
const key = (name) => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const set = (id, value) => { by(id).value = value; by(id).dispatchEvent(new Event("change")); };
seen.rows = rows().length;
seen.markers = by("scatter").querySelectorAll(".point").length;
rows()[0].focus();
key("ArrowDown");
seen.second = document.activeElement.dataset.id === rows()[1].dataset.id;
key("Enter");
seen.chosen = by("detail").textContent;
seen.hash = location.hash === "#" + rows()[1].dataset.id;
rows()[0].click();
seen.clicked = rows()[0].getAttribute("aria-selected");
seen.ring = by("scatter").querySelectorAll(".point").length;
set("keep-bfus", "1");
seen.filtered = by("count").textContent;
set("keep-bfus", "");
by("only").click();
seen.front = rows().length;
set("y", "energy_uj");
seen.axis = by("scatter").querySelector(".ytitle").textContent;
seen.spans = by("timeline").querySelectorAll(".bars .point").length;
seen.parts = by("parts").querySelectorAll("path.surface").length;
seen.lines = by("parallel").querySelectorAll(".y-axis").length;
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    space = Space.parse("rise-1bfu", ["bfus=1,2,4", "bank_words=64,128"])
    return explore.run(space, Workload.parse("ntt:256"), tmp_path_factory.mktemp("s"), workers=0)


def test_the_page_holds_its_points_and_asks_for_nothing(study: Study) -> None:
    made = explorer(study, OBJECTIVES)
    said = re.search(r"<script type='application/json' id='study'>(.*?)</script>", made, re.S)
    assert said
    held = json.loads(said[1])
    assert [p["id"] for p in held["points"]] == [row["id"] for row in study.points]
    best = {row["id"] for row in study.front(OBJECTIVES)}
    assert {p["id"] for p in held["points"] if p["front"]} == best
    for tag in ("<script src", "<link", "@import", "<img"):
        assert tag not in made.replace(_plotly(), "")


@pytest.mark.slow
def test_the_page_answers_keys_and_clicks(study: Study, visit: Visit) -> None:
    seen = visit(explorer(study, OBJECTIVES), VISIT)
    front = len(study.front(OBJECTIVES))
    assert (seen["rows"], seen["markers"], seen["front"]) == (6, 6, front)
    assert seen["second"]
    assert seen["hash"]
    assert "area, mm²" in seen["chosen"]
    assert "GHz" in seen["chosen"]
    assert (seen["clicked"], seen["ring"]) == ("true", 7)
    assert seen["filtered"] == "2 of 6"
    assert seen["axis"] == "energy, µJ"
    assert seen["parts"] > 6
    assert seen["spans"] == len(study.points[0]["timeline"])
    assert seen["lines"] == 6


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
