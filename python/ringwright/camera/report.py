"""The camera's report: what it saw, what came back, where the time went.

One self-contained page from the rows of results.json, a few frames and the timeline. Every number
carries its provenance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import ringwright as rw
from ringwright.camera.packing import TilePacking
from ringwright.camera.report_time import (
    rate_text,
    resource_of,
    throughput,
    time_text,
    where_time_went,
)
from ringwright.camera.run import Row, Run
from ringwright.camera.shots import Shot
from ringwright.camera.stages import EVALUATE, UPLINK
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


def report(title: str, conditions: dict[str, str], runs: Sequence[Run]) -> str:
    """The page. `conditions`: what all runs share (video, resolution, ..), as text."""
    body = [_header(title, runs)]
    if len(runs) > 1:
        body.append(_comparison(runs))
    for run in runs:
        if len(runs) > 1:
            body.append(f"<div class='machine'>{page.text(run.row['name'])}</div>")
        body += [_figures(run.row), _pictures(run), *_motion(run.row), throughput(run.row)]
        body += [where_time_went(run), _program(run.row), _conditions(run.row, conditions)]
    body.append(_footer())
    return page.page(f"{title}: private camera", body)


def _header(title: str, runs: Sequence[Run]) -> str:
    row = runs[0].row
    answers = row["answers"]
    good = all(run.correct for run in runs)
    verdict = (
        f"<span class='verdict {'good' if good else 'bad'}'>"
        f"{'Every answer is correct' if good else 'WRONG answers'}</span>"
    )
    detail = (
        f"{answers['compared']:,} decrypted values agree with the plain circuit within the "
        f"predicted noise: the largest error is {_power(answers['largest_error'])}, "
        f"{_power(answers['allowed_error'])} is allowed."
        if good
        else "Decrypted values differ from the plain circuit by more than the predicted noise; "
        "nothing below should be relied on."
    )
    return (
        f"<header><div class='eyebrow'>Ringwright &#183; private camera</div>"
        f"<h1>{page.text(_headline(row))}</h1><p class='summary'>{verdict}. {detail}</p></header>"
    )


def _headline(row: Row) -> str:
    link = resource_of(row, UPLINK)["fps"]
    subject = {
        "motion": "Motion found in encrypted video",
        "alarm": "Motion found in encrypted video, by an encrypted threshold",
        "blur": "Encrypted video blurred",
        "none": "Encrypted video stored and returned",
    }[row["compute"]]
    speed = f"{subject} at {rate_text(row['fps'])} frames a second"
    if row["slowest"] == UPLINK:
        return f"{speed}, as fast as the link carries it"
    return f"{speed}; the link would carry {rate_text(link)}"


def _figures(row: Row) -> str:
    source = row["provenance"]
    size = row["bytes"]["uplink_per_frame"]
    bits = row["security_bits"]
    parameters = row["parameters"]
    limit = f"log QP {parameters['log_qp']:.0f} of {parameters['log_qp_limit']}"
    return page.figures(
        page.figure(
            "Throughput",
            rate_text(row["fps"]),
            "frames/s",
            f"set by the {row['slowest']}",
            *source["fps"],
        ),
        page.figure(
            "Latency",
            f"{row['latency_s'] * 1e3:.3g}",
            "ms",
            "capture to answer",
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
            *_bytes(size),
            f"in {row['ciphertexts_per_frame']} ciphertexts",
            "measured",
        ),
        page.figure("Security", str(bits or "none"), "bits" if bits else "", limit, "published"),
    )


def _comparison(runs: Sequence[Run]) -> str:
    rows = [
        [
            page.text(run.row["name"]),
            page.number(rate_text(run.row["fps"]), "/s", *run.row["provenance"]["fps"]),
            page.number(
                f"{run.row['latency_s'] * 1e3:.3g}", "ms", *run.row["provenance"]["latency_s"]
            ),
            f"{run.row['tax_share']:.0%}",
            _energy(run.row),
            page.number(f"{run.row['psnr_db']:.1f}", "dB", "measured"),
            page.text(run.row["answers"]["verdict"]),
        ]
        for run in runs
    ]
    heads = ["client", "throughput", "latency", "tax", "energy", "PSNR", "answers"]
    return page.section("Machines", "One row for each client.", page.table(heads, rows, []))


def _energy(row: Row) -> str:
    joules = row["energy"]["joules_per_frame"]
    if joules is None:
        return ""
    # Watts; the time that they are multiplied with has its provenance beside the latency.
    return page.number(f"{joules * 1e3:.3g}", "mJ", "published")


def _pictures(run: Run) -> str:
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


def _conditions(row: Row, shared: dict[str, str]) -> str:
    parameters, size, computer = row["parameters"], row["bytes"], row["measured_on"]
    groups = (parameters["primes"], parameters["special_primes"])
    primes = " + ".join(f"{len(bits)}&#215;{bits[0]}" for bits in groups if bits)
    ring = f"{page.text(parameters['name'])}: N&#8239;=&#8239;{parameters['n']}, {primes} bits"
    rows = [
        *((name, page.text(value)) for name, value in shared.items()),
        ("measured on", page.text(f"{computer['processor']}, {computer['cores']} cores")),
        ("vector instructions", page.text(computer["vector_instructions"])),
        ("client", page.text(row["name"])),
        *_simulated(row),
        ("server", page.text(row["server"])),
        ("parameters", ring),
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
    ]


def _footer() -> str:
    return f"<footer>Ringwright {page.text(rw.__version__)}</footer>"


def _bytes(size: int) -> tuple[str, str]:
    return (f"{size / 1e6:.3g}", "MB") if size >= 10**6 else (f"{size / 1e3:.3g}", "kB")


def _power(value: float) -> str:
    """A small number as mantissa and power of ten."""
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}&#8239;&#215;&#8239;10<sup>{int(exponent)}</sup>"
