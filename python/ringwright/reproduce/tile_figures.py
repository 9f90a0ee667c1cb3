"""Figures of the RPU and TREBUCHET from ours: the paper's program, ours, and what is printed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ringwright.explore import front
from ringwright.quantity import significant
from ringwright.report.grouped import Grouped, Values, grouped, stacked
from ringwright.report.picture import Picture
from ringwright.report.scatter import Point, Scatter, scatter
from ringwright.reproduce import tile, tile_studies
from ringwright.reproduce.claims import Claim, claims_of
from ringwright.reproduce.studies import compute
from ringwright.reproduce.tile import BANKS_MHZ, BASES, DEGREES, HPLES, LARGEST, sized
from ringwright.silicon import Cost, cost_of

_PROGRAMS = {
    "naive": "the paper's program, naive",
    "scheduled": "the paper's program, scheduled",
    "compiled": "ours, compiled",
}
#: Programs have one colour in every figure; other series take the rest in turn.
_COLOURS = dict(zip(_PROGRAMS.values(), ("wait-tax", "client-tax", "server-kernel"), strict=True))
_OTHERS = ("wait-tax", "client-tax", "server-kernel", "client-kernel")
_POINTWISE = "ours, word by word"
#: Units of figure 6, with their colours.
_UNITS = {
    "law": "server-kernel",
    "vrf": "server-tax",
    "vdm": "client-tax",
    "vbar": "link-tax",
    "sbar": "client-kernel",
}
_NAMES = {"ii": "initiation interval"}
_LATENCIES = {"compute_latency": (5, 10, 20), "ii": (1, 2, 3, 4)}
#: Claims of the area and the time of the paper's (128, 128).
_LARGE = ("rpu.figure-5-6.area", "rpu.text.ntt64k.published-ports")
_CROSSBARS = {"shuffle_latency": (4, 7, 10), "load_store_latency": (4, 6, 8, 10)}


def _over_area(program: str) -> Picture:
    """Figure 4: time of the 64K transform over the area, by HPLEs and banks; the front joined."""
    points = [
        Point(
            f"({hples}, {banks})",
            f"{banks} banks",
            _mm2(hples, banks),
            1e6 * tile.seconds(program, LARGEST, BASES["free"], sized(hples, banks)),
        )
        for hples in HPLES
        for banks in BANKS_MHZ
    ]
    rows = [{"area_mm2": p.across, "time_us": p.up, "point": p} for p in points]
    best = [row["point"] for row in front(rows, ["area", "time"])]
    series = dict(zip((f"{banks} banks" for banks in BANKS_MHZ), _OTHERS, strict=True))
    claimed = {claim.id: claim.published or 0.0 for claim in claims_of("rpu")}
    area, time = (claimed[name] for name in _LARGE)
    published = (Point("(128, 128)", "", area, time),) if program == "scheduled" else ()
    axes = ("mm2, two ports a bank", "us, free register ports")
    return scatter(Scatter(points, series, best, axes, published))


def _per_area(program: str) -> Picture:
    """Figure 5: transforms a second and square millimetre."""
    groups, series = tuple(f"{h} HPLEs" for h in HPLES), tuple(f"{b} banks" for b in BANKS_MHZ)
    values = {
        (f"{hples} HPLEs", f"{banks} banks"): 1
        / tile.seconds(program, LARGEST, BASES["free"], sized(hples, banks))
        / _mm2(hples, banks)
        for hples in HPLES
        for banks in BANKS_MHZ
    }
    return _drawn(groups, series, values, "transforms/s/mm2, two ports a bank")


def _area_over(sizes: dict[str, tuple[int, int]], rest: str) -> Picture:
    """Figures 6a and 6b: what the area consists of; `rest`: what is the same everywhere."""
    costs = {label: _area(*size) for label, size in sizes.items()}
    values = {
        (label, unit.upper()): cost.units[unit].value.expected
        for label, cost in costs.items()
        for unit in _UNITS
    }
    axis = f"mm2, {rest}, two ports a bank"
    return _drawn(tuple(sizes), tuple(map(str.upper, _UNITS)), values, axis, log=True)


def _energy() -> Picture:
    """Figure 6c: what the energy of a transform consists of, ours and as printed."""
    rows = {}
    # In another order the paper's program takes the same.
    for program in ("scheduled", "compiled"):
        made = tile.timed(program, LARGEST, BASES["published"])
        energy = cost_of(tile.tile(BASES["published"])).of_program(made)
        total = energy.total.value.expected
        named = {unit: energy.share(unit) for unit in _UNITS}
        label = f"{_PROGRAMS[program]}, {significant(total)} uJ"
        rows[label] = _shares(named) | {"rest": 1 - sum(named.values())}
    printed = {
        claim.ours.get("unit", ""): claim.published or 0.0
        for claim in claims_of("rpu")
        if claim.ours.get("study") == "transform_energy"
    }
    total = printed.pop("")
    rows[f"published, {total} uJ"] = _shares(printed)
    return stacked(rows, _shares(_UNITS) | {"rest": "calm"})


def _shares(by_unit: dict[str, Any]) -> dict[str, Any]:
    """Units as the paper writes them."""
    return {unit.upper(): by_unit[unit] for unit in _UNITS}


def _area(hples: int, banks: int) -> Cost:
    return cost_of(tile.two_ports(tile.tile(BASES["published"], sized(hples, banks))))


def _mm2(hples: int, banks: int) -> float:
    return _area(hples, banks).totals["area_mm2"].value.expected


def _schedules() -> Picture:
    values = {
        (f"{hples} HPLEs", label): 1e6
        * tile.seconds(program, LARGEST, BASES["free"], sized(hples, 128))
        for hples in HPLES
        for program, label in _PROGRAMS.items()
    }
    groups = tuple(f"{hples} HPLEs" for hples in HPLES)
    return _drawn(groups, tuple(_PROGRAMS.values()), values, "us, free register ports", log=True)


def _change(parameters: dict[str, tuple[int, ...]]) -> Picture:
    """The scheduled program on machines that differ in two parameters."""
    (inner, inner_values), (outer, outer_values) = parameters.items()
    named = {name: _NAMES.get(name, name.replace("_", " ")) for name in parameters}
    values = {
        (f"{named[outer]} {o}", f"{named[inner]} {i}"): float(
            tile.timed(
                "scheduled", LARGEST, BASES["free"], ((inner, i), (outer, o)), written_for=()
            ).cycles
        )
        for o in outer_values
        for i in inner_values
    }
    groups = tuple(f"{named[outer]} {value}" for value in outer_values)
    series = tuple(f"{named[inner]} {value}" for value in inner_values)
    return _drawn(groups, series, values, "cycles, same program, free register ports")


def _degrees() -> Picture:
    base = BASES["published"]
    clock_us = tile.timed("scheduled", LARGEST, base).clock_fs / 1e9
    rows: dict[str, Callable[[int], float]] = {
        _PROGRAMS["scheduled"]: lambda n: 1e6 * tile.seconds("scheduled", n, base),
        _PROGRAMS["compiled"]: lambda n: 1e6 * tile.seconds("compiled", n, base),
        "theoretical, the paper's": lambda n: tile.ideal_cycles(n) * clock_us,
        "HBM2, in and out": lambda n: 1e6 * tile.hbm2_seconds(n, 2),
    }
    values = {(_k(n), label): us(n) for n in DEGREES for label, us in rows.items()}
    ratios = {1024: 3.86, LARGEST: 1.38}
    published = {
        (_k(n), _PROGRAMS["scheduled"]): ratio * tile.ideal_cycles(n) * clock_us
        for n, ratio in ratios.items()
    }
    return _drawn(tuple(map(_k, DEGREES)), tuple(rows), values, "us", published, log=True)


def _speedups(word_bits: int) -> Picture:
    values: dict[tuple[str, str], float] = {}
    for n in DEGREES:
        for program in ("scheduled", "compiled"):
            made = tile_studies.processor_speedup(program, n, word_bits)
            values[_k(n), _PROGRAMS[program]] = made.value
    published = {
        (_k(claim.ours["n"]), _PROGRAMS["scheduled"]): claim.published or 0.0
        for claim in claims_of("rpu")
        if claim.ours.get("study") == "processor_speedup"
        and claim.ours["word_bits"] == word_bits
        and claim.ours["program"] == "scheduled"
    }
    series = (_PROGRAMS["scheduled"], _PROGRAMS["compiled"])
    return _drawn(tuple(map(_k, DEGREES)), series, values, "times", published, log=True)


def _kernels() -> Picture:
    def ours(claim: Claim) -> bool:
        return claim.id.endswith((".rpu", ".rpu.compiled"))

    values, published = {}, {}
    for claim in filter(ours, claims_of("trebuchet")):
        kernel = claim.id.split(".")[2]
        program = _PROGRAMS.get(claim.ours.get("program", ""), _POINTWISE)
        values[kernel, program] = compute(claim.ours).value
        published[kernel, program] = claim.published or 0.0
    series = (_POINTWISE, _PROGRAMS["scheduled"], _PROGRAMS["compiled"])
    return _drawn(("ringAdd", "ringMult", "NTT"), series, values, "us", published)


def _tiles() -> Picture:
    values, published = {}, {}
    for claim in claims_of("trebuchet"):
        if claim.ours.get("study") == "kernel_speedup" and claim.ours["cpu"] == "published":
            key = (claim.id.split(".")[2], _tiled(claim.ours["tiles"]))
            values[key] = compute(claim.ours).value
            published[key] = claim.published or 0.0
    series = tuple(map(_tiled, (1, 14, 56)))
    return _drawn(("ringAdd", "ringMult", "NTT"), series, values, "times", published, log=True)


def _versions() -> Picture:
    values, published = {}, {}
    for version, cycles in (("trebuchet-v1", 18_300), ("trebuchet-v2", 24_600)):
        for program, label in _PROGRAMS.items():
            values[version, label] = float(tile.timed(program, LARGEST, version).cycles)
        published[version, _PROGRAMS["scheduled"]] = float(cycles)
    series = tuple(_PROGRAMS.values())
    return _drawn(("trebuchet-v1", "trebuchet-v2"), series, values, "cycles", published)


def _tiled(tiles: int) -> str:
    return "1 tile" if tiles == 1 else f"{tiles} tiles"


def _k(n: int) -> str:
    return f"{n // 1024}K"


def _drawn(  # noqa: PLR0913 - what a chart is made of
    groups: tuple[str, ...],
    series: tuple[str, ...],
    values: Values,
    axis: str,
    published: Values | None = None,
    *,
    log: bool = False,
) -> Picture:
    free = iter(
        style for style in _OTHERS if not set(series) & set(_COLOURS) or style == "client-kernel"
    )
    styles = {name: _COLOURS.get(name) or next(free, "server-tax") for name in series}
    return grouped(Grouped(groups, styles, values, axis, log, published or {}))


_Draw = Callable[[], Picture]
#: Number, title and drawing of what is redrawn of the RPU's paper.
RPU: tuple[tuple[str, str, _Draw], ...] = (
    *(
        ("4", f"Figure 4: time over area, {_PROGRAMS[p]}", partial(_over_area, p))
        for p in ("scheduled", "compiled")
    ),
    ("5", "Figure 5: performance per area of the 64K transform", partial(_per_area, "scheduled")),
    (
        "6a",
        "Figure 6 (a): area of the units over HPLEs",
        partial(_area_over, {f"{h} HPLEs": (h, 128) for h in HPLES}, "128 banks"),
    ),
    (
        "6b",
        "Figure 6 (b): area of the units over banks",
        partial(_area_over, {f"{b} banks": (128, b) for b in BANKS_MHZ}, "128 HPLEs"),
    ),
    ("6c", "Figure 6 (c): energy of the 64K transform", _energy),
    ("7", "Figure 7: naive and scheduled over HPLEs, 128 banks, us", _schedules),
    (
        "8",
        "Figure 8: multiplier latency and initiation interval, cycles",
        partial(_change, _LATENCIES),
    ),
    ("9", "Figure 9: shuffle and load/store latency, cycles", partial(_change, _CROSSBARS)),
    ("10", "Figure 10: degrees, beside the theoretical time and HBM2, us", _degrees),
    *(
        (
            "11",
            f"Figure 11: speed-up over the processor here, {bits}-bit words there",
            partial(_speedups, bits),
        )
        for bits in (128, 64)
    ),
)
#: The same of TREBUCHET's.
TREBUCHET: tuple[tuple[str, str, _Draw], ...] = (
    ("table-2", "Table 2: kernels on one tile, us", _kernels),
    ("table-2", "Table 2: speed-up of 1, 14 and 56 tiles, the paper's processor times", _tiles),
    ("v-c", "Section V-C: cycles of the 64K transform", _versions),
)
