"""A tornado chart as one page: how far each parameter moves a result, the strongest on top."""

from __future__ import annotations

from pathlib import Path

from ringwright.explore import Study
from ringwright.explore.front import OBJECTIVES
from ringwright.explore.sensitivity import Change, Effect, effects
from ringwright.quantity import significant
from ringwright.report import plots
from ringwright.report.page import page, section, table, text
from ringwright.storage import write_whole


def write(study: Study, objective: str) -> Path:
    """Writes `tornado.html` into the study's folder; returns its path."""
    return write_whole(study.folder / "tornado.html", tornado(study, objective).encode())


def tornado(study: Study, objective: str) -> str:
    """The page. Open questions are drawn in another colour than what a paper prints."""
    found = [effect for effect in effects(study, objective) if effect.swing]
    about, base = study.about, study.rows[0]
    unit = plots.NAMES[OBJECTIVES[objective]]
    said = {
        "unit": unit,
        "effects": [
            {
                "label": f"{effect.parameter} = {effect.value}",
                "open": effect.is_open,
                "changes": [_bar(change) for change in effect.changes if change.ratio is not None],
            }
            for effect in found
        ],
    }
    lead = (
        f"One parameter changes, the program is compiled anew: {text(unit)} is "
        f"{significant(base[OBJECTIVES[objective]])} without a change. Bars go to what it is with "
        "each other value."
    )
    height = 110 + 26 * max(1, len(found))
    body = [
        "<header><div class='eyebrow'>Sensitivity</div>"
        f"<h1>{text(about['machine'])}: {text(about['workload'])}</h1></header>",
        section(
            "What moves it most",
            lead,
            f"<div id='tornado' style='height: {height}px'></div>",
        ),
        section("As a table", "", _table(found)),
        plots.embedded("said", said),
        plots.scripts("tornado.js"),
    ]
    return page(f"sensitivity of {about['machine']}", body)


def _bar(change: Change) -> dict[str, object]:
    assert change.ratio is not None
    schedule = f" ({change.schedule})" if change.schedule else ""
    return {"value": f"{change.value}{schedule}", "percent": 100 * (change.ratio - 1)}


def _table(found: list[Effect]) -> str:
    rows = []
    for effect in found:
        ends = [f"{100 * (ratio - 1):+.1f} %" for ratio in effect.ratios]
        named = f"<code>{text(effect.parameter)}</code>"
        rows.append([named, "open" if effect.is_open else "", text(effect.value), *ends])
    return table(["parameter", "", "is", "at least", "at most"], rows, [2, 3, 4])
