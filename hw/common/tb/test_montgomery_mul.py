"""montgomery_mul: values against Python's integers, and the latency."""

from __future__ import annotations

import cocotb
import pytest

from harness import latency
from harness.bench import parameters
from harness.modular import moduli, operand
from harness.stream import Rigid, Stall, random_source, start

PRODUCTS = 150


@pytest.mark.parametrize(
    ("width", "stages", "interval"),
    [(30, 8, 1), (30, 1, 1), (60, 5, 1), (128, 19, 1), (30, 9, 2), (64, 15, 2)],
)
def test_montgomery_mul(bench, width, stages, interval):
    bench("montgomery_mul", Width=width, Stages=stages, Interval=interval)


@cocotb.test()
async def products_are_reduced_and_on_time(dut):
    width, stages = parameters()["Width"], parameters()["Stages"]
    rng = random_source()
    pipe = Rigid(dut, latency.montgomery_mul(stages), lambda: int(dut.product_o.value))
    await start(dut, ["valid_i"])
    wanted = 0
    for q in moduli(rng, 2, width, 8):
        dut.modulus_i.value = q
        dut.inverse_i.value = pow(q, -1, 1 << width)
        per_radix = pow(1 << width, -1, q)
        gap = Stall(rng.choice((0.0, 0.5)), rng)
        for _ in range(PRODUCTS):
            if gap():
                await pipe.cycle()
            a, b = operand(rng, q), operand(rng, q)
            expected = a * b * per_radix % q
            await pipe.operation({"a_i": a, "b_i": b}, expected, parameters()["Interval"])
            wanted += 1
        await pipe.drain()
    assert pipe.compared == wanted
