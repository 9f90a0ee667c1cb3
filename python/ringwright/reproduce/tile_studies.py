"""How ours is computed for the RPU and TREBUCHET, called by the name in a claim as in `studies`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ringwright.machines import machine
from ringwright.reproduce import processor, tile
from ringwright.reproduce.ours import Ours
from ringwright.reproduce.tile import BASES, HPLES, LARGEST, ideal_cycles, sized

#: TREBUCHET table 2: microseconds of PALISADE's kernels of 128-bit words on one core.
PALISADE_US = {"add": 333.0, "mul": 1240.0, "ntt": 7807.0}
_SIMULATED = "simulated"


def tile_transform(program: str, n: int, name: str, unit: str) -> Ours:
    """Microseconds ("us") or cycles of a program."""
    if unit == "cycles":
        return Ours(tile.timed(program, n, name).cycles, _SIMULATED)
    return Ours(tile.seconds(program, n, name) * 1e6, _SIMULATED)


def instruction_count(pipe: str) -> Ours:
    """Instructions of a pipe in the paper's 64K program."""
    counters = tile.timed("naive", LARGEST, BASES["published"]).counters
    return Ours(counters[f"{pipe} instructions"], _SIMULATED)


def grid_ratio(program: str, ports: str, slow: list[int], fast: list[int]) -> Ours:
    """How many times as fast the grid's point (HPLEs, banks) `fast` is as `slow`."""
    times = [
        tile.seconds(program, LARGEST, BASES[ports], sized(hples, banks))
        for hples, banks in (slow, fast)
    ]
    return Ours(times[0] / times[1], _SIMULATED)


def schedule_gain(ports: str, least: int) -> Ours:
    """Naive over scheduled, averaged over HPLEs from `least` on, 128 banks."""
    gains = [
        tile.timed("naive", LARGEST, BASES[ports], sized(hples, 128)).cycles
        / tile.timed("scheduled", LARGEST, BASES[ports], sized(hples, 128)).cycles
        for hples in HPLES
        if hples >= least
    ]
    return Ours(sum(gains) / len(gains), _SIMULATED)


def shuffle_wait(program: str, ports: str) -> Ours:
    """Cycles that shuffles wait for registers at the front end, 256 HPLEs and 128 banks."""
    made = tile.timed(program, LARGEST, BASES[ports], sized(256, 128))
    return Ours(made.held["shuffle"], _SIMULATED)


def parameter_change(
    parameter: str, low: int, high: int, ports: str, program: str = "scheduled"
) -> Ours:
    """Cycles with the higher value over those with the lower; the program stays the base's."""
    cycles = [
        tile.timed(program, LARGEST, BASES[ports], ((parameter, value),), ()).cycles
        for value in (low, high)
    ]
    return Ours(cycles[1] / cycles[0], _SIMULATED)


def ideal_ratio(program: str, n: int, ports: str = "published") -> Ours:
    """Runtime over the paper's theoretical one."""
    cycles = tile.timed(program, n, BASES[ports]).cycles
    return Ours(cycles / ideal_cycles(n), _SIMULATED)


def halving(program: str, n: int, ports: str = "published") -> Ours:
    """Runtime over that of half the degree."""
    one, half = (tile.timed(program, size, BASES[ports]).cycles for size in (n, n // 2))
    return Ours(one / half, _SIMULATED)


def hbm2_excess(program: str, n: int, towers: int) -> Ours:
    """Microseconds by which HBM2 takes longer than the transform."""
    excess = tile.hbm2_seconds(n, towers) - tile.seconds(program, n, BASES["published"])
    return Ours(excess * 1e6, "modelled + simulated")


def hbm2_hidden(program: str) -> Ours:
    """Percent of figure 10's degrees at which HBM2 moves a tower in and out during a transform."""
    hidden = [
        tile.hbm2_seconds(n, 2) <= tile.seconds(program, n, BASES["published"])
        for n in tile.DEGREES
    ]
    return Ours(100 * sum(hidden) / len(hidden), "modelled + simulated")


def processor_speedup(program: str, n: int, word_bits: int, cpu: str = "ours") -> Ours:
    """A transform on the processor here over the same on the RPU."""
    software = processor.openfhe() if cpu == "openfhe" else processor.seconds("ntt", n, word_bits)
    value = software / tile.seconds(program, n, BASES["published"])
    return Ours(value, f"measured + {_SIMULATED}")


def ring_operation(name: str, operation: str) -> Ours:
    """Microseconds of a sum or product of two 64K towers."""
    return Ours(_kernel_seconds(name, operation) * 1e6, _SIMULATED)


def kernel_speedup(operation: str, tiles: int, cpu: str, program: str = "scheduled") -> Ours:
    """A kernel on one processor core over the same on tiles of version 2, each with its own.

    `cpu`: "published" takes the paper's processor times, "measured" ours of 64-bit words.
    """
    fast = _kernel_seconds("trebuchet-v2", operation, program)
    if cpu == "published":
        return Ours(tiles * PALISADE_US[operation] / 1e6 / fast, f"published + {_SIMULATED}")
    bits = 128 if operation == "ntt" else 64
    slow = processor.seconds(operation, LARGEST, bits)
    return Ours(tiles * slow / fast, f"measured + {_SIMULATED}")


def processor_time(operation: str, word_bits: int) -> Ours:
    """Microseconds of a 64K kernel on one core here."""
    return Ours(processor.seconds(operation, LARGEST, word_bits) * 1e6, "measured")


def ideal_time(name: str) -> Ours:
    """Cycles of the paper's ideal 64K transform on a tile, thousands."""
    hples = int(machine(name).values["hples"])
    return Ours(ideal_cycles(LARGEST, hples) / 1e3, "modelled")


def _kernel_seconds(name: str, operation: str, program: str = "scheduled") -> float:
    if operation == "ntt":
        return tile.seconds(program, LARGEST, name)
    cycles, clock_fs = tile.ring_operation(name, operation, LARGEST)
    return cycles * clock_fs / 1e15


STUDIES: dict[str, Callable[..., Any]] = {
    study.__name__: study
    for study in (
        grid_ratio,
        halving,
        hbm2_excess,
        hbm2_hidden,
        ideal_ratio,
        ideal_time,
        instruction_count,
        kernel_speedup,
        parameter_change,
        processor_speedup,
        processor_time,
        ring_operation,
        schedule_gain,
        shuffle_wait,
        tile_transform,
    )
}
