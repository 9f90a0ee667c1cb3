"""mem_1rw and mem_1r1w: what was written is read one cycle later, and stays."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness import latency
from harness.bench import parameters
from harness.stream import random_source, start

ACCESSES = 2000


@pytest.mark.parametrize("top", ["mem_1rw", "mem_1r1w"])
@pytest.mark.parametrize(("words", "width"), [(1, 8), (24, 30), (64, 128)])
def test_memories(bench, top, words, width):
    bench(top, Words=words, Width=width)


def drive(dut, read, write, data):
    """Requests of one cycle: addresses, or None."""
    if hasattr(dut, "request_i"):
        dut.request_i.value = read is not None or write is not None
        dut.write_i.value = write is not None
        dut.address_i.value = (write if read is None else read) or 0
    else:
        dut.read_i.value, dut.write_i.value = read is not None, write is not None
        dut.read_address_i.value, dut.write_address_i.value = read or 0, write or 0
    dut.write_data_i.value = data


@cocotb.test()
async def words_read_back(dut):
    assert latency.MEMORY_READ == 1
    words, width = parameters()["Words"], parameters()["Width"]
    rng = random_source()
    await start(dut, ["request_i" if hasattr(dut, "request_i") else "read_i", "write_i"])
    held, shown = {}, None
    for _ in range(ACCESSES):
        write = rng.randrange(words) if rng.random() < 0.5 else None
        readable = [a for a in held if a != write]
        read = rng.choice(readable) if readable and rng.random() < 0.5 else None
        if hasattr(dut, "request_i") and read is not None:
            write = None
        data = rng.getrandbits(width)
        drive(dut, read, write, data)
        await RisingEdge(dut.clk_i)
        # Read data belong to the request of the cycle before, or an earlier one.
        assert shown is None or int(dut.read_data_o.value) == shown
        if read is not None:
            shown = held[read]
        if write is not None:
            held[write] = data
    assert shown is not None
