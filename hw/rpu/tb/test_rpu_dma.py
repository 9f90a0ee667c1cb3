"""rpu_dma: moves end in order and do what they would do one after the other, whatever stalls;
without stalls they take the cycles that the header states; errors and silence are told.
"""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.offchip import OffchipMemory
from harness.stream import STALLS, Stall, flag, random_source, start

INSTRUCTIONS, SCALARS, VECTORS = range(3)
PAGE_BYTES = 4096
MEMORY_BYTES = 4 * PAGE_BYTES
TIMEOUT = 60
OUTSTANDING, BURST_BEATS = 4, 8
# From a move taken to its address on the bus; from a beat to its word in the memory.
TO_BUS, TO_MEMORY = 3, 1
INPUTS = ["stop_i", "move_valid_i", "fetch_valid_i", "line_data_i", "ar_ready_i", "r_valid_i"]
INPUTS += ["aw_ready_i", "w_ready_i", "b_valid_i", "r_resp_i", "b_resp_i", "r_last_i"]

NARROW = {"WordBits": 30, "PortBytes": 16, "Banks": 8, "OffchipWords": "packed"}
WIDE = {"WordBits": 128, "PortBytes": 32, "Banks": 8, "OffchipWords": "packed"}


@pytest.mark.parametrize("machine", [NARROW, WIDE], ids=["30", "128"])
def test_rpu_dma(bench, machine):
    sizes = {"Outstanding": OUTSTANDING, "BurstBeats": BURST_BEATS, "Timeout": TIMEOUT}
    bench("rpu_dma", VdmWords=1024, ImWords=256, **sizes, **machine)


class Device:
    """The memories of the device, and the port that moves into them and out of them."""

    def __init__(self, dut, stall):
        settings = parameters()
        self.dut, self.stall = dut, stall
        self.bits = settings["WordBits"]
        self.port = settings["PortBytes"]
        self.wide = 4 if self.bits <= 32 else 16
        self.line = len(dut.line_enable_o)
        self.element = len(dut.line_data_o) // self.line
        self.words = [[0] * size for size in (256, 64, 1024)]
        self.done = self.lists = self.cycle = 0
        self.ended_at = []
        self.errors = {"read": 0, "write": 0, "timeout": 0}

    def width(self, move):
        if move["memory"] == INSTRUCTIONS:
            return 8
        return self.wide // 2 if move["narrow"] else self.wide

    def word_bits(self, move):
        return 64 if move["memory"] == INSTRUCTIONS else min(self.bits, 8 * self.width(move))

    async def run(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            self._lines()
            if flag(dut.move_done_o):
                self.done += 1
                self.ended_at.append(self.cycle)
            self.lists += flag(dut.list_done_o)
            error = int(dut.error_o.value)
            for bit, name in enumerate(("timeout", "write", "read")):
                self.errors[name] += error >> bit & 1
            self.cycle += 1

    def _lines(self):
        dut = self.dut
        if not flag(dut.line_request_o):
            return
        held = self.words[int(dut.line_memory_o.value)]
        address, enable = int(dut.line_address_o.value), int(dut.line_enable_o.value)
        places = [j for j in range(self.line) if enable >> j & 1]
        assert places
        if flag(dut.line_write_o):
            data = int(dut.line_data_o.value)
            for j in places:
                held[address + j] = data >> (self.element * j) & ((1 << self.element) - 1)
        else:
            words = (held[address + j] << (self.element * j) for j in places)
            dut.line_data_i.value = sum(words)

    async def give(self, move):
        """Offers a move until it is taken; the cycle in which it was."""
        fields = [("store", 1), ("memory", 2), ("narrow", 1), ("last", 1)]
        fields += [("address", 40), ("place", 32), ("count", 32)]
        value = 0
        for name, bits in fields:
            value = value << bits | move[name]
        dut = self.dut
        while self.stall():
            await RisingEdge(dut.clk_i)
        dut.move_i.value, dut.move_valid_i.value = value, 1
        await RisingEdge(dut.clk_i)
        while not flag(dut.move_ready_o):
            await RisingEdge(dut.clk_i)
        dut.move_valid_i.value = 0
        return self.cycle - 1

    async def ended(self, moves, cycles=20000):
        for _ in range(cycles):
            if self.done == moves:
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"{self.done} of {moves} moves ended")


