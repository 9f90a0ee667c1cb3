"""How ours is computed for the RPU and TREBUCHET, called by the name in a claim as in `studies`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ringwright._ringwright import TransformTime
from ringwright.machines import machine
from ringwright.reproduce import inputs, processor, tile
from ringwright.reproduce.ours import Ours, ours
from ringwright.reproduce.tile import BASES, HPLES, LARGEST, ideal_cycles, sized

#: TREBUCHET table 2: microseconds of PALISADE's kernels of 128-bit words on one core.
PALISADE_US = {"add": 333.0, "mul": 1240.0, "ntt": 7807.0}
#: Arguments by which a claim chooses how we read what the paper leaves open: claims that differ in
#: them alone are about one published value.
READINGS = frozenset({"ports", "name", "least", "changes"})


def tile_transform(program: str, n: int, name: str, unit: str) -> Ours:
    """Microseconds ("us") or cycles of a program."""
    made = tile.timed(program, n, name)
    if unit == "cycles":
        return ours(made.cycles, made.provenance)
    return ours(_seconds(made) * 1e6, made.provenance)


def instruction_count(pipe: str) -> Ours:
    """Instructions of a pipe in the paper's 64K program, which was written to have so many."""
    counters = tile.counters("naive", LARGEST, BASES["published"])
    return ours(counters[f"{pipe} instructions"], "modelled")


def grid_ratio(program: str, ports: str, slow: list[int], fast: list[int]) -> Ours:
    """How many times as fast the grid's point (HPLEs, banks) `fast` is as `slow`."""
    made = [
        tile.timed(program, LARGEST, BASES[ports], sized(hples, banks))
        for hples, banks in (slow, fast)
    ]
    return _ratio(_seconds, *made)


def schedule_gain(ports: str, least: int) -> Ours:
    """Naive over scheduled, averaged over HPLEs from `least` on, 128 banks."""
    gains = [
        _ratio(
            _cycles,
            *(
                tile.timed(program, LARGEST, BASES[ports], sized(hples, 128))
                for program in ("naive", "scheduled")
            ),
        )
        for hples in HPLES
        if hples >= least
    ]
    mean = sum(gain.value for gain in gains) / len(gains)
    return ours(mean, *(gain.provenances for gain in gains))


def shuffle_wait(program: str, ports: str) -> Ours:
    """Cycles that shuffles wait for registers at the front end, 256 HPLEs and 128 banks."""
    made = tile.timed(program, LARGEST, BASES[ports], sized(256, 128))
    return ours(made.held["shuffle"], made.provenance)


def parameter_change(
    parameter: str, low: int, high: int, ports: str, program: str = "scheduled"
) -> Ours:
    """Cycles with the higher value over those with the lower; the program stays the base's."""
    made = [
        tile.timed(program, LARGEST, BASES[ports], ((parameter, value),), ())
        for value in (high, low)
    ]
    return _ratio(_cycles, *made)


def ideal_ratio(program: str, n: int, ports: str = "published") -> Ours:
    """Runtime over the paper's theoretical one."""
    made = tile.timed(program, n, BASES[ports])
    return ours(made.cycles / ideal_cycles(n), made.provenance)


def halving(program: str, n: int, ports: str = "published") -> Ours:
    """Runtime over that of half the degree."""
    return _ratio(_cycles, *(tile.timed(program, size, BASES[ports]) for size in (n, n // 2)))


def hbm2_excess(program: str, n: int, towers: int) -> Ours:
    """Microseconds by which HBM2 takes longer than the transform."""
    made = tile.timed(program, n, BASES["published"])
    excess = tile.hbm2_seconds(n, towers) - _seconds(made)
    return ours(excess * 1e6, "modelled", made.provenance)


def hbm2_hidden(program: str) -> Ours:
    """Percent of figure 10's degrees at which HBM2 moves a tower in and out during a transform."""
    made = {n: tile.timed(program, n, BASES["published"]) for n in tile.DEGREES}
    hidden = [tile.hbm2_seconds(n, 2) <= _seconds(each) for n, each in made.items()]
    words = (each.provenance for each in made.values())
    return ours(100 * sum(hidden) / len(hidden), "modelled", words)


def processor_speedup(program: str, n: int, word_bits: int, cpu: str = "ours") -> Ours:
    """A transform on the processor here over the same on the RPU."""
    software = processor.openfhe() if cpu == "openfhe" else processor.seconds("ntt", n, word_bits)
    made = tile.timed(program, n, BASES["published"])
    return ours(software / _seconds(made), "measured", made.provenance)


def ring_operation(name: str, operation: str) -> Ours:
    """Microseconds of a sum or product of two 64K towers."""
    made = tile.ring_operation(name, operation, LARGEST)
    return ours(made.seconds * 1e6, made.provenance)


def kernel_speedup(operation: str, tiles: int, cpu: str, program: str = "scheduled") -> Ours:
    """A kernel on one processor core over the same on tiles of version 2, each with its own.

    `cpu`: "published" takes the paper's processor times, "measured" ours of 64-bit words.
    """
    fast = _kernel("trebuchet-v2", operation, program)
    if cpu == "published":
        inputs.printed(f"PALISADE's {operation}")
        slow = PALISADE_US[operation] / 1e6
        return ours(tiles * slow / fast.seconds, "published", fast.provenance)
    bits = 128 if operation == "ntt" else 64
    measured = processor.seconds(operation, LARGEST, bits)
    return ours(tiles * measured / fast.seconds, "measured", fast.provenance)


def chip_speedup(operation: str, name: str) -> Ours:
    """A kernel on one processor core, by the paper's time, over one on each tile of a chip."""
    inputs.printed(f"PALISADE's {operation}")
    made = tile.side_by_side(name, operation, LARGEST)
    tiles = int(machine(name).values["tiles"])
    slow = PALISADE_US[operation] / 1e6
    return ours(tiles * slow / made.seconds, "published", made.provenance)


def processor_time(operation: str, word_bits: int) -> Ours:
    """Microseconds of a 64K kernel on one core here."""
    return ours(processor.seconds(operation, LARGEST, word_bits) * 1e6, "measured")


def ideal_time(name: str) -> Ours:
    """Cycles of the paper's ideal 64K transform on a tile, thousands."""
    hples = int(machine(name).values["hples"])
    return ours(ideal_cycles(LARGEST, hples) / 1e3, "modelled")


def _kernel(name: str, operation: str, program: str) -> tile.Kernel:
    if operation != "ntt":
        return tile.ring_operation(name, operation, LARGEST)
    made = tile.timed(program, LARGEST, name)
    return tile.Kernel(made.cycles, made.clock_fs, made.provenance)


def _seconds(made: TransformTime) -> float:
    return made.cycles * made.clock_fs / 1e15


def _cycles(made: TransformTime) -> float:
    return made.cycles


def _ratio(
    value: Callable[[TransformTime], float], above: TransformTime, below: TransformTime
) -> Ours:
    return ours(value(above) / value(below), above.provenance, below.provenance)


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
        chip_speedup,
        parameter_change,
        processor_speedup,
        processor_time,
        ring_operation,
        schedule_gain,
        shuffle_wait,
        tile_transform,
    )
}
