"""rr_arbiter: takes turns, never changes what it offers, loses nothing, under random stalls."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.stream import STALLS, Stall, flag, random_source, start

WIDTH = 16
CYCLES = 500


@pytest.mark.parametrize("inputs", [1, 2, 3, 8])
def test_rr_arbiter(bench, inputs):
    bench("rr_arbiter", Inputs=inputs, Width=WIDTH)


def winner(pointer, words):
    """The first input at or after the pointer that offers a word."""
    turns = [(pointer + i) % len(words) for i in range(len(words))]
    return next((i for i in turns if words[i] is not None), None)


@cocotb.test()
@cocotb.parametrize(stall_in=STALLS, stall_out=STALLS)
async def turns_are_taken(dut, stall_in, stall_out):
    inputs = parameters()["Inputs"]
    rng = random_source()
    stall_in, stall_out = Stall(stall_in, rng), Stall(stall_out, rng)
    await start(dut, ["valid_i", "ready_i"])
    words, pointer, held = [None] * inputs, 0, None
    for _ in range(CYCLES):
        words = [
            rng.getrandbits(WIDTH) if word is None and not stall_in() else word for word in words
        ]
        ready = not stall_out()
        dut.valid_i.value = sum(1 << i for i, word in enumerate(words) if word is not None)
        dut.data_i.value = sum((word or 0) << (WIDTH * i) for i, word in enumerate(words))
        dut.ready_i.value = ready
        await RisingEdge(dut.clk_i)
        expected = winner(pointer, words) if held is None else held
        assert flag(dut.valid_o) == (expected is not None)
        if expected is None:
            assert int(dut.ready_o.value) == 0
            continue
        assert int(dut.index_o.value) == expected
        assert int(dut.data_o.value) == words[expected]
        assert int(dut.ready_o.value) == ready << expected
        held = None if ready else expected
        if ready:
            words[expected], pointer = None, (expected + 1) % inputs
