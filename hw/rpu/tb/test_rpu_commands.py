"""rpu_commands: random lists against a port and a core that take any time. Queues keep their order,
nobody begins before what it waits for has ended, barriers wait for all, what moves is held.
"""

from __future__ import annotations

from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from rpu_commands_list import BYTES, command

from harness.bench import parameters
from harness.stream import flag, random_source, start

INPUTS = ["start_i", "run_busy_i", "run_done_i", "run_illegal_i", "violation_i", "move_ready_i"]
INPUTS += ["move_done_i", "list_done_i", "fetch_ready_i", "fetch_data_valid_i", "port_error_i"]
WORDS = 1024
LIST_AT = 0x100
MEMORIES = {"load_instructions": 0, "load_scalars": 1, "load_vectors": 2, "store_vectors": 2}
HOLD_BITS = 1 + 2 + 32 + 32
LONGEST = 12


@pytest.mark.parametrize(("port", "port_bytes"), [("second", 8), ("second", 64), ("exclusive", 32)])
def test_rpu_commands(bench, port, port_bytes):
    sizes = {"VdmWords": WORDS, "SdmWords": WORDS, "ImWords": WORDS, "QueueDepth": 3, "Holds": 3}
    bench("rpu_commands", VdmPort=port, PortBytes=port_bytes, **sizes)


