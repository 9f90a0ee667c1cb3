"""The part of the camera's report that is about time: throughput, ledger, frames in flight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import ringwright as rw
from ringwright.camera.run import Row, Run
from ringwright.camera.stages import CLIENT, DOWNLINK, RESOURCES, SERVER, SERVER_LINK, UPLINK
from ringwright.ledger import duration_text
from ringwright.report import chart, page

_WHERE = {
    CLIENT: "client",
    UPLINK: "link",
    SERVER: "server",
    SERVER_LINK: "link",
    DOWNLINK: "link",
}
_FS_PER_MS = 10**12
#: Share of the total from which a part of the strip has room for its name.
_LABELLED = 0.08
#: Boxes that the width of a chart can show side by side.
_RESOLUTION = 400


def throughput(row: Row) -> str:
    """What each resource alone would carry, against the link."""
    resources = sorted(row["resources"], key=lambda resource: resource["fps"])
    fastest = max(r["fps"] for r in resources if r["name"] in RESOURCES)
    rows = [
        chart.Bar(
            label=resource["name"],
            value=resource["fps"],
            style=f"{_place(resource['name'])}-{'tax' if _is_link(resource) else 'kernel'}",
            caption=f"{rate_text(resource['fps'])} frames/s, {resource['provenance'][0]}",
        )
        for resource in resources
        if resource["fps"] <= fastest
    ]
    slowest, link = resources[0], row["link"]
    lead = (
        f"Frames a second that each resource alone would sustain, all of them working at once. "
        f"The slowest sets the pace: the {page.text(slowest['name'])}, busy "
        f"{time_text(slowest['busy_fs_per_frame'])} a frame. The link is "
        f"{page.text(link['name'])}, {link['bits_per_second'] / 1e6:g}&#8239;Mb/s each way."
    )
    if len(rows) < len(resources):
        lead += (
            " Units of a simulated machine that would carry more than all of these are left out."
        )
    ceiling = resource_of(row, UPLINK)["fps"]
    plot = chart.bars(rows, axis="frames a second", ceiling=ceiling, words="the uplink's ceiling")
    return page.section("Frames a second against the link", lead, plot)


def where_time_went(run: Run) -> str:
    """Ledger as a strip and a table, and a few frames on the resources."""
    row = run.row
    total = row["total_fs"]
    where = _stage_resources(run.timeline)
    entries = row["ledger"]
    strip = "".join(
        f"<div class='{_style(entry, where)}' style='flex:{entry['exposed_fs'] / total:.6f}' "
        f"title='{page.text(entry['stage'])}: {time_text(entry['exposed_fs'])}'>"
        f"{page.text(entry['stage']) if entry['exposed_fs'] > _LABELLED * total else ''}</div>"
        for entry in entries
        if entry["exposed_fs"]
    )
    lead = (
        f"The whole run of {row['frames']} frames takes "
        f"{page.number(time_text(total), '', *row['total_provenance'])} Busy is how long a "
        f"stage worked; exposed is how much of the end-to-end time it accounts for. The exposed "
        f"times add up to the total exactly."
    )
    return page.section(
        "Where the time went",
        lead,
        f"<div class='strip'>{strip}</div>",
        _legend(),
        _ledger_table(row, where),
        "<h3>Frames in flight</h3>",
        f"<p class='lead'>Four frames from the middle of the run; at most {row['in_flight']} under "
        "way at once.</p>",
        _gantt(run, where),
    )


def _legend() -> str:
    names = {
        "client-kernel": "client, kernel",
        "client-tax": "client, tax",
        "link-tax": "link",
        "server-kernel": "server, kernel",
        "server-tax": "server, tax",
        "wait-tax": "waiting",
    }
    items = "".join(
        f"<span><i class='swatch {style}'></i>{name}</span>" for style, name in names.items()
    )
    return f"<div class='legend'>{items}</div>"


def _ledger_table(row: Row, where: dict[str, str]) -> str:
    entries, total = row["ledger"], row["total_fs"]
    largest = max(entry["exposed_fs"] for entry in entries) or 1
    rows = [
        [
            f"<i class='swatch {_style(entry, where)}'></i>{page.text(entry['stage'])}",
            page.text(entry["kind"]),
            "once"
            if entry["stage"] in row["once"]
            else page.text(time_text(entry["busy_fs"] // row["frames"])),
            page.text(time_text(entry["busy_fs"])),
            page.text(time_text(entry["exposed_fs"])),
            f"{100 * entry['exposed_fs'] / total:.1f}&#8239;%",
            f"<span class='meter'><i class='{_style(entry, where)}' "
            f"style='width:{100 * entry['exposed_fs'] / largest:.1f}%'></i></span>",
            page.provenance(entry["provenance"]),
        ]
        for entry in entries
    ]
    heads = ["stage", "kind", "a frame", "busy", "exposed", "share", "", "provenance"]
    foot = ["total", "", "", "", page.text(time_text(total)), "100&#8239;%", "", ""]
    return page.table(heads, rows, [2, 3, 4, 5], *foot)


def _gantt(run: Run, where: dict[str, str]) -> str:
    """A few frames from the middle of the run, one track per resource."""
    spans = [span for span in run.timeline if span.duration_fs]
    starts = _job_starts(spans)
    middle = len(starts) // 2
    start = starts[middle]
    stop = starts[middle + 4] if middle + 4 < len(starts) else run.row["total_fs"]
    kinds = {entry["stage"]: entry for entry in run.row["ledger"]}
    boxes = [
        chart.Box(
            track=span.track,
            start=(max(span.start_fs, start) - start) / _FS_PER_MS,
            end=(min(span.end_fs, stop) - start) / _FS_PER_MS,
            style=_style(kinds[span.name], where),
            title=f"{span.name}: {time_text(span.duration_fs)}",
            label=span.name if kinds[span.name]["kind"] == "kernel" else "",
        )
        for span in spans
        if span.name in kinds and span.end_fs > start and span.start_fs < stop
    ]
    length = (stop - start) / _FS_PER_MS
    names = {r["name"]: r["name"].removeprefix(f"{CLIENT} ") for r in run.row["resources"]}
    return chart.tracks(_merged(boxes, length / _RESOLUTION), names, length=length, unit="ms")


def _job_starts(spans: Sequence[rw.Span]) -> list[int]:
    """When each frame's first stage begins, in the order of the frames."""
    starts: dict[str, int] = {}
    for span in spans:
        if (job := span.args.get("job", "")).isdigit():
            starts[job] = min(span.start_fs, starts.get(job, span.start_fs))
    return list(starts.values())


