"""barrett_mul: values against Python's integers, and the latency, for every modulus width."""

from __future__ import annotations

import cocotb
import pytest

from harness import latency
from harness.bench import parameters
from harness.modular import barrett_constants, moduli, operand
from harness.stream import Rigid, Stall, random_source, start

PRODUCTS = 150
SLICED = {"Products": "Sliced"}
SHORT = {"Quotient": "WithoutLowHalf"}


@pytest.mark.parametrize(
    "settings",
    [
        {"Width": 30, "Stages": 8},
        # More registers than levels of gates.
        {"Width": 4, "Stages": 60},
        {"Width": 6, "Stages": 4, "Interval": 2},
        {"Width": 30, "Stages": 9, "Interval": 2},
        SLICED | {"Width": 30, "Stages": 8},
        SLICED | SHORT | {"Width": 60, "Stages": 10},
        SLICED | {"Width": 64, "Stages": 2, "MinModulusBits": 64},
        SLICED | {"Width": 128, "Stages": 22},
        SLICED | {"Width": 30, "Stages": 9, "Interval": 2},
        SLICED | SHORT | {"Width": 60, "Stages": 7, "Interval": 2},
        *(
            pytest.param(settings, marks=pytest.mark.slow)
            for settings in (
                {"Width": 30, "Stages": 1, "MinModulusBits": 30},
                {"Width": 54, "Stages": 3, "MinModulusBits": 20},
                {"Width": 64, "Stages": 17, "MinModulusBits": 64},
                {"Width": 128, "Stages": 14},
                {"Width": 128, "Stages": 21, "Interval": 2},
                SLICED | SHORT | {"Width": 128, "Stages": 13},
                SLICED | {"Width": 128, "Stages": 21, "Interval": 2},
            )
        ),
    ],
    ids=str,
)
def test_barrett_mul(bench, settings):
    bench("barrett_mul", **settings)


@cocotb.test()
async def products_are_reduced_and_on_time(dut):
    settings = {"MinModulusBits": 3, "Interval": 1} | parameters()
    rng = random_source()
    pipe = Rigid(dut, latency.barrett_mul(settings["Stages"]), lambda: int(dut.product_o.value))
    await start(dut, ["valid_i"])
    wanted = 0
    for q in moduli(rng, settings["MinModulusBits"], settings["Width"], 8):
        for name, value in barrett_constants(q, settings["Width"]).items():
            getattr(dut, name).value = value
        gap = Stall(rng.choice((0.0, 0.5)), rng)
        for _ in range(PRODUCTS):
            if gap():
                await pipe.cycle()
            a, b = operand(rng, q), operand(rng, q)
            await pipe.operation({"a_i": a, "b_i": b}, a * b % q, settings["Interval"])
            wanted += 1
        await pipe.drain()
    assert pipe.compared == wanted
