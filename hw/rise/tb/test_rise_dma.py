"""rise_dma: every layout comes and goes, in the cycles that the header states, whatever stalls."""

from __future__ import annotations

import math
from itertools import pairwise

import cocotb
import pytest
from axi_memory import AxiMemory
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.stream import STALLS, Stall, flag, random_source, start

CONSTANTS, LOAD, ADDEND, STORE = range(4)
FORWARD_IN, FORWARD_OUT, INVERSE_IN, INVERSE_OUT = LAYOUTS = range(4)
LATENCY = 7
# The unit's own registers: the address, the word that came.
OWN_CYCLES = 2
WORD_BYTES = 4
INPUTS = ["start_i", "addend_ready_i", "bank_data_i", "ar_ready_i", "aw_ready_i", "w_ready_i"]
INPUTS += ["r_valid_i", "r_resp_i", "b_valid_i", "b_resp_i"]


# A burst below a beat is a beat.
@pytest.mark.parametrize(("port_words", "burst_bytes"), [(1, 64), (4, 64), (2, 4)])
def test_rise_dma(bench, port_words, burst_bytes):
    bench("rise_dma", PortWords=port_words, BurstBytes=burst_bytes, BankWords=512)


def lanes(value, count, width):
    return [(value >> (width * i)) & ((1 << width) - 1) for i in range(count)]


def joined(words, width):
    return sum(word << (width * i) for i, word in enumerate(words))