def fields_of(rng, barrier, after):
    count = rng.randrange(1, 17)
    place = 16 * rng.randrange((WORDS - count) // 16)
    return {"barrier": barrier, "after": after, "place": place, "count": count}


def random_list(rng, length):
    """Commands, each with what must have ended before it: of its part, runs or lists."""
    made, part, runs, lists = [], 0, 0, 0
    while len(made) < length:
        barrier = int(not made or rng.random() < 0.15)
        if barrier:
            part, runs, lists = part + 1, 0, 0
        if rng.random() < 0.4:
            fields = fields_of(rng, barrier, rng.randrange(lists + 1))
            made.append(("run", fields, part))
            runs += 1
            continue
        moves = rng.randrange(1, 4)
        for number in range(moves):
            kind = rng.choice(list(MEMORIES))
            after = 0 if number else rng.randrange(runs + 1)
            fields = fields_of(rng, barrier and not number, after)
            more = {"more": int(number < moves - 1), "address": 4096 * rng.randrange(100)}
            made.append((kind, fields | more, part))
        lists += 1
    return made


class World:
    """The port and the core around the processor, and what has begun and ended."""

    def __init__(self, dut, rng, made, eager):
        self.dut, self.rng, self.eager = dut, rng, eager
        self.made = made
        numbers = [command(kind, **fields) for kind, fields, _ in made]
        self.bytes = b"".join(number.to_bytes(BYTES, "little") for number in numbers)
        self.port = parameters()["PortBytes"]
        self.fetches: deque[int] = deque()
        self.runs = deque(each for each in made if each[0] == "run")
        self.moves = deque(each for each in made if each[0] != "run")
        self.part, self.ended_runs, self.ended_lists = 1, 0, 0
        self.left = {}
        for _, _, part in made:
            self.left[part] = self.left.get(part, 0) + 1
        self.under_way: deque[list] = deque()
        self.running = None

    def coin(self):
        return self.eager or self.rng.random() < 0.5

    def _begins(self, each):
        kind, fields, part = each
        if part != self.part:
            assert all(self.left[before] == 0 for before in range(1, part)), "a barrier"
            assert fields["barrier"]
            self.part, self.ended_runs, self.ended_lists = part, 0, 0
        ended = self.ended_lists if kind == "run" else self.ended_runs
        assert fields["after"] <= ended, f"{kind} begins too soon"

    def _ends(self, each):
        self.left[each[2]] -= 1

    def watch(self):
        """What the processor did at this edge."""
        dut = self.dut
        if flag(dut.fetch_valid_o) and flag(dut.fetch_ready_i):
            at = int(dut.fetch_address_o.value) - LIST_AT
            beats = int(dut.fetch_length_o.value) + 1
            self.fetches.extend(at + i * self.port for i in range(beats))
        if flag(dut.run_o):
            assert self.running is None
            each = self.runs.popleft()
            self._begins(each)
            assert int(dut.run_first_o.value) == each[1]["place"]
            assert int(dut.run_count_o.value) == each[1]["count"]
            self.running = [each, self.rng.randrange(1, LONGEST)]
        if flag(dut.move_valid_o) and flag(dut.move_ready_i):
            each = self.moves.popleft()
            self._begins(each)
            kind, fields, _ = each
            value = int(dut.move_o.value)
            assert value & 0xFFFF_FFFF == fields["count"]
            assert value >> 32 & 0xFFFF_FFFF == fields["place"]
            assert value >> 64 & (1 << 40) - 1 == fields["address"]
            assert value >> 104 & 1 == 1 - fields["more"]
            assert value >> 106 & 3 == MEMORIES[kind]
            assert value >> 108 == (kind == "store_vectors")
            self.under_way.append([each, self.rng.randrange(1, LONGEST)])
        if parameters()["VdmPort"] == "exclusive":
            assert self.running is None or not self.under_way, "a move beside a run"

    def holds(self):
        value = int(self.dut.holds_o.value)
        held = set()
        for _ in range(parameters()["Holds"]):
            if value >> (HOLD_BITS - 1) & 1:
                first, last = value >> 32 & 0xFFFF_FFFF, value & 0xFFFF_FFFF
                held.add((value >> 64 & 3, first, last))
            value >>= HOLD_BITS
        return held

    def held(self):
        if parameters()["VdmPort"] == "exclusive":
            return set()
        ranges = ((each[0], each[1]["place"], each[1]["count"]) for each, _ in self.under_way)
        return {(MEMORIES[kind], place, place + count - 1) for kind, place, count in ranges}

    def drive(self):
        """The coming cycle."""
        dut = self.dut
        dut.fetch_ready_i.value = self.coin()
        brings = bool(self.fetches) and self.coin()
        dut.fetch_data_valid_i.value = brings
        if brings:
            at = self.fetches.popleft()
            data = self.bytes[at : at + self.port]
            dut.fetch_data_i.value = int.from_bytes(data, "little")
        dut.move_ready_i.value = self.coin()
        dut.move_done_i.value = dut.list_done_i.value = 0
        if self.under_way:
            self.under_way[0][1] -= 1
            if self.under_way[0][1] <= 0:
                each, _ = self.under_way.popleft()
                dut.move_done_i.value = 1
                dut.list_done_i.value = 1 - each[1]["more"]
                self.ended_lists += 1 - each[1]["more"]
                self._ends(each)
        dut.run_done_i.value = 0
        dut.run_busy_i.value = self.running is not None
        if self.running:
            self.running[1] -= 1
            if self.running[1] <= 0:
                dut.run_done_i.value = 1
                self.ended_runs += 1
                self._ends(self.running[0])
                self.running = None
        dut.port_idle_i.value = not self.under_way and not self.fetches


async def work(dut, world, length):
    dut.address_i.value, dut.count_i.value = LIST_AT, length
    dut.start_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.start_i.value = 0
    for _ in range(100 * length + 100):
        # What ends in a cycle is held until its end.
        held = world.held()
        world.drive()
        await RisingEdge(dut.clk_i)
        assert world.holds() == held
        world.watch()
        if flag(dut.done_o):
            return
    raise AssertionError("the list does not end")


@cocotb.test()
@cocotb.parametrize(eager=[True, False])
async def lists_are_done_in_order(dut, eager):
    rng = random_source()
    await start(dut, INPUTS)
    for length in (1, 2, 9, 40, 80):
        made = random_list(rng, length)
        world = World(dut, rng, made, eager)
        await work(dut, world, len(made))
        assert int(dut.error_o.value) == 0
        assert not world.runs
        assert not world.moves
        assert not any(world.left.values())
        await RisingEdge(dut.clk_i)
        assert not flag(dut.busy_o)
