"""Watts and areas of the published systems: `repro/silicon.toml`, numbers as printed.

Only the smallest and the largest parameter set are printed for RISE; between them the percentages
are interpolated linearly in log2 N.
"""

from __future__ import annotations

from typing import Any

from ringwright.errors import ParameterError
from ringwright.machines import Machine
from ringwright.reproduce import claims, inputs
from ringwright.reproduce.workload import SETS, ParameterSet


def watts(system: str, chosen: ParameterSet) -> float:
    """Power of a whole system during a conversion, in watts."""
    return _of("power", system, chosen, "milliwatts") / 1e3


def area(system: str, chosen: ParameterSet) -> float:
    """Area of a whole system, in square micrometres of GF 12 nm."""
    return _of("area", system, chosen, "square_micrometres")


def system_of(machine: Machine) -> str:
    """The published system that a machine is, by what the papers state of it and not by its name.

    Raises `ParameterError` where it is none.
    """
    published: dict[str, dict[str, Any]] = claims.read_toml(claims.ROOT / "silicon.toml")["machine"]
    values = machine.values.items()
    for system, stated in published.items():
        if stated.items() <= values:
            return system
    raise ParameterError(
        f"the papers print no power of a machine with the parameters of {machine.name}; "
        f"they do of {', '.join(published)}"
    )


def _of(quantity: str, system: str, chosen: ParameterSet, key: str) -> float:
    inputs.printed(f"{quantity} of {system}")
    entries: dict[str, Any] = claims.read_toml(claims.ROOT / "silicon.toml")[quantity]
    if system not in entries:
        known = ", ".join(entries)
        raise ParameterError(f"the papers print no {quantity} of {system}; they do of {known}")
    entry = entries[system]
    if "over" in entry:
        low, high = entry["percent"]
        percent = low + (high - low) * _place(chosen)
        return _of(quantity, entry["over"], chosen, key) * float(1 + percent / 100)
    value = entry[key]
    return float(value[SETS.index(chosen)] if isinstance(value, list) else value)


def _place(chosen: ParameterSet) -> float:
    """0 at the smallest set, 1 at the largest, linear in log2 N."""
    first, last = SETS[0].log_n, SETS[-1].log_n
    return (chosen.log_n - first) / (last - first)
