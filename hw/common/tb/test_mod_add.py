"""mod_add and mod_sub: all pairs of small moduli, corners and random operands of large ones."""

from __future__ import annotations

from itertools import product

import cocotb
import pytest
from cocotb.triggers import Timer

from harness.bench import parameters
from harness.modular import moduli, operand
from harness.stream import random_source

PAIRS = 200


@pytest.mark.parametrize("top", ["mod_add", "mod_sub"])
@pytest.mark.parametrize("width", [4, 30, 128])
def test_mod_add(bench, top, width):
    bench(top, Width=width)


def cases(width):
    if width <= 4:
        for q in range(3, 1 << width, 2):
            yield from ((q, a, b) for a, b in product(range(q), repeat=2))
        return
    rng = random_source()
    for q in moduli(rng, 2, width, 8):
        yield from ((q, operand(rng, q), operand(rng, q)) for _ in range(PAIRS))


@cocotb.test()
async def the_result_is_reduced(dut):
    adds = hasattr(dut, "sum_o")
    for q, a, b in cases(parameters()["Width"]):
        dut.modulus_i.value, dut.a_i.value, dut.b_i.value = q, a, b
        await Timer(1, "ns")
        found = int((dut.sum_o if adds else dut.difference_o).value)
        assert found == (a + b if adds else a - b) % q, (q, a, b)
