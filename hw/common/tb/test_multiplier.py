"""multiplier: exact, truncated, and short of the product of the low parts where asked to."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.stream import flag, random_source, start

PRODUCTS = 400


@pytest.mark.parametrize(
    "settings",
    [
        {"AWidth": 7, "BWidth": 5, "ProductWidth": 12, "Stages": 7},
        {"AWidth": 33, "BWidth": 30, "ProductWidth": 31, "Stages": 2},
        {"AWidth": 33, "BWidth": 33, "ProductWidth": 66, "ADropped": 16, "BDropped": 17},
        {"AWidth": 131, "BWidth": 131, "ProductWidth": 262, "Stages": 0, "BDropped": 66},
        {"AWidth": 7, "BWidth": 5, "ProductWidth": 12, "Stages": 2, "Interval": 2},
        {"AWidth": 33, "BWidth": 30, "ProductWidth": 31, "Stages": 6, "Interval": 2},
        {
            **{"AWidth": 33, "BWidth": 33, "ProductWidth": 66, "ADropped": 16, "BDropped": 17},
            **{"Stages": 8, "Interval": 2},
        },
    ],
    ids=str,
)
def test_multiplier(bench, settings):
    bench("multiplier", **settings)


def product(a, b, settings):
    low = [x % (1 << settings.get(name, 0)) for x, name in ((a, "ADropped"), (b, "BDropped"))]
    return (a * b - low[0] * low[1]) % (1 << settings["ProductWidth"])


@cocotb.test()
async def products_leave_after_all_stages(dut):
    settings = {"Stages": 2, "Interval": 1} | parameters()
    rng = random_source()
    due = [None] * settings["Stages"]
    await start(dut, ["valid_i"])
    for _ in range(PRODUCTS):
        a, b = rng.getrandbits(settings["AWidth"]), rng.getrandbits(settings["BWidth"])
        dut.a_i.value, dut.b_i.value = a, b
        for cycle in range(settings["Interval"]):
            dut.valid_i.value = cycle == 0
            due.append((a, b) if cycle == 0 else None)
            await RisingEdge(dut.clk_i)
            if operands := due.pop(0):
                assert flag(dut.valid_o), "valid_o at the wrong time"
                assert int(dut.product_o.value) == product(*operands, settings), operands
