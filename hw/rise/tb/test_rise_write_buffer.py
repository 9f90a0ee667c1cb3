"""rise_write_buffer: the bank's port in every cycle, against a queue that is often full."""

from __future__ import annotations

from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.stream import flag, random_source, start

CYCLES = 1500


@pytest.mark.parametrize("depth", [0, 3])
def test_rise_write_buffer(bench, depth):
    bench("rise_write_buffer", Depth=depth, RowWidth=4, Width=20)


@cocotb.test()
async def the_port_reads_first_and_writes_in_order(dut):
    depth = parameters()["Depth"]
    rng = random_source()
    await start(dut, ["read_i", "write_i"])
    waiting: deque[tuple[int, int]] = deque()
    deepest = 0
    for _ in range(CYCLES):
        rows = {row for row, _ in waiting}
        read_row = rng.randrange(16)
        read = rng.random() < 0.5 and read_row not in rows
        write = rng.random() < 0.5 and not (read and len(waiting) == depth)
        word = (rng.randrange(16), rng.randrange(1 << 20))
        dut.read_i.value = read
        dut.read_row_i.value = read_row
        dut.write_i.value = write
        dut.write_row_i.value, dut.write_data_i.value = word
        await RisingEdge(dut.clk_i)
        assert int(dut.usage_o.value) == len(waiting)
        if write:
            waiting.append(word)
        written = None if read or not waiting else waiting.popleft()
        assert flag(dut.request_o) == (read or written is not None)
        assert flag(dut.write_o) == (written is not None)
        if read:
            assert int(dut.row_o.value) == read_row
        if written:
            assert (int(dut.row_o.value), int(dut.data_o.value)) == written
        deepest = max(deepest, len(waiting))
    assert deepest == depth
