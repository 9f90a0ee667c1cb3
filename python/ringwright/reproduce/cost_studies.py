"""How ours is computed for areas and energies, called by the name in a claim as in `studies`.

Memories and the multiplier's energy rest on numbers of the papers themselves
(`spec/silicon/process.toml`); whatever uses them says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ringwright.machines import machine
from ringwright.reproduce import inputs, tile
from ringwright.reproduce.ours import Ours, ours
from ringwright.reproduce.tile import BASES, LARGEST
from ringwright.silicon import Cost, Energy, core_of, cost_of

#: What a memory's area is a line through.
_MACROS = "areas of two memories of the RPU"
#: What a multiplication takes.
_MULTIPLIER = "power of the RPU's multiplier"


def machine_area(
    name: str,
    units: list[str] | None = None,
    changes: dict[str, Any] | None = None,
    unit: str = "mm2",
) -> Ours:
    """Expected area of a machine, or of some of its units, in "mm2" or "um2"."""
    found = _area(_of(name, changes), units)
    return ours(found.value * (1e6 if unit == "um2" else 1), found.provenances)


def core_area(core: str) -> Ours:
    """Expected square micrometres of a host core that was mapped, caches included."""
    inputs.result(f"area of the core {core}")
    inputs.printed(_MACROS)
    return ours(1e6 * core_of(core).area_mm2.expected, ["synthesised", "fitted"])


def area_growth(
    name: str, low: dict[str, Any], high: dict[str, Any], units: list[str] | None = None
) -> Ours:
    """How many times as large a machine, or its units, are with other parameters."""
    small, large = (_area(_of(name, changes), units) for changes in (low, high))
    return ours(large.value / small.value, small.provenances, large.provenances)


def area_percent(name: str, low: dict[str, Any], high: dict[str, Any]) -> Ours:
    """By how many percent a machine grows with other parameters."""
    grown = area_growth(name, low, high)
    return ours(100 * (grown.value - 1), grown.provenances)


def added_area(name: str, without: str, bank_words: int, bank_words_without: int) -> Ours:
    """Square micrometres that one RISE has more than another, each with banks of so many words."""
    large = _area(_of(name, {"bank_words": bank_words}), None)
    small = _area(_of(without, {"bank_words": bank_words_without}), None)
    return ours(1e6 * (large.value - small.value), large.provenances, small.provenances)


def transform_energy(program: str, unit: str | None = None) -> Ours:
    """Expected microjoules of the paper's program, or the percent of them in one unit."""
    found = _energy(program)
    if unit is None:
        return ours(found.total.value.expected, found.total.provenances)
    return ours(100 * found.share(unit), found.total.provenances)


def transform_power(program: str) -> Ours:
    """Watts while the paper's program runs."""
    made = tile.timed(program, LARGEST, BASES["published"])
    found = _energy(program)
    seconds = made.cycles * made.clock_fs / 1e15
    return ours(found.total.value.expected / 1e6 / seconds, found.total.provenances)


def best_point(program: str, ports: str) -> Ours:
    """HPLEs of the grid's point with most transforms a second and area, as many banks as that has.

    0 where HPLEs and banks differ there.
    """
    rated = {}
    for hples in tile.HPLES:
        for banks in tile.BANKS_MHZ:
            changes = tile.sized(hples, banks)
            size = _area(cost_of(tile.two_ports(tile.tile(BASES[ports], changes))), None)
            rate = 1 / tile.seconds(program, LARGEST, BASES[ports], changes)
            rated[hples, banks] = rate / size.value
    inputs.printed(_MACROS)
    best = max(rated, key=lambda point: rated[point])
    hples, banks = best
    return ours(hples if hples == banks else 0, "modelled", "simulated")


def _of(name: str, changes: dict[str, Any] | None) -> Cost:
    base = machine(name)
    if changes:
        base = base.with_values(
            f"{name}-changed", source="swept", clock_provenance=base.clock_provenance, **changes
        )
    return cost_of(base)


def _area(of: Cost, units: list[str] | None) -> Ours:
    chosen = of.units if units is None else {unit: of.units[unit] for unit in units}
    inputs.result(f"area of {of.machine}" + ("" if units is None else f", {', '.join(units)}"))
    provenances = [word for each in chosen.values() for word in each.provenances]
    if "fitted" in provenances:
        inputs.printed(_MACROS)
    return ours(sum(each.value.expected for each in chosen.values()), provenances)


def _energy(program: str) -> Energy:
    name = BASES["published"]
    inputs.printed(_MULTIPLIER)
    return cost_of(machine(name)).of_program(tile.timed(program, LARGEST, name))


STUDIES: dict[str, Callable[..., Ours]] = {
    study.__name__: study
    for study in (
        machine_area,
        core_area,
        area_growth,
        area_percent,
        added_area,
        transform_energy,
        transform_power,
        best_point,
    )
}
