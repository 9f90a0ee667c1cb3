"""mod_add and mod_sub: all pairs of small moduli, corners and random operands of large ones; with
registers inside a result every cycle, on time.
"""

from __future__ import annotations

from itertools import product

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from harness.bench import parameters
from harness.modular import moduli, operand
from harness.stream import random_source, start

PAIRS = 200


@pytest.mark.parametrize("top", ["mod_add", "mod_sub"])
@pytest.mark.parametrize(("width", "stages"), [(4, 0), (30, 3), (128, 0)])
def test_mod_add(bench, top, width, stages):
    bench(top, Width=width, Stages=stages)


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
    stages = parameters()["Stages"]
    due = [None] * stages
    await start(dut)
    for operands in cases(parameters()["Width"]):
        dut.modulus_i.value, dut.a_i.value, dut.b_i.value = operands
        await (RisingEdge(dut.clk_i) if stages else Timer(1, "ps"))
        due.append(operands)
        if (left := due.pop(0)) is not None:
            q, a, b = left
            found = int((dut.sum_o if adds else dut.difference_o).value)
            assert found == (a + b if adds else a - b) % q, left
