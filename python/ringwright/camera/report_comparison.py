"""The part of the camera's report that sets several clients side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ringwright.camera.report_time import (
    KINDS_OF_TIME,
    colour_of,
    latency_range_text,
    latency_text,
    rate_text,
    resource_of,
    sides_of,
    style_of,
)
from ringwright.camera.run import Row, Run
from ringwright.camera.stages import UPLINK
from ringwright.quantity import JOULES, scaled
from ringwright.report import chart, grouped, page


def comparison(runs: Sequence[Run]) -> str:
    """One row, one bar and one strip for each client."""
    rows = [run.row for run in runs]
    link = rows[0]["link"]
    lead = (
        f"The same frames, server and link ({page.text(link['name'])}), one row for each client. "
        "The dashed line is what the link would carry. What each client does in detail is below."
    )
    strips = {_label(index, run.row): _shares(run) for index, run in enumerate(runs)}
    styles = {name: style for style, name in KINDS_OF_TIME.items()}
    return page.section(
        "Clients side by side",
        lead,
        _table(rows),
        "<h3>Frames a second</h3>",
        _rates(rows),
        "<h3>Whose time it is</h3>",
        "<p class='lead'>Shares of the whole run, set-up included.</p>",
        grouped.stacked(strips, styles).html(),
    )


def rate_range_text(row: Row) -> str:
    """Between which ends the costs of the host leave the throughput; nothing if certain."""
    if row["range"] is None:
        return ""
    low, high = map(rate_text, row["range"]["fps"])
    return f"{low} to {high} by what is known of the host"


def _table(rows: Sequence[Row]) -> str:
    cells = [
        [
            page.text(row["name"]),
            page.number(rate_text(row["fps"]), "/s", *row["provenance"]["fps"])
            + _small(rate_range_text(row)),
            page.number(*latency_text(row), *row["provenance"]["latency_s"])
            + _small("" if row["range"] is None else latency_range_text(row)),
            f"{row['tax_share']:.0%}",
            _energy(row),
            page.number(f"{row['psnr_db']:.1f}", "dB", "measured"),
            page.text(row["answers"]["verdict"]),
        ]
        for row in rows
    ]
    heads = ["client", "throughput", "latency", "tax", "energy", "PSNR", "answers"]
    return page.table(heads, cells, [])


def _rates(rows: Sequence[Row]) -> str:
    made = [
        chart.Bar(
            label=_label(index, row),
            value=row["fps"],
            style=_colour(row),
            caption=f"{rate_text(row['fps'])} frames/s, set by the {row['slowest']}",
        )
        for index, row in enumerate(rows)
    ]
    ceiling = resource_of(rows[0], UPLINK)["fps"]
    return chart.bars(made, axis="frames a second", ceiling=ceiling, words="the uplink's ceiling")


def _colour(row: Row) -> str:
    """That of the slowest resource; too few frames in flight keep none busy."""
    slowest = [resource for resource in row["resources"] if resource["name"] == row["slowest"]]
    return colour_of(slowest[0]) if slowest else "wait-tax"


def _shares(run: Run) -> dict[str, float]:
    """Exposed time by whose it is, in the order of the legend."""
    sides, spent = sides_of(run), Counter[str]()
    for entry in run.row["ledger"]:
        spent[style_of(entry, sides)] += entry["exposed_fs"]
    return {name: spent[style] for style, name in KINDS_OF_TIME.items()}


def _label(index: int, row: Row) -> str:
    """A client may be asked twice."""
    return f"{index + 1} {row['name']}"


def _small(words: str) -> str:
    """Under a cell's number."""
    return f"<br><small>{page.text(words)}</small>" if words else ""


def _energy(row: Row) -> str:
    energy, published = row["energy"], row["energy"]["published"]["joules_per_frame"]
    joules, beside = energy["joules_per_frame"], ""
    if published is not None:
        # Watts; the time that they are multiplied with has its provenance beside the latency.
        watts = page.number(*scaled(published, JOULES), "published")
        beside = f"<br><small>by its watts {watts}</small>"
    if joules is None:
        return beside.removeprefix("<br>")
    return page.number(*scaled(joules, JOULES), energy["provenance"]) + beside
