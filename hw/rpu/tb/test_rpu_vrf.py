"""rpu_vrf: words read back, through every port, within the rules of its memories."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness.bench import parameters
from harness.stream import random_source, start

CYCLES = 3000
READS, WRITES = 6, 4
# Both lanes, side by side.
LANES = 2
WIDTH = 20
BOTH = LANES * WIDTH


@pytest.mark.parametrize(
    ("ports", "layout", "rows"),
    [("single", "modulo", 4), ("single", "quotient", 3), ("unlimited", "modulo", 2)],
    ids=str,
)
def test_rpu_vrf(bench, ports, layout, rows):
    bench("rpu_vrf", Hples=LANES, Rows=rows, Width=WIDTH, Ports=ports, Map=layout)


def pack(values, width):
    return sum(value << (width * i) for i, value in enumerate(values))


@cocotb.test()
async def words_read_back(dut):
    size = parameters()
    rows = size["Rows"]
    row_bits = max(1, (rows - 1).bit_length())
    rng = random_source()
    await start(dut, ["read_i", "write_i"])

    def memory(register):
        if size["Ports"] == "unlimited":
            return register
        return register % 16 if size["Map"] == "modulo" else register // 4

    held: dict[tuple[int, int], int] = {}
    due: dict[int, int] = {}
    compared = set()
    for _ in range(CYCLES):
        used: dict[int, tuple[int, int]] = {}
        writes, reads = {}, {}
        for port in range(WRITES):
            place = (rng.randrange(64), rng.randrange(rows))
            if rng.random() < 0.5 and memory(place[0]) not in used:
                used[memory(place[0])] = (-1, port)
                writes[port] = place
        for port in range(READS):
            # Two reads of one word are one access.
            again = list(reads.values())
            place = rng.choice(again if again and rng.random() < 0.2 else [*held] or [(0, 0)])
            free = used.get(memory(place[0]), place) == place
            if place in held and free and rng.random() < 0.6:
                used[memory(place[0])] = place
                reads[port] = place
        data = [rng.getrandbits(BOTH) for _ in range(WRITES)]
        dut.write_i.value = sum(1 << p for p in writes)
        dut.read_i.value = sum(1 << p for p in reads)
        where = [writes.get(p, (0, 0)) for p in range(WRITES)]
        dut.write_register_i.value = pack([r for r, _ in where], 6)
        dut.write_row_i.value = pack([row for _, row in where], row_bits)
        dut.write_data_i.value = pack(data, BOTH)
        where = [reads.get(p, (0, 0)) for p in range(READS)]
        dut.read_register_i.value = pack([r for r, _ in where], 6)
        dut.read_row_i.value = pack([row for _, row in where], row_bits)
        await RisingEdge(dut.clk_i)
        found = int(dut.read_data_o.value)
        for port, word in due.items():
            assert (found >> (BOTH * port)) % (1 << BOTH) == word
            compared.add(port)
        due = {port: held[place] for port, place in reads.items()}
        held |= {place: data[port] for port, place in writes.items()}
    assert compared == set(range(READS))
