"""rpu_sbar: all four shuffles of random vectors, one after the other."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from harness.bench import parameters
from harness.stream import random_source, start

INSTRUCTIONS = 60
WIDTH = 12
# `op_e` of rpu_isa_pkg.
UNPKLO, UNPKHI, PKLO, PKHI = 13, 14, 15, 16


@pytest.mark.parametrize(("hples", "beats", "delay"), [(8, 8, 5), (1, 4, 3)], ids=str)
def test_rpu_sbar(bench, hples, beats, delay):
    bench("rpu_sbar", Hples=hples, Beats=beats, Width=WIDTH, Latency=delay)


def shuffled(operation, vs, vt):
    half = len(vs) // 2
    if operation in (UNPKLO, UNPKHI):
        low = 0 if operation == UNPKLO else half
        return [
            x for pair in zip(vs[low : low + half], vt[low : low + half], strict=True) for x in pair
        ]
    odd = int(operation == PKHI)
    return vs[odd::2] + vt[odd::2]


def pack(words):
    return sum(word << (WIDTH * i) for i, word in enumerate(words))


@cocotb.test()
async def vectors_are_shuffled(dut):
    size = parameters()
    hples, beats, latency = size["Hples"], size["Beats"], size["Latency"]
    rng = random_source()
    await start(dut, ["operation_i", "beat_i", "write_operation_i", "write_beat_i"])
    reads, writes = {}, {}
    now = 0
    for _ in range(INSTRUCTIONS):
        operation = rng.choice((UNPKLO, UNPKHI, PKLO, PKHI))
        vs, vt = ([rng.getrandbits(WIDTH) for _ in range(hples * beats)] for _ in range(2))
        vectors = (vs, vt, shuffled(operation, vs, vt))
        for beat in range(beats):
            reads[now + beat] = (operation, beat, vectors)
            writes[now + beat + latency] = (operation, beat, vectors)
        now += beats + rng.choice((0, 0, 1, 3))
    found = {}
    arriving = (0, 0)
    for cycle in range(now + latency):
        dut.vs_i.value, dut.vt_i.value = arriving
        if cycle in reads:
            operation, beat, (vs, vt, _) = reads[cycle]
            dut.operation_i.value, dut.beat_i.value = operation, beat
        if cycle in writes:
            operation, beat, _ = writes[cycle]
            dut.write_operation_i.value, dut.write_beat_i.value = operation, beat
        await Timer(1, "step")
        if cycle in reads:
            row = int(dut.read_row_o.value)
            arriving = tuple(pack(v[row * hples : (row + 1) * hples]) for v in (vs, vt))
        if cycle in writes:
            operation, _, (_, _, wanted) = writes[cycle]
            row = int(dut.write_row_o.value)
            assert int(dut.row_o.value) == pack(wanted[row * hples : (row + 1) * hples])
            found.setdefault(id(wanted), set()).add(row)
        await RisingEdge(dut.clk_i)
    assert all(rows == set(range(beats)) for rows in found.values())
    assert len(found) == INSTRUCTIONS
