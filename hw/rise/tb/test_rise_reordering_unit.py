"""rise_reordering_unit: which words leave together, and when; stalls between issues."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.stream import Stall, flag, random_source, start

GROUPS = 60
BITS = 30


@pytest.mark.parametrize(("bfus", "latency"), [(2, 0), (1, 1)])
def test_rise_reordering_unit(bench, bfus, latency):
    bench("rise_reordering_unit", Bfus=bfus, WordBits=BITS, Latency=latency)


@cocotb.test()
async def groups_leave_as_half_rows(dut):
    settings = parameters()
    bfus, late = settings["Bfus"], settings["Latency"]
    rng = random_source()
    await start(dut, ["valid_i"])
    gap = Stall(0.3, rng)
    due: dict[int, list[int]] = {}
    group: list[tuple[list[int], list[int]]] = []
    cycle = left = 0
    while left < 4 * GROUPS:
        enters = not gap()
        sums, differences = ([rng.randrange(1 << BITS) for _ in range(bfus)] for _ in range(2))
        dut.valid_i.value = enters
        for port, words in ((dut.sum_i, sums), (dut.difference_i, differences)):
            port.value = sum(word << (i * BITS) for i, word in enumerate(words))
        await RisingEdge(dut.clk_i)
        if enters:
            group.append((sums, differences))
        if len(group) == 4:
            # Sums of issues 0 and 1, of 2 and 3; then the differences.
            halves = [(0, 0), (2, 0), (0, 1), (2, 1)]
            for j, (first, which) in enumerate(halves):
                words = group[first][which] + group[first + 1][which]
                due[cycle + late + j] = words
            group = []
        expected = due.pop(cycle, None)
        assert flag(dut.valid_o) == (expected is not None), cycle
        if expected:
            found = int(dut.data_o.value)
            assert [(found >> (i * BITS)) & ((1 << BITS) - 1) for i in range(2 * bfus)] == expected
            left += 1
        cycle += 1
