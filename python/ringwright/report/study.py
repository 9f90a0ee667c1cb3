"""A study as one page: scatter with front, parallel coordinates, filters, a design's parts.

The page holds the points and Plotly's script; it needs no network. Whatever a mouse does on a plot,
the table does with the keys: arrows move, Enter chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ringwright.explore import OBJECTIVES, Study
from ringwright.report import plots
from ringwright.report.page import page, section, text
from ringwright.storage import write_whole


def write(study: Study, objectives: Sequence[str]) -> Path:
    """Writes `explorer.html` into the study's folder; returns its path."""
    return write_whole(study.folder / "explorer.html", explorer(study, objectives).encode())


def explorer(study: Study, objectives: Sequence[str]) -> str:
    """The page."""
    about = study.about
    title = f"{about['machine']}: {about['workload']}"
    best = {row["id"] for row in study.front(objectives)}
    columns = [name for name in OBJECTIVES.values() if any(name in row for row in study.points)]
    said = {
        "axes": [name for name, _ in about["axes"]],
        "columns": [[name, plots.NAMES[name]] for name in columns],
        "shown": [OBJECTIVES[name] for name in objectives],
        "points": [{**row, "front": row["id"] in best} for row in study.points],
    }
    skipped = _skipped([row["skipped"] for row in study.skipped])
    lead = (
        f"{len(study.points)} designs, {len(best)} of them such that no other beats them in "
        f"{text(', '.join(objectives))}. Choose one to see its parts."
    )
    body = [
        f"<header><div class='eyebrow'>Design study</div><h1>{text(title)}</h1></header>",
        section("Designs", lead, _CONTROLS, "<div id='scatter' class='plot'></div>"),
        section(
            "The chosen design",
            "Expected values; the range of each stands beside it.",
            "<div id='detail' aria-live='polite'>None yet.</div>",
            "<div id='parts' class='plot'></div>",
            "<div id='timeline' class='plot'></div>",
        ),
        section(
            "All parameters",
            "A line is a design. Drag along an axis to keep those that pass there.",
            "<div id='parallel' class='plot'></div>",
        ),
        section(
            "As a table",
            "Arrow keys move, Enter chooses. Those on the front stand first.",
            "<div class='scroll'><table id='table'></table></div>",
        ),
        skipped,
        plots.embedded("study", said),
        plots.scripts("study.js"),
    ]
    return page(title, body).replace("</style>", f"{_STYLE}</style>", 1)


def _skipped(reasons: list[str]) -> str:
    if not reasons:
        return ""
    items = "".join(
        f"<li>{reasons.count(reason)}: {text(reason)}</li>" for reason in dict.fromkeys(reasons)
    )
    return section("Skipped", f"{len(reasons)} designs have no result.", f"<ul>{items}</ul>")


_CONTROLS = (
    "<form id='controls' onsubmit='return false'>"
    "<label>across <select id='x'></select></label> "
    "<label>up <select id='y'></select></label> "
    "<label><input type='checkbox' id='only'> front only</label> "
    "<span id='filters'></span> <output id='count'></output></form>"
)
_STYLE = """
.plot { width: 100%; height: 440px; }
#parts { height: 340px; }
#timeline { height: 220px; }
#controls { display: flex; flex-wrap: wrap; gap: 10px 18px; margin: 0 0 12px; font-size: 14px; }
#controls select { font: inherit; color: inherit; background: var(--panel);
  border: 1px solid var(--line); border-radius: 4px; padding: 2px 4px; }
#table tr { cursor: pointer; }
#table tr:focus { outline: 2px solid var(--accent); outline-offset: -2px; }
#table tr[aria-selected="true"] { background: var(--panel); font-weight: 600; }
#table td, #table th { text-align: right; padding: 4px 10px; white-space: nowrap; }
#table .star { color: var(--accent); }
@media (max-width: 600px) { .plot { height: 320px; } main { padding: 28px 14px 40px; } }
"""
