"""fifo and stream_register: order, nothing lost or doubled, latency, full rate, random stalls."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness import latency
from harness.bench import parameters
from harness.stream import STALLS, Stall, flag, random_source, start

WIDTH = 24
CYCLES = 600


@pytest.mark.parametrize("depth", [1, 2, 3, 8, 21])
def test_fifo(bench, depth):
    bench("fifo", Depth=depth, Width=WIDTH)


@pytest.mark.parametrize("cut_ready", [0, 1])
def test_stream_register(bench, cut_ready):
    bench("stream_register", CutReady=cut_ready, Width=WIDTH)


def capacity():
    """Words that fit; a stream register of one entry takes a word as another leaves."""
    settings = parameters()
    if "Depth" in settings:
        return settings["Depth"], False
    return (2, False) if settings["CutReady"] else (1, True)


class Queue:
    """What the stream must do, cycle by cycle."""

    def __init__(self) -> None:
        self.words = []  # (word, first cycle in which it is offered)
        self.places, self.passes = capacity()
        self.delay = latency.FIFO if "Depth" in parameters() else latency.STREAM_REGISTER

    def offers(self, cycle):
        return self.words[0][0] if self.words and self.words[0][1] <= cycle else None

    def accepts(self, ready):
        return len(self.words) < self.places or (self.passes and ready)

    def step(self, cycle, pushed, popped):
        if popped:
            self.words.pop(0)
        if pushed is not None:
            self.words.append((pushed, cycle + self.delay))


@cocotb.test()
@cocotb.parametrize(stall_in=STALLS, stall_out=STALLS)
async def every_cycle_is_as_the_queue_says(dut, stall_in, stall_out):
    rng = random_source()
    stall_in, stall_out = Stall(stall_in, rng), Stall(stall_out, rng)
    await start(dut, ["valid_i", "ready_i"])
    queue, word = Queue(), None
    for cycle in range(CYCLES):
        # A word that was offered stays until it is taken.
        if word is None and not stall_in():
            word = rng.getrandbits(WIDTH)
        ready = not stall_out()
        dut.valid_i.value = word is not None
        dut.data_i.value = word or 0
        dut.ready_i.value = ready
        await RisingEdge(dut.clk_i)
        offered = queue.offers(cycle)
        assert flag(dut.valid_o) == (offered is not None), cycle
        assert offered is None or int(dut.data_o.value) == offered, cycle
        assert flag(dut.ready_o) == queue.accepts(ready), cycle
        if hasattr(dut, "usage_o"):
            assert int(dut.usage_o.value) == len(queue.words), cycle
        accepted = word if flag(dut.ready_o) else None
        queue.step(cycle, accepted, offered is not None and ready)
        word = None if accepted is not None else word
