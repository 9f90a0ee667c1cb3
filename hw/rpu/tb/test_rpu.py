"""rpu: memories over AXI4, a program started and awaited over APB, and what is refused."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.machine import port_bytes
from harness.stream import Stall, flag, random_source, start

SMALL = {"Hples": 2, "Banks": 4, "VectorLength": 16, "VdmWords": 256, "SdmWords": 16, "ImWords": 64}
# Neither is at stake here: what is quickest to build.
SMALL |= {"VrfPorts": "unlimited", "Products": "Sliced"}
OKAY, SLAVE_ERROR = 0, 2
FIXED, INCREMENTAL = 0, 1
# `memory_e` of rpu_pkg.
INSTRUCTIONS, SCALARS, VECTORS = range(3)
# Offsets of spec/rpu/regs.toml.
CONTROL, FIRST, COUNT, STATUS, CYCLES, MACHINE = 0x00, 0x04, 0x08, 0x0C, 0x10, 0x14
BUSY, DONE, ILLEGAL, REFUSED = 1, 2, 4, 8
TIMEOUT = 2000


@pytest.mark.parametrize("word_bits", [30, pytest.param(128, marks=pytest.mark.slow)])
def test_rpu(bench, word_bits):
    bench("rpu", WordBits=word_bits, PortBytes=port_bytes(word_bits), **SMALL)


def aload(register, address):
    return 0x3000_0000_2000 | address << 24 | register << 6


def vload(register, base, offset):
    return 0x1000_0000_0000 | offset << 24 | register << 18 | base


def vstore(register, base, offset):
    return 0x2000_0000_0000 | offset << 24 | register << 18 | base


class Master:
    """One burst at a time, with pauses on both sides."""

    def __init__(self, dut, rng, pause):
        self.dut = dut
        self.bytes = len(dut.w_strb_i)
        self.pause = Stall(pause, rng)

    async def _offer(self, channel, **values):
        for name, value in values.items():
            getattr(self.dut, f"{channel}_{name}_i").value = value
        valid = getattr(self.dut, f"{channel}_valid_i")
        while self.pause():
            await RisingEdge(self.dut.clk_i)
        valid.value = 1
        await RisingEdge(self.dut.clk_i)
        while not flag(getattr(self.dut, f"{channel}_ready_o")):
            await RisingEdge(self.dut.clk_i)
        valid.value = 0

    async def _take(self, channel, names):
        ready = getattr(self.dut, f"{channel}_ready_i")
        while True:
            ready.value = not self.pause()
            await RisingEdge(self.dut.clk_i)
            if flag(getattr(self.dut, f"{channel}_valid_o")) and flag(ready):
                ready.value = 0
                return [int(getattr(self.dut, f"{channel}_{name}_o").value) for name in names]

    def _burst(self, memory, index, count, more):
        kind = {"size": self.bytes.bit_length() - 1, "burst": INCREMENTAL, "id": 5} | more
        return {"addr": memory << 30 | index * self.bytes, "len": count - 1} | kind

    async def write(self, memory, index, words, strobes=None, **more):
        await self._offer("aw", **self._burst(memory, index, len(words), more))
        full = (1 << self.bytes) - 1
        for i, word in enumerate(words):
            strobe = full if strobes is None else strobes
            await self._offer("w", data=word, strb=strobe, last=i == len(words) - 1)
        response, name = await self._take("b", ["resp", "id"])
        assert name == 5
        return response

    async def read(self, memory, index, count, **more):
        await self._offer("ar", **self._burst(memory, index, count, more))
        beats = [await self._take("r", ["data", "resp", "id", "last"]) for _ in range(count)]
        assert [last for *_, last in beats] == [0] * (count - 1) + [1]
        assert {name for _, _, name, _ in beats} == {5}
        return [data for data, *_ in beats], {response for _, response, *_ in beats}


async def register(dut, offset, data=None):
    """One APB access."""
    dut.apb_psel_i.value, dut.apb_pwrite_i.value = 1, data is not None
    dut.apb_paddr_i.value, dut.apb_pwdata_i.value = offset, data or 0
    await RisingEdge(dut.clk_i)
    dut.apb_penable_i.value = 1
    await RisingEdge(dut.clk_i)
    value = int(dut.apb_prdata_o.value)
    assert not flag(dut.apb_pslverr_o)
    dut.apb_psel_i.value = dut.apb_penable_i.value = 0
    return value


async def begin(dut):
    channels = ("aw", "w", "ar")
    names = [f"{channel}_valid_i" for channel in channels] + ["b_ready_i", "r_ready_i"]
    names += [f"mem_{channel}_ready_i" for channel in channels]
    names += ["mem_r_valid_i", "mem_r_resp_i", "mem_r_last_i", "mem_b_valid_i", "mem_b_resp_i"]
    await start(dut, [*names, "apb_psel_i", "apb_penable_i"])


async def launch(dut, first, count):
    await register(dut, FIRST, first)
    await register(dut, COUNT, count)
    await register(dut, CONTROL, 1)


async def finished(dut):
    for _ in range(TIMEOUT):
        if flag(dut.irq_o):
            return
        await RisingEdge(dut.clk_i)
    raise AssertionError("no interrupt")


def sizes():
    p = parameters()
    word = p["WordBits"]
    return {
        INSTRUCTIONS: (p["ImWords"], 64),
        SCALARS: (p["SdmWords"], word),
        VECTORS: (p["VdmWords"], word),
    }


@cocotb.test()
async def memories_keep_what_is_written(dut):
    rng = random_source()
    await begin(dut)
    for pause in (0.0, 0.4):
        master = Master(dut, rng, pause)
        held = {}
        for memory, (words, width) in sizes().items():
            held[memory] = [rng.getrandbits(width) for _ in range(words)]
            for index in range(0, words, 64):
                part = held[memory][index : index + 64]
                assert await master.write(memory, index, part) == OKAY
        for memory, (words, _) in sizes().items():
            index = rng.randrange(words)
            count = rng.randint(1, min(words - index, 256))
            found, responses = await master.read(memory, index, count)
            assert found == held[memory][index : index + count]
            assert responses == {OKAY}


@cocotb.test()
async def what_cannot_be_served_is_an_error_and_changes_nothing(dut):
    rng = random_source()
    await begin(dut)
    master = Master(dut, rng, 0.1)
    words, width = sizes()[VECTORS]
    held = [rng.getrandbits(width) for _ in range(4)]
    assert await master.write(VECTORS, words - 4, held) == OKAY
    other = [word ^ 1 for word in held]
    narrow = {"size": 1}
    assert await master.write(VECTORS, words - 4, other, **narrow) == SLAVE_ERROR
    assert await master.write(VECTORS, words - 4, other, burst=FIXED) == SLAVE_ERROR
    assert await master.write(VECTORS, words - 4, other, strobes=1) == SLAVE_ERROR
    assert await master.write(3, 0, other) == SLAVE_ERROR
    assert await master.write(VECTORS, words, other) == SLAVE_ERROR
    for index, more in ((words, {}), (0, narrow), (0, {"burst": FIXED})):
        found, responses = await master.read(VECTORS, index, 2, **more)
        assert found == [0, 0]
        assert responses == {SLAVE_ERROR}
    # Only the last of these lies beyond.
    _, responses = await master.read(VECTORS, words - 1, 2)
    assert responses == {OKAY, SLAVE_ERROR}
    assert await master.read(VECTORS, words - 4, 4) == (held, {OKAY})


@cocotb.test()
async def a_program_runs_and_says_so(dut):
    rng = random_source()
    await begin(dut)
    master = Master(dut, rng, 0.0)
    length = parameters()["VectorLength"]
    word_bits = parameters()["WordBits"]
    source = [rng.getrandbits(word_bits) for _ in range(length)]
    first, base, distance = 7, 32, 64
    program = [aload(3, 1), vload(9, 3, 0), vstore(9, 3, distance)]
    assert await master.write(SCALARS, 1, [base]) == OKAY
    assert await master.write(VECTORS, base, source) == OKAY
    assert await master.write(INSTRUCTIONS, first, [*program, 0]) == OKAY
    for count, illegal in ((3, 0), (4, ILLEGAL)):
        await launch(dut, first, count)
        assert await register(dut, STATUS) & (BUSY | DONE) == BUSY
        # The memories are the program's; a second start is none.
        found, responses = await master.read(VECTORS, base, 1)
        assert (found, responses) == ([0], {SLAVE_ERROR})
        await register(dut, CONTROL, 1)
        await finished(dut)
        assert await register(dut, STATUS) == DONE | illegal | REFUSED
        await RisingEdge(dut.clk_i)
        assert not flag(dut.irq_o)
        assert await register(dut, STATUS) == illegal
        assert 0 < await register(dut, CYCLES) < TIMEOUT
        assert await master.read(VECTORS, base + distance, length) == (source, {OKAY})
        assert await master.write(VECTORS, base + distance, [0] * length) == OKAY
    # Nothing to do is done at once; what would run off the memory is not started.
    await launch(dut, 0, 0)
    await finished(dut)
    assert await register(dut, CYCLES) == 0
    await register(dut, STATUS)
    await launch(dut, parameters()["ImWords"] - 2, 3)
    assert await register(dut, STATUS) & REFUSED
    machine = await register(dut, MACHINE)
    assert machine >> 16 & 255 == word_bits
    assert 1 << (machine >> 24) == parameters()["PortBytes"]
    assert machine >> 8 & 15 == length.bit_length() - 1
