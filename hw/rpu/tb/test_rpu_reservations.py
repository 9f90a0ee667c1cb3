"""rpu_reservations: starts that need a taken slot wait, others do not; compute comes first."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from harness.bench import parameters
from harness.stream import flag, random_source, start

CYCLES = 2000
MEMORIES = 4


@pytest.mark.parametrize(
    ("beats", "ii", "compute", "shuffle"), [(8, 1, 10, 5), (4, 2, 4, 7)], ids=str
)
def test_rpu_reservations(bench, beats, ii, compute, shuffle):
    sizes = {"Memories": MEMORIES, "Beats": beats, "Ii": ii}
    bench("rpu_reservations", **sizes, ComputeLatency=compute, ShuffleLatency=shuffle)


def slots(reads, writes, latency, distance, beats):
    """(cycle, memory) pairs of an instruction that starts in cycle 0."""
    taken = {(beat * distance, m) for beat in range(beats) for m in reads}
    return taken | {(beat * distance + latency, m) for beat in range(beats) for m in writes}


def mask(memories):
    return sum(1 << m for m in memories)


@cocotb.test()
async def slots_are_given_once(dut):
    size = parameters()
    rng = random_source()
    pipes = {
        "compute": (size["ComputeLatency"], size["Ii"]),
        "shuffle": (size["ShuffleLatency"], 1),
    }
    names = [f"{p}_{n}_i" for p in pipes for n in ("reads", "writes", "start")]
    await start(dut, names)
    taken: set[tuple[int, int]] = set()
    refused = dict.fromkeys(pipes, 0)
    for now in range(CYCLES):
        for pipe, (latency, distance) in pipes.items():
            # Never a memory on both sides: such an instruction meets itself.
            order = rng.sample(range(MEMORIES), MEMORIES)
            reads = order[: rng.randrange(3)]
            writes = order[len(reads) :][: rng.randrange(2)]
            wanted = slots(reads, writes, latency, distance, size["Beats"])
            wanted = {(now + cycle, memory) for cycle, memory in wanted}
            getattr(dut, f"{pipe}_reads_i").value = mask(reads)
            getattr(dut, f"{pipe}_writes_i").value = mask(writes)
            getattr(dut, f"{pipe}_start_i").value = 0
            await Timer(1, "step")
            free = not wanted & taken
            assert flag(getattr(dut, f"{pipe}_free_o")) == free
            refused[pipe] += not free
            if free and rng.random() < 0.3:
                getattr(dut, f"{pipe}_start_i").value = 1
                taken |= wanted
                await Timer(1, "step")
        assert int(dut.taken_o.value) == mask(m for cycle, m in taken if cycle == now)
        await RisingEdge(dut.clk_i)
        taken = {(cycle, m) for cycle, m in taken if cycle > now}
    assert all(refused.values())
