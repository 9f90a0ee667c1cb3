"""butterfly: both forms against Python's integers, and the latency that they share."""

from __future__ import annotations

import cocotb
import pytest

from harness import latency
from harness.bench import parameters
from harness.modular import barrett_constants, moduli, operand
from harness.stream import Rigid, Stall, random_source, start

BUTTERFLIES = 150


@pytest.mark.parametrize("form", ["CooleyTukey", "GentlemanSande"])
@pytest.mark.parametrize(
    ("width", "mul_stages", "interval", "products"),
    [
        (14, 8, 1, "Compressed"),
        (30, 8, 1, "Sliced"),
        (60, 1, 1, "Sliced"),
        (128, 12, 1, "Sliced"),
        (30, 9, 2, "Sliced"),
    ],
)
def test_butterfly(bench, form, width, mul_stages, interval, products):  # noqa: PLR0913, PLR0917
    bench(
        "butterfly",
        **{"Form": form, "Width": width, "MulStages": mul_stages},
        **{"Interval": interval, "Products": products},
    )


def transformed(form, a, b, w, q):
    if form == "CooleyTukey":
        return (a + w * b) % q, (a - w * b) % q
    return (a + b) % q, (a - b) * w % q


@cocotb.test()
async def results_are_reduced_and_on_time(dut):
    settings = parameters()
    rng = random_source()
    pipe = Rigid(
        dut,
        latency.butterfly(settings["MulStages"]),
        lambda: (int(dut.a_o.value), int(dut.b_o.value)),
    )
    await start(dut, ["valid_i"])
    wanted = 0
    for q in moduli(rng, 3, settings["Width"], 4):
        for name, value in barrett_constants(q, settings["Width"]).items():
            getattr(dut, name).value = value
        gap = Stall(rng.choice((0.0, 0.5)), rng)
        for _ in range(BUTTERFLIES):
            if gap():
                await pipe.cycle()
            a, b, w = (operand(rng, q) for _ in range(3))
            operands = {"a_i": a, "b_i": b, "factor_i": w}
            expected = transformed(settings["Form"], a, b, w, q)
            await pipe.operation(operands, expected, settings["Interval"])
            wanted += 1
        await pipe.drain()
    assert pipe.compared == wanted
