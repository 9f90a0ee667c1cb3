"""Figures of the RPU and TREBUCHET from ours: the paper's program, ours, and what is printed."""

from __future__ import annotations

from collections.abc import Callable

from ringwright.errors import MachineError
from ringwright.report.grouped import Grouped, Values, grouped
from ringwright.reproduce import tile, tile_studies
from ringwright.reproduce.claims import Claim, claims_of
from ringwright.reproduce.studies import compute
from ringwright.reproduce.tile import BANKS_MHZ, BASES, DEGREES, HPLES, LARGEST, sized

_PROGRAMS = {
    "naive": "the paper's program, naive",
    "scheduled": "the paper's program, scheduled",
    "compiled": "ours, compiled",
}
#: Programs have one colour in every figure; other series take the rest in turn.
_COLOURS = dict(zip(_PROGRAMS.values(), ("wait-tax", "client-tax", "server-kernel"), strict=True))
_OTHERS = ("wait-tax", "client-tax", "server-kernel", "client-kernel")
_POINTWISE = "ours, word by word"
_NAMES = {"ii": "initiation interval"}
_LATENCIES = {"compute_latency": (5, 10, 20), "ii": (1, 2, 3, 4)}
_CROSSBARS = {"shuffle_latency": (4, 7, 10), "load_store_latency": (4, 6, 8, 10)}

Drawn = list[tuple[str, str]]


def rpu() -> Drawn:
    """Figures 4 (time) and 7 to 11."""
    return [
        *((f"Figure 4 (time): {_PROGRAMS[p]}, us", _grid(p)) for p in ("scheduled", "compiled")),
        ("Figure 7: naive and scheduled over HPLEs, 128 banks, us", _schedules()),
        ("Figure 8: multiplier latency and initiation interval, cycles", _change(_LATENCIES)),
        ("Figure 9: shuffle and load/store latency, cycles", _change(_CROSSBARS)),
        ("Figure 10: degrees, beside the theoretical time and HBM2, us", _degrees()),
        ("Figure 11: speed-up over the processor here, 128-bit words there", _speedups(128)),
        ("Figure 11: speed-up over the processor here, 64-bit words there", _speedups(64)),
    ]


def trebuchet() -> Drawn:
    """Table 2 and the cycles of section V-C."""
    return [
        ("Table 2: kernels on one tile, us", _kernels()),
        ("Table 2: speed-up of 1, 14 and 56 tiles, the paper's processor times", _tiles()),
        ("Section V-C: cycles of the 64K transform", _versions()),
    ]


def _grid(program: str) -> str:
    series = tuple(f"{banks} banks" for banks in BANKS_MHZ)
    values = {
        (f"{hples} HPLEs", f"{banks} banks"): 1e6
        * tile.seconds(program, LARGEST, BASES["free"], sized(hples, banks))
        for hples in HPLES
        for banks in BANKS_MHZ
    }
    published = {("128 HPLEs", "128 banks"): 6.7} if program == "scheduled" else {}
    return _drawn(tuple(f"{h} HPLEs" for h in HPLES), series, values, "us", published, log=True)


def _schedules() -> str:
    values = {
        (f"{hples} HPLEs", label): 1e6
        * tile.seconds(program, LARGEST, BASES["free"], sized(hples, 128))
        for hples in HPLES
        for program, label in _PROGRAMS.items()
    }
    groups = tuple(f"{hples} HPLEs" for hples in HPLES)
    return _drawn(groups, tuple(_PROGRAMS.values()), values, "us, free register ports", log=True)


def _change(parameters: dict[str, tuple[int, ...]]) -> str:
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


def _degrees() -> str:
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


def _speedups(word_bits: int) -> str:
    values: dict[tuple[str, str], float] = {}
    for n in DEGREES:
        for program in ("scheduled", "compiled"):
            try:
                made = tile_studies.processor_speedup(program, n, word_bits)
            except MachineError as error:
                return f"<p class='lead'>skipped: {error}</p>"
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


def _kernels() -> str:
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


def _tiles() -> str:
    values, published = {}, {}
    for claim in claims_of("trebuchet"):
        if claim.ours.get("study") == "kernel_speedup" and claim.ours["cpu"] == "published":
            key = (claim.id.split(".")[2], _tiled(claim.ours["tiles"]))
            values[key] = compute(claim.ours).value
            published[key] = claim.published or 0.0
    series = tuple(map(_tiled, (1, 14, 56)))
    return _drawn(("ringAdd", "ringMult", "NTT"), series, values, "times", published, log=True)


def _versions() -> str:
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
) -> str:
    free = iter(
        style for style in _OTHERS if not set(series) & set(_COLOURS) or style == "client-kernel"
    )
    styles = {name: _COLOURS.get(name) or next(free, "server-tax") for name in series}
    return grouped(Grouped(groups, styles, values, axis, log, published or {}))
