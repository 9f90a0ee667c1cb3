"""The report of a comparison: how long, what is waited for, how far from what the machine could do.

One self-contained page, the numbers as JSON, and a Perfetto trace for each machine. Every number
carries its provenance.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import ringwright as rw
from ringwright.batches import BreakEven
from ringwright.errors import ParameterError
from ringwright.ledger import duration_range_text, duration_text
from ringwright.origin import Origin
from ringwright.quantity import BYTES, SECONDS, scaled, significant
from ringwright.report import chart, page, picture, roofs
from ringwright.report.files import write_together

__all__ = ["FILES", "report", "save"]

#: Beside one `MACHINE.perfetto-trace` for each machine.
FILES = ("report.html", "results.json")
#: Classes of colour, and whose time each stands for.
_STYLES = {
    "server-kernel": "kernel",
    "server-tax": "tax",
    "client-tax": "host",
    "link-tax": "link",
    "wait-tax": "waiting",
}
#: Share of the total from which a part of the strip has room for its name.
_LABELLED = 0.1
#: Steps that can be seen apart.
_APART = 120
#: Lines of a program that a table shows.
_LINES = 8
_NOTES = """
<p>A simulated machine's time is composed from its cycle model: it depends on no value. On this
computer the program ran several times on encrypted random numbers, and the quickest run counts.
Neither holds what a client does. Busy is how long a unit worked; waited for is how much of the
end-to-end time belongs to it, and those add up to it exactly.</p>
<p>Products are modular multiplications in the machine's words, one for each butterfly; a word may
hold residues of several towers. The bound of a machine is the work of the busiest unit of each
stretch of operations that are done together, which no order of the same steps undercuts.</p>
"""


def save(title: str, compared: Sequence[rw.Compared], origin: Origin, out: Path) -> list[Path]:
    """Writes page, numbers and traces into a folder: all of them, or none.

    Raises `ParameterError` where two machines have one name, and `StorageError`.
    """
    names = [each.machine for each in compared]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"two machines called {twice}: allowed are different names")
    results = {"origin": origin.to_dict(), "machines": [each.to_dict() for each in compared]}
    contents = {
        "report.html": report(title, compared, origin).encode(),
        "results.json": (json.dumps(results, indent=2, allow_nan=False) + "\n").encode(),
    }
    traces = {f"{each.machine}.perfetto-trace": each.timeline.to_bytes() for each in compared}
    return write_together(out, contents | traces)


def report(title: str, compared: Sequence[rw.Compared], origin: Origin) -> str:
    """The page. `title`: program and parameters."""
    body = [_header(title, compared), _table(compared), _roofs(compared)]
    body += [_machine(each) for each in compared]
    body += [_batches(each.break_even) for each in compared if each.break_even]
    body += [_conditions(compared, origin), _footer(origin)]
    return page.page(f"{title}: compared", body)


def _header(title: str, compared: Sequence[rw.Compared]) -> str:
    first, *_ = compared
    quickest = min(compared, key=lambda each: each.time_fs)
    said = f"{title}: {_time(quickest.time_fs)} on {quickest.machine}"
    if quickest is not first and quickest.time_fs:
        gain = significant(first.time_fs / quickest.time_fs)
        said += f", {gain} times as fast as on {first.machine}"
    return (
        "<header><div class='eyebrow'>Ringwright &#183; one program, several machines</div>"
        f"<h1>{page.text(said)}</h1>"
        f"<p class='summary'>{page.text(_sentence(quickest))}</p></header>"
    )


def _sentence(each: rw.Compared) -> str:
    """What holds a machine up, and of its roofs where it has any."""
    said = f"There, {each.bottleneck}."
    return said if each.roofline.skipped else f"{said} The program is {each.roofline.words}."


def _table(compared: Sequence[rw.Compared]) -> str:
    first = compared[0].time_fs
    rows = [
        [
            page.text(each.machine),
            page.text(_time(each.time_fs)),
            significant(first / each.time_fs) if each.time_fs else "",
            "" if each.cycles is None else f"{each.cycles:,}",
            "" if each.above_bound is None else f"{each.above_bound:.1%}",
            "" if each.bytes_moved is None else _size(each.bytes_moved),
            page.text(_time(each.ledger.kernel_fs)),
            page.text(_time(each.ledger.tax_fs)),
            f"<code>{page.text(each.costliest_line or '')}</code>",
            page.provenance(*each.ledger.provenances),
        ]
        for each in compared
    ]
    heads = ["machine", "time", f"x {compared[0].machine}", "cycles", "above bound", "moved"]
    heads += ["kernels", "tax", "costliest line", "provenance"]
    lead = "End-to-end time, and how much of it is kernels; everything else is tax."
    return page.section("How long", lead, page.table(heads, rows, [1, 2, 3, 4, 5, 6, 7]))


def _roofs(compared: Sequence[rw.Compared]) -> str:
    placed = [each for each in compared if not each.roofline.skipped]
    points = [
        roofs.Point(
            each.machine,
            each.roofline.intensity,
            each.roofline.attained,
            each.roofline.products_per_second,
            each.roofline.bytes_per_second,
        )
        for each in placed
    ]
    rows = [(each.machine, page.text(each.roofline.words)) for each in compared]
    words = "".join(
        f"<p class='notes'><b>{page.text(name)}</b>: {said}.</p>" for name, said in rows
    )
    lead = (
        "The level is what all multipliers make, the slope what memory can feed. A point lies on "
        "or below them; what is between it and the roof is not used."
    )
    drawn = roofs.roofs(points) if points else ""
    return page.section("Under the roofs", lead, drawn, words)


def _machine(each: rw.Compared) -> str:
    """Where the time of one machine went."""
    lead = f"{page.text(each.bottleneck[0].upper() + each.bottleneck[1:])}."
    trace = page.text(f"{each.machine}.perfetto-trace")
    used = dict.fromkeys(_style(entry, each) for entry in each.ledger)
    return page.section(
        each.machine,
        lead,
        _strip(each),
        picture.legend({name: style for style, name in _STYLES.items() if style in used}),
        _timeline(each),
        f"<p class='notes'>Every step by itself: <code>{trace}</code>, in ui.perfetto.dev. "
        "Where there are too many, the height is the share of the time in which a unit works.</p>",
        _ledger(each),
        _lines(each),
    )


def _strip(each: rw.Compared) -> str:
    total = each.time_fs or 1
    parts = (
        f"<div class='{_style(entry, each)}' style='flex:{entry.exposed_fs / total:.6f}' "
        f"title='{page.text(entry.stage)}: {page.text(_time(entry.exposed_fs))}'>"
        f"{page.text(entry.stage) if entry.exposed_fs > _LABELLED * total else ''}</div>"
        for entry in each.ledger
        if entry.exposed_fs
    )
    return f"<div class='strip'>{''.join(parts)}</div>"


def _style(entry: rw.Entry, each: rw.Compared) -> str:
    """The class of colour of an entry, a key of `_STYLES`."""
    if entry.waits:
        return "wait-tax"
    kinds = {resource.name: resource.kind for resource in each.schedule.resources}
    if kinds[entry.resource] == "link":
        return "link-tax"
    if entry.kind == "tax" and kinds[entry.resource] == "host":
        return "client-tax"
    return f"server-{entry.kind}"


def _timeline(each: rw.Compared) -> str:
    """One track per unit; many steps as the share of the time in which the unit works."""
    amount, unit = scaled(each.time_fs, SECONDS)
    if not each.time_fs:
        return ""
    one = each.time_fs / float(amount.replace(",", ""))
    styles = {entry.stage: _style(entry, each) for entry in each.ledger}
    spans = [span for span in each.timeline if span.duration_fs]
    inner = [span for span in spans if span.name not in styles and not _is_held(span)]
    boxes = [
        chart.Box(
            span.track,
            span.start_fs / one,
            span.end_fs / one,
            styles.get(span.name, "server-kernel"),
            f"{span.name}: {_time(span.duration_fs)}",
        )
        for span in inner or spans
        if not _is_held(span)
    ]
    length = each.time_fs / one
    tracks = dict.fromkeys(span.track for span in each.timeline)
    names = {track: _unit(track, each) for track in tracks}
    drawn = boxes if len(boxes) <= _APART else chart.binned(boxes, length)
    return chart.tracks(drawn, names, length=length, unit=unit.replace("us", "\u00b5s"))


def _is_held(span: rw.Span) -> bool:
    """Not at work: another unit works, for which it is kept."""
    return span.name.startswith("held: ")


def _unit(track: str, each: rw.Compared) -> str:
    kinds = {resource.name: resource.kind for resource in each.schedule.resources}
    if kinds.get(track) == "host" and each.latency:
        return "host"
    return track.removeprefix(f"{each.machine} ")


def _ledger(each: rw.Compared) -> str:
    total = each.time_fs or 1
    rows = [
        [
            f"<i class='swatch {_style(entry, each)}'></i>{page.text(entry.stage)}",
            page.text(entry.kind),
            page.text(_unit(entry.resource, each)),
            page.text(_time(entry.busy_fs)),
            page.text(_time(entry.exposed_fs)),
            f"{entry.exposed_fs / total:.1%}",
            page.provenance(entry.provenance),
        ]
        for entry in each.ledger
    ]
    heads = ["stage", "kind", "unit", "busy", "waited for", "share", "provenance"]
    foot = ["total", "", "", "", page.text(_time(each.time_fs)), "100%", ""]
    return page.table(heads, rows, [3, 4, 5], *foot)


def _lines(each: rw.Compared) -> str:
    """The user's lines that take longest."""
    whole = sum(each.line_fs.values())
    if not whole:
        return ""
    rows = [
        [
            f"<code>{page.text(line)}</code>",
            page.text(_time(time_fs)),
            f"{time_fs / whole:.1%}",
            "<span class='meter'><i class='server-kernel' "
            f"style='width:{100 * time_fs / max(each.line_fs.values()):.1f}%'></i></span>",
        ]
        for line, time_fs in list(each.line_fs.items())[:_LINES]
    ]
    heads = ["line of the program", "time on the device", "share", ""]
    return "<h3>Which line takes it</h3>" + page.table(heads, rows, [1, 2])


