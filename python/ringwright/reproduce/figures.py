"""The papers' figures redrawn from ours, published values marked where they are printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ringwright.machines import link
from ringwright.report.grouped import Grouped, grouped, stacked
from ringwright.report.picture import Picture
from ringwright.reproduce import packing, silicon, systems, tile_figures
from ringwright.reproduce.claims import claims_of
from ringwright.reproduce.studies import compute, software_transform
from ringwright.reproduce.systems import BASELINE, MACHINES, NTT_ACCEL, NTT_ACCEL_BFUS
from ringwright.reproduce.workload import SETS, Direction, ParameterSet
from ringwright.silicon import cost_of

_STYLES = {
    BASELINE: "wait-tax",
    "race": "client-tax",
    "rise-1bfu": "client-kernel",
    "rise-32bfu": "server-kernel",
}
_PARTS = {
    "encode": "client-tax",
    "decode": "client-tax",
    "error sampling": "link-tax",
    "transforms": "server-kernel",
    "encrypt": "server-tax",
    "decrypt": "server-tax",
    "encrypt on the host": "server-tax",
    "decrypt on the host": "server-tax",
    "DMA": "wait-tax",
    "control": "client-kernel",
}
_NAMES = {"m2c": "message to ciphertext", "c2m": "ciphertext to message"}
_ENDS = {"low": "smallest over the sets", "high": "largest over the sets"}
_SETS = tuple(str(chosen.n) for chosen in SETS)
_DIRECTIONS: tuple[Direction, Direction] = ("m2c", "c2m")


@dataclass(frozen=True)
class Figure:
    """A figure, or one panel of it: its number in the paper, and how it is drawn from ours.

    `draw` raises `MachineError` where this computer lacks what it compares with.
    """

    number: str
    title: str
    draw: Callable[[], Picture]


def figures_of(paper: str) -> list[Figure]:
    """Every figure of a paper that is redrawn, and its tables that are drawn."""
    drawn: dict[str, Callable[[], list[Figure]]] = {
        "race": _race,
        "rise": _rise,
        "tax-he": _tax_he,
        "rpu": lambda: _of_tiles(tile_figures.RPU),
        "trebuchet": lambda: _of_tiles(tile_figures.TREBUCHET),
        "medha": _medha,
    }
    return drawn[paper]()


def _of_tiles(drawn: Sequence[tuple[str, str, Callable[[], Picture]]]) -> list[Figure]:
    return [Figure(*each) for each in drawn]


def _medha() -> list[Figure]:
    return [Figure("evaluation", "Product with relinearisation, us", _residue_products)]


def _residue_products() -> Picture:
    """What is counted of a product, and ours, at both degrees."""
    series = {"counted, no division": "client-tax", "ours, with the division": "server-kernel"}
    kinds = dict(zip(("counted", "product"), series, strict=True))
    degrees = {"set-1": "N = 2^14", "set-2": "N = 2^15"}
    values, published = {}, {}
    for claim in claims_of("medha"):
        chosen, _, kind = claim.id.removeprefix("medha.evaluation.").partition(".")
        if kind in kinds:
            key = degrees[chosen], kinds[kind]
            values[key] = compute(claim.ours).value
            published[key] = claim.published or 0.0
    groups = tuple(degrees.values())
    return grouped(Grouped(groups, series, values, "us", published=published))


def _race() -> list[Figure]:
    both = (BASELINE, "race")
    return [
        *(
            Figure("table-1", f"Table I: {_NAMES[d]}, ms", partial(_latency, d, both, mark="race"))
            for d in _DIRECTIONS
        ),
        *(
            Figure("6", f"Figure 6: where {_NAMES[d]} goes on RACE", partial(_breakdown, "race", d))
            for d in _DIRECTIONS
        ),
        *(
            Figure("7", f"Figure 7: {frame.upper()}", partial(_frames, frame, both))
            for frame in packing.FRAMES
        ),
    ]


def _rise() -> list[Figure]:
    every = (BASELINE, *MACHINES)
    drawn = []
    for d in _DIRECTIONS:
        name = f"Figure 3-5: {_NAMES[d]}"
        drawn.append(Figure("3-5", f"{name}, ms", partial(_latency, d, every)))
        drawn.append(Figure("3-5", f"{name}, speed-ups", partial(_speedups, d)))
    for panel, quantity, unit in (("a", _milliwatts, "mW"), ("b", _square_mm, "mm2")):
        what = {"a": "power", "b": "area"}[panel]
        title = f"Figure 3-6 ({panel}): {what}, {unit}, as published"
        drawn.append(Figure("3-6", title, partial(_silicon, quantity, unit)))
    for d in _DIRECTIONS:
        title = f"Figure 3-7: area-delay product, {_NAMES[d]}"
        axis = "our time and area, lines: our time, their area: ms mm2"
        ours, theirs = partial(_adp, _area), partial(_adp, silicon.area)
        drawn.append(Figure("3-7", title, partial(_product, d, axis, ours, theirs)))
    for d in _DIRECTIONS:
        title = f"Figure 3-8: energy-delay product, {_NAMES[d]}"
        axis = "our time, their watts: mJ ms"
        drawn.append(Figure("3-8", title, partial(_product, d, axis, _edp)))
    for frame in packing.FRAMES:
        title = f"Figure 3-9: {frame.upper()}"
        drawn.append(Figure("3-9", title, partial(_frames, frame, every)))
    table = "Table 3.1: cycles of one transform, 32 butterfly units"
    return [*drawn, Figure("table-3-1", table, _transform_table)]


def _tax_he() -> list[Figure]:
    shares = [
        Figure(
            "1-5",
            f"Figure 1-5: where {_NAMES[d]} goes on the processor alone",
            partial(_breakdown, BASELINE, d),
        )
        for d in _DIRECTIONS
    ]
    rates: list[tuple[str, str, str, Callable[[str, ParameterSet], float], bool]] = [
        ("a", "transforms", "transforms/s", _transforms, True),
        ("b", "conversions", "conversions/s", _conversions, True),
        ("c", "QQVGA frames", "frames/s", _sweep_frames, False),
    ]
    sweeps = [
        Figure(
            f"1-6{panel}",
            f"Figure 1-6 ({panel}): {what} a second",
            partial(_sweep, axis, rate, log=log),
        )
        for panel, what, axis, rate, log in rates
    ]
    return [*shares, *sweeps]


def _latency(direction: Direction, names: Sequence[str], mark: str | None = None) -> Picture:
    values = {
        (str(chosen.n), name): systems.run(name, direction, chosen).seconds * 1e3
        for chosen in SETS
        for name in names
    }
    published = {}
    for claim in claims_of(mark) if mark else ():
        ours = claim.ours
        if ours.get("study") == "latency" and ours["direction"] == direction:
            published[str(ours["n"]), ours["system"]] = claim.published or 0.0
    return _over_sets(names, values, "ms", published=published)


def _speedups(direction: Direction) -> Picture:
    """Smallest and largest over the sets: the figure's bars are printed nowhere, these are."""
    values: dict[tuple[str, str], float] = {}
    published: dict[tuple[str, str], float] = {}
    for claim in claims_of("rise"):
        ours = claim.ours
        on_their_host = "core" not in ours
        if ours.get("study") == "speedup" and ours["direction"] == direction and on_their_host:
            key = (f"{ours['system']} over {ours['over']}", _ENDS[ours["end"]])
            published[key] = claim.published or 0.0
            values[key] = compute(ours).value
    groups = tuple(dict.fromkeys(group for group, _ in values))
    styles = dict(zip(_ENDS.values(), ("client-tax", "client-kernel"), strict=True))
    return grouped(Grouped(groups, styles, values, "times as fast", True, published))


