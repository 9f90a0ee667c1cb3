"""The part of the camera's report that is about time: throughput, ledger, frames in flight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import ringwright as rw
from ringwright.camera.host_range import constants_text, hosts_text
from ringwright.camera.run import Row, Run
from ringwright.camera.stages import CLIENT, RESOURCES, UPLINK
from ringwright.ledger import duration_range_text, duration_text
from ringwright.quantity import SECONDS, scaled
from ringwright.report import chart, page, picture
from ringwright.spot_checks import checked_text

#: Classes of colour, and whose time each stands for.
KINDS_OF_TIME = {
    "client-kernel": "client, kernel",
    "client-tax": "client, tax",
    "link-tax": "link",
    "server-kernel": "server, kernel",
    "server-tax": "server, tax",
    "wait-tax": "waiting",
}
_FS_PER_MS = 10**12
_FS_PER_S = 10**15
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
            style=colour_of(resource),
            caption=f"{rate_text(resource['fps'])} frames/s, {' + '.join(resource['provenance'])}",
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
    lead += "".join(
        f" {page.text(text)}"
        for text in [*range_texts(row), *unbuilt_texts(row), *values_texts(row)]
    )
    if row["clocks"]:
        lead += f" {page.text('Clocks: ' + ', '.join(clock_texts(row)))}."
    ceiling = resource_of(row, UPLINK)["fps"]
    plot = chart.bars(rows, axis="frames a second", ceiling=ceiling, words="the uplink's ceiling")
    return page.section("Frames a second against the link", lead, plot)


def where_time_went(run: Run) -> str:
    """Ledger as a strip and a table, and a few frames on the resources."""
    row = run.row
    total = row["total_fs"]
    where = sides_of(run)
    entries = row["ledger"]
    strip = "".join(
        f"<div class='{style_of(entry, where)}' style='flex:{entry['exposed_fs'] / total:.6f}' "
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
        picture.legend({name: style for style, name in KINDS_OF_TIME.items()}),
        _ledger_table(row, where),
        "<h3>Frames in flight</h3>",
        f"<p class='lead'>Four frames from the middle of the run; at most {row['in_flight']} under "
        "way at once.</p>",
        _gantt(run, where),
    )


def _ledger_table(row: Row, where: dict[str, str]) -> str:
    entries, total = row["ledger"], row["total_fs"]
    largest = max(entry["exposed_fs"] for entry in entries) or 1
    rows = [
        [
            f"<i class='swatch {style_of(entry, where)}'></i>{page.text(entry['stage'])}",
            page.text(entry["kind"]),
            "once"
            if entry["stage"] in row["once"]
            else page.text(time_text(entry["busy_fs"] // row["frames"])),
            page.text(time_text(entry["busy_fs"]) + _busy_range(entry)),
            page.text(time_text(entry["exposed_fs"])),
            f"{100 * entry['exposed_fs'] / total:.1f}&#8239;%",
            f"<span class='meter'><i class='{style_of(entry, where)}' "
            f"style='width:{100 * entry['exposed_fs'] / largest:.1f}%'></i></span>",
            page.provenance(entry["provenance"]),
        ]
        for entry in entries
    ]
    heads = ["stage", "kind", "a frame", "busy", "exposed", "share", "", "provenance"]
    foot = ["total", "", "", "", page.text(time_text(total)), "100&#8239;%", "", ""]
    return page.table(heads, rows, [2, 3, 4, 5], *foot)


def _busy_range(entry: Row) -> str:
    """Between which times the truth lies, where a host's costs leave it open."""
    if "busy_range_fs" not in entry:
        return ""
    return f" ({duration_range_text(*entry['busy_range_fs'])})".replace("us", "\u00b5s")


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
            style=style_of(kinds[span.name], where),
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


def sides_of(run: Run) -> dict[str, str]:
    """Link, client or server, for each resource of a run."""
    return {
        name: _side({"name": name, "kind": resource.kind, "part_of": resource.part_of})
        for name, resource in run.resources.items()
    }


def style_of(entry: Row, where: dict[str, str]) -> str:
    """The class of colour of a ledger's entry, a key of `KINDS_OF_TIME`."""
    return f"{'wait' if entry['waits'] else where[entry['resource']]}-{entry['kind']}"


def colour_of(resource: Row) -> str:
    """The class of colour of a resource at work."""
    return f"{_side(resource)}-{'tax' if resource['kind'] == 'link' else 'kernel'}"


def _side(resource: Row) -> str:
    """Link, client or server: units of a simulated machine are on its side."""
    return "link" if resource["kind"] == "link" else resource["part_of"] or resource["name"]


def range_texts(row: Row) -> list[str]:
    """What the host's costs leave open, as sentences; none where every time is certain."""
    found = row["range"]
    if found is None:
        return []
    low, high = map(rate_text, found["fps"])
    return [
        f"{low} to {high} frames/s, latency {latency_range_text(row)}: with every cost of host "
        f"{hosts_text(found)} at its most and at its least (cycles: {constants_text(found)}). The "
        "published totals tie these costs together, so the truth lies inside."
    ]


def latency_text(row: Row) -> tuple[str, str]:
    """The latency's number and unit."""
    value, unit = scaled(row["latency_s"] * _FS_PER_S, SECONDS)
    return value, unit.replace("us", "\u00b5s")


def latency_range_text(row: Row) -> str:
    """Between which ends the costs of the host leave the latency."""
    low, high = (round(time * _FS_PER_S) for time in row["range"]["latency_s"])
    return duration_range_text(low, high).replace("us", "\u00b5s")


def values_texts(row: Row) -> list[str]:
    """Whose values a simulated server's are, and what was checked of them."""
    found = row["checks"]
    return [f"values are {checked_text(found, row['server'])}."] if found else []


def unbuilt_texts(row: Row) -> list[str]:
    """What no RTL does as it is timed, as sentences."""
    return [
        f"{each['what']}: {time_text(each['fs_per_frame'])} a frame by the machine's description, "
        f"which no RTL keeps; through the port of the RTL, a beat a cycle, "
        f"{time_text(each['through_rtl_fs_per_frame'])}."
        for each in row["unbuilt"]
    ]


def clock_texts(row: Row) -> list[str]:
    """The clocks that cycles were multiplied by, and whose they are."""
    return [
        f"{each['machine']} at {1e6 / each['clock_fs']:.3g} GHz ({each['clock_provenance']})"
        for each in row["clocks"]
    ]


def resource_of(row: Row, name: str) -> Row:
    """The row's figures of one resource."""
    return next(resource for resource in row["resources"] if resource["name"] == name)


def rate_text(value: float) -> str:
    """Frames a second in three digits, or in whole numbers from 100 on."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def time_text(femtoseconds: int) -> str:
    """A duration with a unit that suits it."""
    return duration_text(femtoseconds).replace("us", "\u00b5s")