def _batches(found: BreakEven) -> str:
    title = f"Batches on {found.machine} behind {found.link}"
    if found.skipped:
        return page.section(title, f"{page.text(found.words)}.")
    rows = [
        [
            f"{row.count:,}",
            page.text(_range(*row.offload_each_fs)),
            page.text(_range(*row.elsewhere_each_fs)),
            page.text(" to ".join(dict.fromkeys(significant(ratio) for ratio in row.ratio))),
        ]
        for row in found.rows
    ]
    there = found.elsewhere.machine
    heads = ["runs", f"over {found.link}, each", f"on {there}, each", "times as fast"]
    lead = (
        f"Worth it: {page.text(found.words)}. Keys, {_size(found.keys_bytes)}, cross once and take "
        f"{page.text(_time(found.keys_fs))}; they are in the times. A run takes the link "
        f"{page.text(_time(found.link_fs))} for {_size(found.operand_bytes + found.result_bytes)} "
        f"and the device {page.text(_time(found.device_fs))}; {found.in_flight} are under way at "
        f"once. The range on {page.text(there)} is its quickest and slowest run. "
        + page.provenance("modelled", "measured")
    )
    return page.section(title, lead, page.table(heads, rows, [0, 1, 2, 3]))


def _conditions(compared: Sequence[rw.Compared], origin: Origin) -> str:
    clocks = [
        (f"clock of {each.machine}", page.text(each.roofline.clock_provenance))
        for each in compared
        if each.roofline.clock_provenance
    ]
    runs = [
        (f"runs on {each.machine}", page.text(", ".join(_time(fs) for fs in each.runs_fs)))
        for each in compared
        if each.runs_fs
    ]
    facts = [
        ("measured on", page.text(f"{origin.processor}, {origin.cores} cores")),
        ("vector instructions", page.text(origin.vector_instructions)),
        *clocks,
        *runs,
    ]
    notes = f"<div class='notes'>{_NOTES}</div>"
    return page.section("Conditions", "How to read it.", page.facts(facts), notes)


def _footer(origin: Origin) -> str:
    command = f"<br><code>{page.text(origin.command)}</code>" if origin.command else ""
    return f"<footer>{page.text(origin)}{command}</footer>"


def _time(femtoseconds: int) -> str:
    return duration_text(femtoseconds).replace("us", "\u00b5s")


def _range(low_fs: int, high_fs: int) -> str:
    return duration_range_text(low_fs, high_fs).replace("us", "\u00b5s")


def _size(byte_count: int) -> str:
    return "\u202f".join(scaled(byte_count, BYTES))