def _merged(boxes: Sequence[chart.Box], shortest: float) -> list[chart.Box]:
    """Boxes of a track that look the same, touch, and are too short to be seen apart, as one."""
    merged: list[chart.Box] = []
    latest: dict[str, int] = {}
    for box in sorted(boxes, key=lambda box: box.start):
        place = latest.get(box.track)
        before = merged[place] if place is not None else None
        if place is not None and before is not None and _one(before, box, shortest):
            title = before.title if before.title == box.title else "several steps"
            end = max(before.end, box.end)
            merged[place] = replace(before, end=end, title=title, label="")
        else:
            latest[box.track] = len(merged)
            merged.append(box)
    return merged


def _one(before: chart.Box, box: chart.Box, shortest: float) -> bool:
    short = min(before.end - before.start, box.end - box.start) < shortest
    return short and before.style == box.style and box.start - before.end < shortest


def _stage_resources(timeline: rw.Timeline) -> dict[str, str]:
    return {span.name: span.track for span in timeline}


def _style(entry: Row, where: dict[str, str]) -> str:
    track = where.get(entry["stage"])
    return f"{'wait' if track is None else _place(track)}-{entry['kind']}"


def _place(resource: str) -> str:
    """The side that a resource is on; units of a simulated machine are on its side."""
    return _WHERE.get(resource) or _WHERE[resource.split(maxsplit=1)[0]]


def _is_link(resource: Row) -> bool:
    return _place(resource["name"]) == "link"


def resource_of(row: Row, name: str) -> Row:
    """The row's figures of one resource."""
    return next(resource for resource in row["resources"] if resource["name"] == name)


def rate_text(value: float) -> str:
    """Frames a second in three digits, or in whole numbers from 100 on."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def time_text(femtoseconds: int) -> str:
    """A duration with a unit that suits it."""
    return duration_text(femtoseconds).replace("us", "\u00b5s")
