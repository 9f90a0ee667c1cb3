"""medha_dyadic_core: every function on towers of some rows, operands in one memory or in more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from harness.bench import parameters
from harness.modular import barrett_constants, moduli
from harness.stream import flag, random_source, start

SETTINGS = {"RowWidth": 3, "Products": "Sliced"}
OPERANDS = 3


@pytest.mark.parametrize(("banks", "width", "mul_stages"), [(1, 14, 1), (4, 30, 8), (2, 54, 10)])
def test_medha_dyadic_core(bench, banks, width, mul_stages):
    bench("medha_dyadic_core", Banks=banks, Width=width, MulStages=mul_stages, **SETTINGS)


@dataclass(frozen=True)
class Function:
    """A code of `medha_pkg`, and what it makes of (a, b, c), s and q."""

    code: int
    of: Callable[[int, int, int, int, int], int]
    any_word: int | None = None


FUNCTIONS = [
    Function(0, lambda a, b, c, s, q: 0),
    Function(1, lambda a, b, c, s, q: a + b),
    Function(2, lambda a, b, c, s, q: a - b),
    Function(3, lambda a, b, c, s, q: -a),
    Function(4, lambda a, b, c, s, q: a * b),
    Function(5, lambda a, b, c, s, q: a * b + c),
    Function(6, lambda a, b, c, s, q: a * s),
    Function(7, lambda a, b, c, s, q: a + s),
    Function(8, lambda a, b, c, s, q: a + b * s, any_word=1),
    Function(9, lambda a, b, c, s, q: (a - b) * s),
    Function(10, lambda a, b, c, s, q: (a - b) * s + c),
    Function(11, lambda a, b, c, s, q: a, any_word=0),
]
CENTRE = 12
#: Turns of a, b and c: apart, two in one memory, all in one.
TURNS = [(0, 0, 0), (0, 1, 0), (1, 0, 1), (0, 1, 2)]


async def run(dut, towers: list[list[int]], turns: tuple[int, ...], **given: int) -> list[int]:
    """The tower that an operation writes; its reads and its cycles are as the header says."""
    settings = parameters()
    banks, width, latency = settings["Banks"], settings["Width"], settings["MulStages"] + 3
    rows, per_row = len(towers[0]) // banks, max(turns) + 1
    dut.last_row_i.value, dut.turns_i.value = rows - 1, per_row - 1
    dut.turn_i.value = sum(turn << (2 * i) for i, turn in enumerate(turns))
    for name, value in given.items():
        getattr(dut, name).value = value
    dut.start_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.start_i.value = 0
    written: dict[int, int] = {}
    for cycle in range(rows * per_row + latency):
        await ReadOnly()
        row, turn = divmod(cycle, per_row)
        due = [turn == own and row < rows for own in turns]
        assert [bool(int(dut.read_o.value) >> i & 1) for i in range(OPERANDS)] == due
        words = 0
        if any(due):
            assert int(dut.read_row_o.value) == row
            for i, tower in enumerate(towers):
                for bank in range(banks) if due[i] else ():
                    word = tower[row * banks + bank]
                    words |= word << (width * (i * banks + bank))
        back, turn = divmod(cycle - latency, per_row)
        writes = turn == per_row - 1 and back >= 0
        assert flag(dut.write_o) == writes
        assert flag(dut.done_o) == (writes and back == rows - 1)
        if writes:
            assert int(dut.write_row_o.value) == back
            value, mask = int(dut.write_data_o.value), (1 << width) - 1
            for bank in range(banks):
                written[back * banks + bank] = value >> (width * bank) & mask
        await RisingEdge(dut.clk_i)
        dut.read_data_i.value = words
    return [written[i] for i in range(len(towers[0]))]


@cocotb.test()
async def functions_are_their_definition_in_the_stated_cycles(dut):
    settings, rng = parameters(), random_source()
    width, most = settings["Width"], 1 << settings["RowWidth"]
    dut.read_data_i.value = 0
    await start(dut, ["start_i"])
    for q in moduli(rng, 3, width, 3):
        for name, value in barrett_constants(q, width).items():
            getattr(dut, name).value = value
        for function in FUNCTIONS:
            turns, rows = rng.choice(TURNS), rng.randrange(1, most + 1)
            n, s = rows * settings["Banks"], rng.randrange(q)
            limits = [1 << width if i == function.any_word else q for i in range(OPERANDS)]
            towers = [[rng.randrange(limit) for _ in range(n)] for limit in limits]
            result = await run(dut, towers, turns, function_i=function.code, constant_i=s, half_i=0)
            wanted = [function.of(*words, s, q) % q for words in zip(*towers, strict=True)]
            assert result == wanted, (function.code, q)
        # Integers around 0 modulo other primes, where they turn too.
        for other in moduli(rng, 3, width, 3):
            half = other // 2
            edge = [0, 1, half - 1, half, half + 1, other - 1]
            words = [edge[i] if i < len(edge) else rng.randrange(other) for i in range(4 * 8)]
            words = words[: most * settings["Banks"]]
            words = words[: len(words) // settings["Banks"] * settings["Banks"]]
            towers = [words, [0] * len(words), [0] * len(words)]
            result = await run(
                dut,
                towers,
                (0, 0, 0),
                function_i=CENTRE,
                constant_i=other % q,
                half_i=half,
            )
            assert result == [(w if w <= half else w - other) % q for w in words]
