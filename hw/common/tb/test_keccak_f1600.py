"""keccak_f1600: SHA3-256 as hashlib computes it, latency, interval, stalls on both sides."""

from __future__ import annotations

import hashlib
import itertools

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness import latency
from harness.bench import parameters
from harness.stream import STALLS, Stall, flag, random_source, start

RATE_BYTES = 136
DIGEST_BITS = 256
MESSAGES = 12


@pytest.mark.parametrize(
    "rounds", [1, 2, 3, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in (8, 12, 24))]
)
def test_keccak_f1600(bench, rounds):
    bench("keccak_f1600", RoundsPerCycle=rounds)


def padded(message):
    """The state that absorbs a message of less than one block (FIPS 202, SHA3-256)."""
    block = bytearray(message + b"\x06" + bytes(RATE_BYTES - len(message) - 1))
    block[-1] ^= 0x80
    return int.from_bytes(block, "little")


def digest(state):
    return (state % (1 << DIGEST_BITS)).to_bytes(DIGEST_BITS // 8, "little")


async def send(dut, messages, stall, accepted):
    cycle = 0
    for message in messages:
        while stall():
            dut.valid_i.value = 0
            await RisingEdge(dut.clk_i)
            cycle += 1
        dut.valid_i.value = 1
        dut.state_i.value = padded(message)
        await RisingEdge(dut.clk_i)
        while not flag(dut.ready_o):
            cycle += 1
            await RisingEdge(dut.clk_i)
        accepted.append(cycle)
        cycle += 1
    dut.valid_i.value = 0


async def receive(dut, count, stall, offered, taken):
    cycle, waiting = 0, False
    while len(taken) < count:
        dut.ready_i.value = not stall()
        await RisingEdge(dut.clk_i)
        if flag(dut.valid_o) and not waiting:
            offered.append(cycle)
        waiting = flag(dut.valid_o) and not flag(dut.ready_i)
        if flag(dut.valid_o) and flag(dut.ready_i):
            taken.append(digest(int(dut.state_o.value)))
        cycle += 1


@cocotb.test()
@cocotb.parametrize(stall_in=STALLS[:3], stall_out=STALLS[:3])
async def hashes_are_right_and_on_time(dut, stall_in, stall_out):
    rng = random_source()
    messages = [rng.randbytes(rng.randrange(RATE_BYTES)) for _ in range(MESSAGES)]
    accepted, offered, taken = [], [], []
    await start(dut, ["valid_i", "ready_i"])
    sender = cocotb.start_soon(send(dut, messages, Stall(stall_in, rng), accepted))
    await receive(dut, len(messages), Stall(stall_out, rng), offered, taken)
    await sender
    assert taken == [hashlib.sha3_256(message).digest() for message in messages]
    cycles = latency.keccak_f1600(parameters()["RoundsPerCycle"])
    assert [end - begin for begin, end in zip(accepted, offered, strict=True)] == [
        cycles
    ] * MESSAGES
    if stall_in == stall_out == 0:
        intervals = [b - a for a, b in itertools.pairwise(accepted)]
        assert intervals == [cycles] * (MESSAGES - 1)