def move_of(rng, device):
    """Anywhere; places in the vectors' memory begin with a line."""
    memory = rng.choice((INSTRUCTIONS, SCALARS, VECTORS, VECTORS, VECTORS))
    move = {"memory": memory, "last": rng.randrange(2), "store": 0, "narrow": 0}
    if memory == VECTORS:
        move |= {"store": rng.randrange(2), "narrow": rng.randrange(2)}
    beat = device.port // device.width(move)
    held = len(device.words[memory])
    most = min(held, MEMORY_BYTES // device.width(move))
    move["count"] = rng.randrange(1, min(most, 24 * beat) + 1)
    room = held - move["count"]
    move["place"] = rng.randrange(room + 1)
    if memory == VECTORS:
        move["place"] = move["place"] // beat * beat
    beats = -(-move["count"] // beat)
    move["address"] = rng.randrange(MEMORY_BYTES // device.port - beats + 1) * device.port
    return move


class Reference:
    """Moves one after the other."""

    def __init__(self, device, memory):
        self.device, self.words = device, [list(words) for words in device.words]
        self.memory = memory
        self.bytes = bytearray(memory.bytes)

    def apply(self, move):
        width, bits = self.device.width(move), self.device.word_bits(move)
        held = self.words[move["memory"]]
        for i in range(move["count"]):
            place, at = move["place"] + i, move["address"] + i * width
            if move["store"]:
                word = held[place] & ((1 << bits) - 1)
                self.bytes[at : at + width] = word.to_bytes(width, "little")
            else:
                word = int.from_bytes(self.bytes[at : at + width], "little")
                held[place] = word & ((1 << bits) - 1)


async def prepared(dut, stall, latency=3):
    rng = random_source()
    await start(dut, INPUTS)
    device = Device(dut, Stall(stall, rng))
    memory = OffchipMemory(dut, "", MEMORY_BYTES, Stall(stall, rng), latency)
    memory.bytes[:] = rng.randbytes(MEMORY_BYTES)
    for number, words in enumerate(device.words):
        bits = device.word_bits({"memory": number, "narrow": 0})
        words[:] = [rng.getrandbits(bits) for _ in words]
    cocotb.start_soon(memory.run())
    cocotb.start_soon(device.run())
    await RisingEdge(dut.clk_i)
    return rng, device, memory


@cocotb.test()
@cocotb.parametrize(stall=STALLS[:3])
async def moves_are_done_one_after_the_other(dut, stall):
    rng, device, memory = await prepared(dut, stall, random_source().randrange(1, 20))
    reference = Reference(device, memory)
    lists = 0
    for number in range(60):
        move = move_of(rng, device)
        await device.give(move)
        reference.apply(move)
        lists += move["last"]
        if number % 20 == 19:
            await device.ended(number + 1)
            await RisingEdge(dut.clk_i)
            assert device.words == reference.words
            assert memory.bytes == reference.bytes
            assert device.lists == lists
            assert flag(dut.idle_o)
    assert not any(device.errors.values())


@cocotb.test()
@cocotb.parametrize(latency=[1, 20])
async def a_move_takes_its_latency_and_a_cycle_a_beat(dut, latency):
    _, device, memory = await prepared(dut, 0.0, latency)
    beat = device.port // device.wide
    for beats in (1, 7, 3 * BURST_BEATS):
        if latency + TO_BUS > OUTSTANDING * BURST_BEATS:
            continue
        move = {"memory": VECTORS, "store": 0, "narrow": 0, "last": 1, "place": 0, "address": 0}
        taken = await device.give(move | {"count": beats * beat})
        await device.ended(device.done + 1)
        assert device.ended_at[-1] - taken == TO_BUS + latency + beats - 1 + TO_MEMORY
        assert memory.reads == memory.responses == type(memory.reads)()


@cocotb.test()
async def fetches_go_first_and_their_data_come(dut):
    rng, device, memory = await prepared(dut, 0.5)
    reference = Reference(device, memory)
    found = []

    async def watch():
        while True:
            await RisingEdge(dut.clk_i)
            if flag(dut.fetch_data_valid_o):
                found.append(int(dut.fetch_data_o.value))

    cocotb.start_soon(watch())
    wanted, moves = [], 0
    for _ in range(20):
        move = move_of(rng, device)
        if move["store"] == 0:
            await device.give(move)
            reference.apply(move)
            moves += 1
        address, length = 256 * rng.randrange(32), rng.randrange(256 // device.port)
        dut.fetch_address_i.value, dut.fetch_length_i.value = address, length
        dut.fetch_valid_i.value = 1
        await RisingEdge(dut.clk_i)
        while not flag(dut.fetch_ready_o):
            await RisingEdge(dut.clk_i)
        dut.fetch_valid_i.value = 0
        wanted += memory.get(address, length + 1, device.port)
    await device.ended(moves)
    while not flag(dut.idle_o):
        await RisingEdge(dut.clk_i)
    assert found == wanted
    assert device.words == reference.words


@cocotb.test()
@cocotb.parametrize(store=[0, 1])
async def an_error_of_memory_is_told(dut, store):
    _, device, memory = await prepared(dut, 0.1)
    (memory.wrong_writes if store else memory.wrong_reads).add(1)
    move = {"memory": VECTORS, "store": store, "narrow": 0, "last": 1, "place": 0}
    count = 4 * device.port // device.wide
    await device.give(move | {"count": count, "address": 0})
    await device.ended(1)
    assert not any(device.errors.values())
    await device.give(move | {"count": count, "address": PAGE_BYTES})
    await device.ended(2)
    kind = "write" if store else "read"
    assert device.errors == {"read": 0, "write": 0, "timeout": 0} | {kind: device.errors[kind]}
    assert device.errors[kind] == (1 if store else 4)


@cocotb.test()
@cocotb.parametrize(store=[0, 1], under_way=[0, 1])
async def silence_is_told_in_time(dut, store, under_way):
    _, device, memory = await prepared(dut, 0.0)
    move = {"memory": VECTORS, "store": store, "narrow": 0, "last": 1, "place": 0, "address": 0}
    memory.silent = not under_way
    await device.give(move | {"count": 20 * device.port // device.wide})
    for _ in range(10 if under_way else 0):
        await RisingEdge(dut.clk_i)
    memory.silent = True
    for _ in range(TIMEOUT - 10):
        await RisingEdge(dut.clk_i)
    assert device.errors["timeout"] == 0
    for _ in range(40):
        await RisingEdge(dut.clk_i)
    assert device.errors["timeout"] > 0
    assert device.done == 0


@cocotb.test()
async def what_is_stopped_is_dropped_and_what_is_under_way_ends(dut):
    rng, device, memory = await prepared(dut, 0.1)
    move = {"memory": VECTORS, "store": 0, "narrow": 0, "last": 1, "place": 0, "address": 0}
    most = {"count": 24 * device.port // device.wide}
    for _ in range(4):
        await device.give(move | most)
        for _ in range(rng.randrange(12)):
            await RisingEdge(dut.clk_i)
        dut.stop_i.value = 1
        for _ in range(200):
            await RisingEdge(dut.clk_i)
        assert flag(dut.idle_o)
        dut.stop_i.value = 0
        await RisingEdge(dut.clk_i)
    done = device.done
    reference = Reference(device, memory)
    await device.give(move | most)
    reference.apply(move | most)
    await device.ended(done + 1)
    await RisingEdge(dut.clk_i)
    assert device.words == reference.words
