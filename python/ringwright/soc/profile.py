"""The cycles of a host's operations, each counted alone on the core in RTL.

`fw/bench/operations.c` does a client's, `fw/bench/kernel.c` those of an operating system. What
comes of it is a description as in `machines/hosts`, for camera and ledger. An operation's cycles
are a run's over how many it did, without what a mark takes; samples without the permutations whose
blocks they are taken from.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from ringwright import checkout
from ringwright.ckks import Parameters
from ringwright.errors import RingwrightError
from ringwright.soc import firmware
from ringwright.soc.accesses import Accesses
from ringwright.soc.chip import Chip
from ringwright.soc.client import Client
from ringwright.soc.firmware import Firmware
from ringwright.soc.prediction import CoreModel
from ringwright.soc.simulation import Simulation

__all__ = ["description", "lines", "measured"]

_BENCH = ("fw", "bench")
_NOTHING = "nothing"
_COLD = frozenset({"key_word"})
#: A mark from this one on says how many operations there were.
_COUNT = 1000
_BLOCK_BYTES = 136
_BINOMIAL_SAMPLES = 25
_CLOCK = "1 GHz as in RACE, section V-A; cycles were counted, the clock is not ours"


def measured(simulation: Simulation) -> dict[str, float]:
    """Cycles by operation of `spec/host`, on a simulation whose accelerator computes nothing.

    Raises `RingwrightError` where the run failed.
    """
    client = Client(simulation.parameters, 1, seed=1)
    chip = simulation.chip
    operations = firmware.compiled(
        simulation.tables(client), chip.core, accelerator=True, main=_bench("operations.c")
    )
    core = chip.model(operations)
    cache = {"CACHE_BYTES": core.cache.size}
    kernel = firmware.of_program([_bench("kernel.c"), _bench("trap.S")], chip.core, cache)
    each = _alone(_taken(chip, operations, "operations.c"), simulation.parameters)
    each["complex_butterfly"] -= _lost(core, simulation.parameters.n)
    return each | _each(_taken(chip, kernel, "kernel.c"))


def lines(simulation: Simulation) -> dict[str, float]:
    """Cycles of a line of the core's cache of data, by how it is come to (`fw/bench/lines.c`)."""
    chip = simulation.chip
    size = chip.model().cache.size
    image = firmware.of_program([_bench("lines.c")], chip.core, {"CACHE_BYTES": size})
    return _each(_taken(chip, image, "lines.c"))


def _lost(core: CoreModel, n: int) -> float:
    """Cycles by a butterfly of the embedding's transform, for lines: message and factors are 16 N
    bytes, the most that any operation comes to, and a cache that puts a line anywhere does not keep
    all of them.
    """
    cache = core.started()
    accesses = Accesses(cache, n, core.instructions, core.addresses)
    for _ in range(2):
        before = core.waited(cache)
        accesses.embed(core.addresses["encoded"], back=False)
    return (core.waited(cache) - before) / (n // 4 * (n.bit_length() - 2))


def _bench(name: str) -> Path:
    return checkout.ROOT.joinpath(*_BENCH, name)


def _taken(chip: Chip, image: Firmware, source: str) -> dict[str, tuple[int, int]]:
    """Cycles of a program's measurements, and of how many operations."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = chip.run(image, Path(folder))
    if outcome.code != 0:
        raise RingwrightError(f"counting operations of {source} ended with code {outcome.code}")
    names = firmware.enumerators(f"bench/{source}", "OPERATION")
    taken: dict[str, tuple[int, int]] = {}
    for (number, begin), (count, end) in zip(outcome.marks, outcome.marks[1:], strict=False):
        # The second round stays, but of what a core finds in no cache.
        if number in names and count >= _COUNT:
            first = taken.get(names[number])
            if first is None or names[number] not in _COLD:
                taken[names[number]] = (end - begin, count - _COUNT)
    return taken


def _each(taken: dict[str, tuple[int, int]]) -> dict[str, float]:
    """Of one operation, without what a mark takes."""
    mark, _ = taken.pop(_NOTHING)
    return {name: max(0, cycles - mark) / count for name, (cycles, count) in taken.items()}


def _alone(taken: dict[str, tuple[int, int]], parameters: Parameters) -> dict[str, float]:
    each = _each(taken)
    n, q = parameters.n, parameters.q[0]
    # A word is kept with probability q over the next power of two.
    uniform = 4 * n * 2 ** q.bit_length() / q / _BLOCK_BYTES
    blocks = {
        "ternary_sample": -(-(n + n // 128 + 64) // _BLOCK_BYTES),
        "binomial_sample": -(-n // _BINOMIAL_SAMPLES),
        "uniform_sample": uniform,
    }
    for name, count in blocks.items():
        each[name] -= count * each["keccak_permutation"] / n
    return each


def description(simulation: Simulation, cycles: dict[str, float], name: str) -> str:
    """The description of a host that takes so long, as a file of `machines/hosts`."""
    lines = [
        "# Written by `ringwright soc profile`.",
        f'name = "{name}"',
        f'title = "{simulation.chip.title}, our firmware without floating point: counted in RTL"',
        "",
        "[parameters.clock_fs]",
        "value = 1_000_000",
        f'source = "{_CLOCK}"',
        "",
        "[parameters.core]",
        f'value = "{simulation.chip.host}"',
        'source = "what was counted on"',
    ]
    for operation, value in cycles.items():
        lines += [
            "",
            f"[cycles.{operation}]",
            f"value = {value:.4g}",
            'provenance = "rtl"',
            f'source = "{_source(operation, simulation)}"',
        ]
    return "\n".join(lines) + "\n"


def _source(operation: str, simulation: Simulation) -> str:
    said = {
        "complex_butterfly": "fixed point, 64 bits, less lines that a model of its cache loses; ",
        "slot_reorder": "fixed point; ",
        "coefficient_round": "fixed point; ",
        "residue_compose": "the product alone, no firmware composes; ",
        "key_word": "from memory; ",
        "conversion_setup": "nothing comes before the first coefficient; ",
    }.get(operation, "")
    return (
        f"{said}fw/bench, N = {simulation.parameters.n}, memory answers after "
        f"{simulation.chip.memory_latency} cycles"
    )
