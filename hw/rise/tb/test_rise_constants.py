"""rise_constants: two sets of words in the order of a call; the shift that the unit finds."""

from __future__ import annotations

import cocotb
from cocotb.triggers import ReadWrite, RisingEdge

from harness.bench import parameters
from harness.modular import barrett_constants, moduli
from harness.stream import random_source, start

SETTINGS = {"WordBits": 30, "LogNMax": 5, "Sets": 2, "PortWords": 4}


def test_rise_constants(bench):
    bench("rise_constants", **SETTINGS)


@cocotb.test()
async def words_are_where_the_units_look(dut):
    settings = parameters()
    bits, width = settings["WordBits"], settings["WordBits"] + 2
    rng = random_source()
    await start(dut, ["valid_i"])
    for number, q in enumerate(moduli(rng, 20, bits, 4)):
        chosen = number % settings["Sets"]
        barrett = barrett_constants(q, bits)
        rest = [rng.randrange(q) for _ in range(2 + 2 * settings["LogNMax"])]
        words = [q, barrett["reciprocal_i"] - (1 << width), *rest]
        dut.valid_i.value = 1
        dut.set_i.value = chosen
        for first in range(0, len(words), settings["PortWords"]):
            beat = words[first : first + settings["PortWords"]]
            dut.index_i.value = first
            dut.data_i.value = sum(word << (i * width) for i, word in enumerate(beat))
            await RisingEdge(dut.clk_i)
        dut.valid_i.value = 0
        dut.multiplier_set_i.value = dut.table_set_i.value = chosen
        for k in range(settings["LogNMax"]):
            dut.table_power_i.value = k
            await RisingEdge(dut.clk_i)
            assert int(dut.power_o.value) == rest[2 + 2 * k]
            assert int(dut.inverse_power_o.value) == rest[3 + 2 * k]
        await ReadWrite()
        for name, value in barrett.items():
            assert int(getattr(dut, name.replace("_i", "_o")).value) == value, name
        assert int(dut.scale_o.value) == rest[0] | rest[1] << bits
