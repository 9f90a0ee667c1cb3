"""compressed_product: two numbers that sum to the product and the rows beside it, or to less by as
much as the dropped columns may hold.
"""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.stream import random_source, start

PRODUCTS = 300


@pytest.mark.parametrize(
    "settings",
    [
        {"AWidth": 5, "BWidth": 4, "ProductWidth": 9},
        {"AWidth": 12, "BWidth": 11, "ProductWidth": 13, "Extra": 2, "Stages": 3},
        {"AWidth": 21, "BWidth": 21, "ProductWidth": 42, "Dropped": 16, "Stages": 2},
        {"AWidth": 13, "BWidth": 12, "ProductWidth": 25, "Extra": 1, "Interval": 2, "Stages": 4},
        {
            **{"AWidth": 21, "BWidth": 20, "ProductWidth": 41, "Dropped": 16},
            **{"Interval": 2, "Stages": 1},
        },
    ],
    ids=str,
)
def test_compressed_product(bench, settings):
    bench("compressed_product", **settings)


@cocotb.test()
async def both_numbers_sum_to_the_product(dut):
    settings = {"Extra": 0, "Dropped": 0, "Interval": 1, "Stages": 0} | parameters()
    width, interval = settings["ProductWidth"], settings["Interval"]
    rows = settings["BWidth"] // 2 + 2
    short = (rows + 4) << settings["Dropped"] if settings["Dropped"] else 1
    rng = random_source()
    due = [None] * (settings["Stages"] + interval - 1)
    await start(dut, ["valid_i"])
    for _ in range(PRODUCTS):
        a, b = corner(rng, settings["AWidth"]), corner(rng, settings["BWidth"])
        extra = [rng.getrandbits(width) for _ in range(settings["Extra"])]
        dut.a_i.value, dut.b_i.value = a, b
        for index, word in enumerate(extra):
            dut.extra_i[index].value = word
        for cycle in range(interval):
            dut.valid_i.value = cycle == 0
            due.append(a * b + sum(extra) if cycle == 0 else None)
            await RisingEdge(dut.clk_i)
            if (expected := due.pop(0)) is not None:
                found = int(dut.sum_o.value) + int(dut.carry_o.value)
                assert (expected - found) % (1 << width) < short, (a, b)


def corner(rng, width):
    """A word; those whose digits are all alike come often."""
    words = (0, 1, (1 << width) - 1, 1 << (width - 1), (1 << width) // 3)
    return rng.choice(words) if rng.random() < 0.2 else rng.getrandbits(width)