class Bench:
    def __init__(self, dut, log_n, stall):
        settings = parameters()
        self.dut = dut
        self.words = settings["PortWords"]
        self.burst_words = max(settings["BurstBytes"] // WORD_BYTES, self.words)
        self.log_n_max = int(math.log2(4 * settings["BankWords"]))
        self.log_n = log_n
        self.bytes = WORD_BYTES * self.words
        self.memory = AxiMemory(dut, self.bytes, LATENCY - OWN_CYCLES, stall)
        cocotb.start_soon(self.memory.run())

    def position(self, layout, index):
        """Logical bit b >= 2 ends at bit 2 + b mod (L - 2): Algorithm 1, line 26."""
        if layout in (FORWARD_IN, FORWARD_OUT):
            index = int(f"{index:0{self.log_n}b}"[::-1], 2)
        if layout in (FORWARD_IN, INVERSE_IN):
            return index
        address = index & 3
        for b in range(2, self.log_n):
            address |= (index >> b & 1) << (2 + b % (self.log_n - 2))
        return address

    def fill(self, base, words):
        for i in range(0, len(words), self.words):
            beat = joined(words[i : i + self.words], 8 * WORD_BYTES)
            self.memory.beats[base + WORD_BYTES * i] = beat

    def read_back(self, base, count):
        beats = [self.memory.beats[base + a] for a in range(0, WORD_BYTES * count, self.bytes)]
        return [word for beat in beats for word in lanes(beat, self.words, 8 * WORD_BYTES)]

    async def transfer(self, kind, layout, base, each_cycle):
        """Runs one transfer; returns the cycles it took."""
        dut = self.dut
        dut.transfer_i.value, dut.layout_i.value = kind, layout
        dut.address_i.value, dut.log_n_i.value = base, self.log_n
        dut.start_i.value = 1
        for cycle in range(100_000):
            await RisingEdge(dut.clk_i)
            dut.start_i.value = 0
            each_cycle(cycle)
            if flag(dut.done_o):
                return cycle + 1
        raise AssertionError("the transfer does not end")

    def banks(self):
        """The words that cross the ports of the banks in this cycle: addresses and words."""
        addresses = lanes(int(self.dut.bank_address_o.value), self.words, self.log_n_max)
        return addresses, lanes(int(self.dut.bank_data_o.value), self.words, 30)

    def transposes(self, layout):
        """Words of a stream that the unit takes at once, where it takes streams in turn."""
        if self.words == 1 or layout not in (FORWARD_IN, FORWARD_OUT):
            return 0
        return min(self.burst_words, (1 << self.log_n) // self.words)

    def bursts(self, base, layout):
        """Beats of every burst: a stretch of each stream in turn, cut where the bus wants it."""
        all_words = 1 << self.log_n
        length = self.transposes(layout) or all_words
        streams = self.words if length < all_words else 1
        longest = min(256 * self.bytes, 4096)
        beats = []
        for first in range(0, all_words // streams, length):
            for stream in range(streams):
                start = base + WORD_BYTES * (first + stream * all_words // streams)
                end = start + WORD_BYTES * length
                cuts = [start, *range(start // longest * longest + longest, end, longest), end]
                beats += [(b - a) // self.bytes for a, b in pairwise(cuts)]
        return beats


async def prepared(dut, stall_chance, log_n):
    rng = random_source()
    await start(dut, INPUTS)
    bench = Bench(dut, log_n, Stall(stall_chance, rng))
    # Somewhere in a page, so that bursts are cut.
    base = (1 << 40) + bench.bytes * rng.randrange(1, 2000)
    words = [rng.getrandbits(30) for _ in range(1 << log_n)]
    await RisingEdge(dut.clk_i)
    return bench, base, words


@cocotb.test()
@cocotb.parametrize(stall=STALLS[:3], layout=LAYOUTS, log_n=[5, 11])
async def loads(dut, stall, layout, log_n):
    bench, base, words = await prepared(dut, stall, log_n)
    bench.fill(base, words)
    found, times = {}, []

    def watch(cycle):
        if flag(dut.bank_request_o):
            assert flag(dut.bank_write_o)
            times.append(cycle)
            addresses, written = bench.banks()
            assert len({address % 4 for address in addresses}) == bench.words, "one bank, twice"
            found.update(zip(addresses, written, strict=True))

    cycles = await bench.transfer(LOAD, layout, base, watch)
    assert found == {bench.position(layout, i): word for i, word in enumerate(words)}
    if not stall:
        first = LATENCY + bench.transposes(layout)
        beats = len(words) // bench.words
        assert times == list(range(first, first + beats))
        assert cycles == first + beats


@cocotb.test()
@cocotb.parametrize(stall=STALLS[:3], layout=LAYOUTS, log_n=[5, 11])
async def stores(dut, stall, layout, log_n):
    bench, base, words = await prepared(dut, stall, log_n)
    # The second one finds what the first one left.
    for again in (words[::-1], words):
        bench.memory.bursts.clear()
        await store(bench, base, again, layout, stall)


async def store(bench, base, words, layout, stall):
    dut = bench.dut
    banks = {bench.position(layout, i): word for i, word in enumerate(words)}
    times = []

    def watch(cycle):
        dut.bank_data_i.value = 0
        if flag(dut.bank_request_o):
            assert not flag(dut.bank_write_o)
            times.append(cycle)
            dut.bank_data_i.value = joined([banks[a] for a in bench.banks()[0]], 30)

    cycles = await bench.transfer(STORE, layout, base, watch)
    assert bench.read_back(base, len(words)) == words
    if not stall:
        beats = len(words) // bench.words
        assert times == list(range(beats))
        assert cycles == LATENCY + bench.transposes(layout) + beats
    assert bench.memory.bursts == bench.bursts(base, layout)


@cocotb.test()
@cocotb.parametrize(stall=STALLS[:3])
async def constants(dut, stall):
    bench, base, words = await prepared(dut, stall, 11)
    count = 2 * bench.log_n + 4
    bench.fill(base, words)
    found, times = {}, []

    def watch(cycle):
        if flag(dut.constant_valid_o):
            times.append(cycle)
            index = int(dut.constant_index_o.value)
            given = lanes(int(dut.constant_data_o.value), bench.words, 32)
            found.update(enumerate(given, index))

    cycles = await bench.transfer(CONSTANTS, INVERSE_IN, base, watch)
    beats = -(-count // bench.words)
    assert found == dict(enumerate(words[: beats * bench.words]))
    if not stall:
        assert times == list(range(LATENCY, LATENCY + beats))
        assert cycles == LATENCY + beats


@cocotb.test()
@cocotb.parametrize(stall=STALLS[:3], slow=STALLS[:3])
async def addends(dut, stall, slow):
    bench, base, words = await prepared(dut, stall, 8)
    bench.fill(base, words)
    found, times = [], []
    sampler = Stall(slow, random_source())

    def watch(cycle):
        if flag(dut.addend_valid_o) and flag(dut.addend_ready_i):
            times.append(cycle)
            found.append(int(dut.addend_o.value))
        dut.addend_ready_i.value = not sampler()

    dut.addend_ready_i.value = 1
    await bench.transfer(ADDEND, FORWARD_IN, base, watch)
    assert found == words
    if not stall and not slow:
        assert times == list(range(LATENCY, LATENCY + len(words)))


@cocotb.test()
@cocotb.parametrize(response=range(4))
async def an_error_of_the_memory_is_seen(dut, response):
    bench, base, words = await prepared(dut, 0.0, 5)
    bench.fill(base, words)
    for kind in (LOAD, STORE):
        errors = []

        def watch(_cycle, seen=errors):
            seen.append(flag(dut.error_o))

        dut.r_resp_i.value = dut.b_resp_i.value = response
        await bench.transfer(kind, INVERSE_IN, base, watch)
        assert any(errors) == (response >= 2)