def _breakdown(name: str, direction: Direction) -> Picture:
    rows = {}
    for chosen in SETS:
        made = systems.run(name, direction, chosen)
        parts = {entry.stage for entry in made.ledger if entry.exposed_fs}
        rows[f"N = {chosen.n}"] = {part: made.exposed(part) for part in _PARTS if part in parts}
    used = {part for shares in rows.values() for part in shares}
    return stacked(rows, {part: style for part, style in _PARTS.items() if part in used})


_Product = Callable[[str, Direction, ParameterSet], float]


def _product(
    direction: Direction, axis: str, ours: _Product, theirs: _Product | None = None
) -> Picture:
    """A product over the sets; `theirs` is a line across its column."""
    names = (BASELINE, *MACHINES)

    def over_sets(product: _Product) -> dict[tuple[str, str], float]:
        return {(str(s.n), name): product(name, direction, s) for s in SETS for name in names}

    return _over_sets(names, over_sets(ours), axis, published=over_sets(theirs) if theirs else {})


def _adp(
    area: Callable[[str, ParameterSet], float],
    name: str,
    direction: Direction,
    chosen: ParameterSet,
) -> float:
    return systems.run(name, direction, chosen).seconds * area(name, chosen) / 1e3


def _area(name: str, chosen: ParameterSet) -> float:
    """Their processor and our accelerator with banks for this degree, square micrometres."""
    processor = silicon.area(BASELINE, chosen)
    if name == BASELINE:
        return processor
    shipped = systems.system_machine(name)
    # What ships has banks for the largest set.
    sized = shipped.with_values(
        "sized",
        source="banks of this degree",
        clock_provenance=shipped.clock_provenance,
        bank_words=int(shipped.values["bank_words"]) * chosen.n // SETS[-1].n,
    )
    return processor + 1e6 * cost_of(sized).totals["area_mm2"].value.expected


