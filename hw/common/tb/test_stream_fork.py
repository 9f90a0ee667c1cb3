"""stream_fork: each output takes every word once; stream_join: takes all inputs at once or none."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from harness.bench import parameters
from harness.stream import STALLS, Stall, flag, random_source, start

CYCLES = 500


@pytest.mark.parametrize("outputs", [1, 2, 5])
def test_stream_fork(bench, outputs):
    bench("stream_fork", Outputs=outputs)


@pytest.mark.parametrize("inputs", [1, 3])
def test_stream_join(bench, inputs):
    bench("stream_join", Inputs=inputs)


def bits(flags):
    return sum(1 << i for i, value in enumerate(flags) if value)


async def fork(dut, stall_in, stall_out):
    outputs = parameters()["Outputs"]
    rng = random_source()
    stall_in, stall_out = Stall(stall_in, rng), Stall(stall_out, rng)
    await start(dut, ["valid_i", "ready_i"])
    waiting, taken, accepted = False, [0] * outputs, 0
    for _ in range(CYCLES):
        waiting = waiting or not stall_in()
        ready = [not stall_out() for _ in range(outputs)]
        dut.valid_i.value = waiting
        dut.ready_i.value = bits(ready)
        await RisingEdge(dut.clk_i)
        # An output is offered the present word until it has taken it.
        wants = [waiting and count == accepted for count in taken]
        assert int(dut.valid_o.value) == bits(wants)
        taken = [n + (w and r) for n, w, r in zip(taken, wants, ready, strict=True)]
        if waiting:
            done = all(count == accepted + 1 for count in taken)
            assert flag(dut.ready_o) == done
            accepted += done
            waiting = not done
    assert accepted > 0


async def join(dut):
    inputs = parameters()["Inputs"]
    for valid in range(1 << inputs):
        for ready in (0, 1):
            dut.valid_i.value, dut.ready_i.value = valid, ready
            await Timer(1, "ns")
            everyone = (1 << inputs) - 1
            assert flag(dut.valid_o) == (valid == everyone)
            assert int(dut.ready_o.value) == (everyone if valid == everyone and ready else 0)


@cocotb.test()
@cocotb.parametrize(stall_in=STALLS, stall_out=STALLS)
async def handshakes_are_right(dut, stall_in, stall_out):
    if "Inputs" in parameters():
        await join(dut)
    else:
        await fork(dut, stall_in, stall_out)
