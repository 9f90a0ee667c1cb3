"""The cycles of a host's operations, each counted alone on the core in RTL.

`fw/bench/operations.c` does them. What comes of it is a description as in `machines/hosts`, for
camera and ledger. An operation's cycles are a run's over how many it did, without what a mark
takes; samples without the permutations whose blocks they are taken from.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from ringwright import checkout
from ringwright.ckks import Parameters
from ringwright.errors import RingwrightError
from ringwright.soc import firmware
from ringwright.soc.client import Client
from ringwright.soc.simulation import Simulation

__all__ = ["description", "measured"]

_BENCH = ("fw", "bench", "operations.c")
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
    image = firmware.compiled(
        simulation.tables(client),
        simulation.chip.core,
        accelerator=True,
        main=checkout.ROOT.joinpath(*_BENCH),
    )
    with tempfile.TemporaryDirectory() as folder:
        outcome = simulation.chip.run(image, Path(folder))
    if outcome.code != 0:
        raise RingwrightError(f"counting operations ended with code {outcome.code}")
    names = firmware.enumerators("bench/operations.c", "OPERATION")
    taken: dict[str, tuple[int, int]] = {}
    for (number, begin), (count, end) in zip(outcome.marks, outcome.marks[1:], strict=False):
        # The second round stays, but of what a core finds in no cache.
        if number in names and count >= _COUNT:
            first = taken.get(names[number])
            if first is None or names[number] not in _COLD:
                taken[names[number]] = (end - begin, count - _COUNT)
    return _alone(taken, simulation.parameters)


def _alone(taken: dict[str, tuple[int, int]], parameters: Parameters) -> dict[str, float]:
    mark, _ = taken.pop(_NOTHING)
    each = {name: max(0, cycles - mark) / count for name, (cycles, count) in taken.items()}
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
        "complex_butterfly": "fixed point, 64 bits; ",
        "coefficient_round": "fixed point; ",
        "residue_compose": "the product alone, no firmware decodes; ",
        "key_word": "from memory; ",
        "conversion_setup": "nothing comes before the first coefficient; ",
    }.get(operation, "")
    return (
        f"{said}fw/bench/operations.c at N = {simulation.parameters.n}, memory answers after "
        f"{simulation.chip.memory_latency} cycles"
    )