def _edp(name: str, direction: Direction, chosen: ParameterSet) -> float:
    return systems.run(name, direction, chosen).seconds ** 2 * silicon.watts(name, chosen) * 1e6


def _silicon(quantity: Callable[[str, ParameterSet], float], axis: str) -> Picture:
    names = (BASELINE, *MACHINES)
    values = {(str(s.n), name): quantity(name, s) for s in SETS for name in names}
    styles = {name: _STYLES[name] for name in names}
    return grouped(Grouped(_SETS, styles, values, axis))


def _milliwatts(name: str, chosen: ParameterSet) -> float:
    return silicon.watts(name, chosen) * 1e3


def _square_mm(name: str, chosen: ParameterSet) -> float:
    return silicon.area(name, chosen) / 1e6


def _transform_table() -> Picture:
    values, published = {}, {}
    for claim in claims_of("rise"):
        if claim.ours.get("study") == "transform_cycles" and not claim.inconsistent:
            key = (f"N = {claim.ours['n']}", "rise-32bfu")
            values[key] = compute(claim.ours).value
            published[key] = claim.published or 0.0
    groups = tuple(group for group, _ in values)
    styles = {"rise-32bfu": _STYLES["rise-32bfu"]}
    return grouped(Grouped(groups, styles, values, "cycles", True, published))


def _frames(frame: str, names: Sequence[str]) -> Picture:
    values = {
        (str(chosen.n), name): packing.fps_published_rule(
            frame, chosen, systems.run(name, "m2c", chosen).seconds
        )
        for chosen in SETS
        for name in names
    }
    bits = packing.encrypted_bits(frame, SETS[-1])
    rates = {name: link(name).bits_per_second / bits for name in ("5g-max", "5g-min")}
    ceilings = {f"{name}, N = {SETS[-1].n}": rate for name, rate in rates.items()}
    return _over_sets(names, values, "frames/s, published packing rule", ceilings=ceilings)


def _over_sets(
    names: Sequence[str],
    values: dict[tuple[str, str], float],
    axis: str,
    published: dict[tuple[str, str], float] | None = None,
    ceilings: dict[str, float] | None = None,
) -> Picture:
    styles = {name: _STYLES[name] for name in names}
    logarithmic = ceilings is None
    chart = Grouped(_SETS, styles, values, axis, logarithmic, published or {}, ceilings or {})
    return grouped(chart)


def _sweep(axis: str, rate: Callable[[str, ParameterSet], float], *, log: bool) -> Picture:
    names = {BASELINE: "software", **{f"{NTT_ACCEL}{p}": f"{p} BFU" for p in NTT_ACCEL_BFUS}}
    styles = ("wait-tax", "client-tax", "client-kernel", "server-tax", "server-kernel")
    series = {f"N = {s.n}": style for s, style in zip(SETS, styles, strict=True)}
    values = {
        (label, f"N = {chosen.n}"): rate(name, chosen)
        for name, label in names.items()
        for chosen in SETS
    }
    return grouped(Grouped(tuple(names.values()), series, values, axis, log))


def _transforms(name: str, chosen: ParameterSet) -> float:
    if name == BASELINE:
        return 1 / software_transform(chosen.n).value
    made = systems.transform_timing(name, chosen.n, min(30, chosen.log_q))
    return 1e15 / (systems.kernel_cycles(made) * made.clock_fs)


def _conversions(name: str, chosen: ParameterSet) -> float:
    return 1 / systems.run(name, "m2c", chosen).seconds


def _sweep_frames(name: str, chosen: ParameterSet) -> float:
    return packing.fps_published_rule("qqvga", chosen, systems.run(name, "m2c", chosen).seconds)
