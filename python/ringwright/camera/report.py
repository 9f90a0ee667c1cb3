"""The camera's report: what it saw, what came back, where the time went.

One self-contained page from the rows of results.json, a few frames and the timeline. Every number
carries its provenance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ringwright.camera.packing import TilePacking
from ringwright.camera.report_comparison import comparison, rate_range_text
from ringwright.camera.report_time import (
    latency_range_text,
    latency_text,
    rate_text,
    resource_of,
    throughput,
    time_text,
    where_time_went,
)
from ringwright.camera.run import Row, Run
from ringwright.camera.shots import Shot
from ringwright.camera.stages import EVALUATE, UPLINK
from ringwright.origin import Origin
from ringwright.quantity import BYTES, scaled
from ringwright.report import chart, page, png

_NOTES = """
<p>Throughput is that of the slowest resource in the steady state; latency is the median of frames
that wait for no other. Set-up and the first frame are left out of both and are in the total. Client
and server are separate machines in the schedule; what is measured ran on this computer, one
after the other, with all of it to itself. Transfers are modelled from the real number of bytes.</p>
<p>A simulated client computes the values that are sent; its time is the machine's cycles and what
its host takes for what it leaves to that. What no host description knows is in no time, and named
below. Energy, where it stands, is the watts that a paper prints for processor and accelerator times
our time of the conversions.</p>
<p>PSNR is computed from decrypted values before they are rounded to 8 bits, for a peak of 1; the
mean square error is clamped below by the square of the float64 epsilon. Decrypting the stored
frames for this check is no part of the pipeline.</p>
"""
_IND_CPA = (
    "CKKS is IND-CPA secure: decrypted values stay with the key holder, and so does this report, "
    "which shows some."
)


def report(title: str, conditions: dict[str, str], runs: Sequence[Run], origin: Origin) -> str:
    """The page. `conditions`: what all runs share (video, resolution, ..), as text."""
    rows = [run.row for run in runs]
    body = [_header(rows)]
    if len(runs) > 1:
        body.append(comparison(runs))
    else:
        body.append(_figures(rows[0]))
    body += [_pictures(runs[0], len(runs) > 1), *_motion(rows[0])]
    if len(runs) > 1:
        body += [_client(run) for run in runs]
    else:
        body += [throughput(rows[0]), where_time_went(runs[0])]
    body += [_program(rows[0]), _conditions(rows, conditions, origin), _footer(origin)]
    return page.page(f"{title}: private camera", body)


def _client(run: Run) -> str:
    """One of several clients: what its page would show, folded."""
    row = run.row
    said = f"{row['name']}: {rate_text(row['fps'])} frames/s, {' '.join(latency_text(row))}"
    return (
        f"<details><summary>{page.text(said)}</summary>{_figures(row)}{throughput(row)}"
        f"{where_time_went(run)}</details>"
    )


def _header(rows: Sequence[Row]) -> str:
    answers = [row["answers"] for row in rows]
    good = all(each["verdict"] == "correct" for each in answers)
    verdict = (
        f"<span class='verdict {'good' if good else 'bad'}'>"
        f"{'Every answer is correct' if good else 'WRONG answers'}</span>"
    )
    detail = (
        f"{sum(each['compared'] for each in answers):,} decrypted values agree with the plain "
        "circuit within the predicted noise: the largest error is "
        f"{_power(max(each['largest_error'] for each in answers))}, "
        f"{_power(min(each['allowed_error'] for each in answers))} is allowed."
        if good
        else "Decrypted values differ from the plain circuit by more than the predicted noise; "
        "nothing below should be relied on."
    )
    return (
        f"<header><div class='eyebrow'>Ringwright &#183; private camera</div>"
        f"<h1>{page.text(_headline(rows))}</h1><p class='summary'>{verdict}. {detail}</p></header>"
    )


def _headline(rows: Sequence[Row]) -> str:
    row = rows[0]
    subject = {
        "motion": "Motion found in encrypted video",
        "alarm": "Motion found in encrypted video, by an encrypted threshold",
        "blur": "Encrypted video blurred",
        "none": "Encrypted video stored and returned",
    }[row["compute"]]
    if len(rows) > 1:
        low, high = (rate_text(end(each["fps"] for each in rows)) for end in (min, max))
        return f"{subject}: {len(rows)}\u00a0clients, {low} to {high} frames a second"
    speed = f"{subject} at {rate_text(row['fps'])} frames a second"
    if row["slowest"] == UPLINK:
        return f"{speed}, as fast as the link carries it"
    return f"{speed}; the link would carry {rate_text(resource_of(row, UPLINK)['fps'])}"


def _figures(row: Row) -> str:
    source = row["provenance"]
    size = row["bytes"]["uplink_per_frame"]
    bits = row["security_bits"]
    level = "unknown" if bits is None else str(bits or "none")
    parameters = row["parameters"]
    limit = f"log QP {parameters['log_qp']:.0f} of {parameters['log_qp_limit']}"
    return page.figures(
        page.figure(
            "Throughput",
            rate_text(row["fps"]),
            "frames/s",
            _joined(f"set by the {row['slowest']}", rate_range_text(row)),
            *source["fps"],
        ),
        page.figure(
            "Latency",
            *latency_text(row),
            _joined("capture to answer", latency_range_text(row) if row["range"] else ""),
            *source["latency_s"],
        ),
        page.figure(
            "Picture quality",
            f"{row['psnr_db']:.1f}",
            "dB",
            "PSNR after decryption",
            *source["psnr_db"],
        ),
        page.figure(
            "Sent for a frame",
            *scaled(size, BYTES),
            f"in {row['ciphertexts_per_frame']} ciphertexts",
            "measured",
        ),
        page.figure("Security", level, "bits" if bits else "", limit, "published"),
    )


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _pictures(run: Run, several: bool) -> str:
    blur = run.row["compute"] == "blur"
    back = "Blurred, then decrypted" if blur else "Decrypted by the key holder"
    heads = [
        "<div class='head'>The camera's frame</div>",
        "<div class='head'>What the server sees</div>",
        f"<div class='head'>{back}</div>",
    ]
    cells = [cell for shot in run.shots for cell in _shot(shot, run.row)]
    lead = "The first bytes of each uploaded ciphertext stand in the middle, one byte a pixel."
    if "motion" in run.row:
        lead += " On the right, tiles whose energy passes the threshold are marked."
    if several:
        lead += f" The client is {page.text(run.row['name'])}; the others saw the same frames."
    grid = f"<div class='shots'>{''.join(heads)}{''.join(cells)}</div>"
    return page.section("What it saw, and what came back", lead, grid)


def _shot(shot: Shot, row: Row) -> list[str]:
    original, stored = png.to_8_bits(shot.original), png.to_8_bits(shot.stored)
    answer = shot.answer
    returned = stored
    caption = f"<b>PSNR {shot.psnr_db:.1f}&#8239;dB</b>"
    overlay = ""
    if answer is not None and answer.score is not None:
        overlay = _tiles(answer.moving, shot.original.shape)
        caption += f" &#183; motion score {answer.score:.0%}{', alarm' if answer.alarm else ''}"
    elif answer is not None and row["compute"] == "blur":
        returned = png.to_8_bits(answer.result)
        caption += " before the blur"
    elif answer is None:
        caption += " &#183; no score: the first frame has none before it"
    return [
        _picture(original, f"Frame {shot.index}"),
        _picture(_noise(shot), "Ciphertext", style="noise"),
        _picture(returned, caption, overlay),
    ]


def _picture(grey: Any, caption: str, overlay: str = "", style: str = "") -> str:
    return (
        f"<figure><div class='picture'><img class='{style}' alt='' src='{png.data_uri(grey)}'>"
        f"{overlay}</div><figcaption>{caption}</figcaption></figure>"
    )


def _noise(shot: Shot) -> Any:
    """The head of the wire record as pixels, in the proportions of the frame."""
    height, width = shot.original.shape
    data = np.frombuffer(shot.wire, dtype=np.uint8)
    shown = min(160, width, int((len(data) * width / height) ** 0.5))
    rows = max(1, min(round(shown * height / width), len(data) // shown))
    return data[: rows * shown].reshape(rows, shown)


def _tiles(moving: Any, shape: tuple[int, ...]) -> str:
    """The moving tiles as squares over a picture of this shape."""
    side = TilePacking.side
    squares = "".join(
        f"<rect class='tile' x='{side * x}' y='{side * y}' width='{side}' height='{side}'/>"
        for y, x in zip(*np.nonzero(moving), strict=True)
    )
    return f"<svg viewBox='0 0 {shape[1]} {shape[0]}'>{squares}</svg>"


def _motion(row: Row) -> list[str]:
    if "motion" not in row:
        return []
    thresholds, frames = row["motion"]["thresholds"], row["motion"]["frames"]
    alarms = sum(frame["alarm"] for frame in frames)
    plot = chart.columns(
        [
            chart.Column(f["frame"], 100 * f["score"], "alarm" if f["alarm"] else "calm")
            for f in frames
        ],
        100 * thresholds["score"],
        unit="%",
        across="tiles that move, by frame",
    )
    lead = (
        f"The server squares the difference of two encrypted frames and sums it over tiles of "
        f"16&#215;16 pixels. {_compared(row)} {thresholds['tile_energy']:g}. "
        f"{alarms} of {len(frames)} frames raise the alarm."
    )
    return [page.section("Motion score", lead, plot)]


def _compared(row: Row) -> str:
    if row["compute"] == "alarm":
        return (
            "It subtracts a threshold that it holds encrypted; the edge decrypts one difference a "
            "tile and looks at its sign. The threshold is"
        )
    return "The edge decrypts one energy a tile; a tile moves above"


def _program(row: Row) -> str:
    if not row["operations"]:
        return ""
    evaluate_fs = sum(entry["busy_fs"] for entry in row["ledger"] if entry["stage"] == EVALUATE)
    rows = [
        [
            f"<code>{page.text(operation['line'] or '')}</code>",
            f"<code>{page.text(operation['op'])}</code>",
            str(operation["level"]),
            f"2<sup>{operation['scale_bits']:.1f}</sup>",
            f"2<sup>{operation['noise_bits']:.1f}</sup>",
            page.text(", ".join(operation["keys"])),
            *_time(operation, evaluate_fs),
        ]
        for operation in row["operations"]
    ]
    heads = ["line", "operation", "level", "scale", "predicted noise", "key"]
    heads += ["busy", "share", "provenance"]
    lead = "What the server runs on each ciphertext: it holds the keys named here and no other. "
    times = [each["busy_fs"] for each in row["operations"] if each["busy_fs"] is not None]
    if times:
        around = (evaluate_fs - sum(times)) / evaluate_fs
        lead += (
            f"Busy is over the whole run, the share is of {EVALUATE}; the other {around:.0%} lie "
            "around the operations, between the call and its results."
        )
    else:
        lead += "This server does not measure operations."
    return page.section("The encrypted program", lead, page.table(heads, rows, [2, 3, 4, 6, 7]))


def _time(operation: Row, evaluate_fs: int) -> list[str]:
    busy = operation["busy_fs"]
    if busy is None:
        return ["", "", ""]
    share = f"{100 * busy / evaluate_fs:.1f}&#8239;%"
    return [page.text(time_text(busy)), share, page.provenance(operation["provenance"])]


def _conditions(all_rows: Sequence[Row], shared: dict[str, str], origin: Origin) -> str:
    row = all_rows[0]
    parameters, size = row["parameters"], row["bytes"]
    groups = (parameters["primes"], parameters["special_primes"])
    primes = " + ".join(f"{len(bits)}&#215;{bits[0]}" for bits in groups if bits)
    ring = f"{page.text(parameters['name'])}: N&#8239;=&#8239;{parameters['n']}, {primes} bits"
    rows = [
        *((name, page.text(value)) for name, value in shared.items()),
        ("measured on", page.text(f"{origin.processor}, {origin.cores} cores")),
        ("vector instructions", page.text(origin.vector_instructions)),
        *(
            fact
            for each in all_rows
            for fact in [("client", page.text(each["name"])), *_simulated(each)]
        ),
        ("server", page.text(row["server"])),
        ("parameters", ring),
        ("security", page.text(row["security"])),
        ("scale", f"2<sup>{parameters['log_scale']:g}</sup>"),
        ("packing", page.text(row["packing"])),
        ("frames in flight", str(row["in_flight"])),
        ("uplink a frame", f"{size['uplink_per_frame']:,} bytes"),
        ("downlink a frame", f"{size['downlink_per_frame']:,} bytes"),
        ("evaluation keys, once", f"{size['keys']:,} bytes"),
    ]
    source = page.text(parameters["security_source"])
    notes = f"<div class='notes'>{_NOTES}<p>Security: {source}. {_IND_CPA}</p></div>"
    return page.section("Conditions", "What was run, and how to read it.", page.facts(rows), notes)


def _simulated(row: Row) -> list[tuple[str, str]]:
    if row["host"] is None:
        return []
    return [
        ("client's host", page.text(row["host"])),
        ("ciphertexts at once", str(row["batch"])),
        ("sampling beside other work", "yes" if row["sampling_overlap"] else "no"),
        ("in no time", page.text(", ".join(row["not_timed"]))),
        ("energy", page.text(row["energy"]["how"])),
        ("energy by watts", page.text(row["energy"]["published"]["how"])),
    ]


def _footer(origin: Origin) -> str:
    command = f"<br><code>{page.text(origin.command)}</code>" if origin.command else ""
    return f"<footer>{page.text(origin)}{command}</footer>"


def _power(value: float) -> str:
    """A small number as mantissa and power of ten."""
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}&#8239;&#215;&#8239;10<sup>{int(exponent)}</sup>"
