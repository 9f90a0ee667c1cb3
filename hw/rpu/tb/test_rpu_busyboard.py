"""rpu_busyboard: who must wait for whom, under both rules, with random instructions in flight."""

from __future__ import annotations

from collections import Counter

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from harness.bench import parameters
from harness.stream import flag, random_source, start

CYCLES = 3000
REGISTERS = 8
PIPES = 3
READERS = 12


@pytest.mark.parametrize("rule", ["shared_reads", "one_bit"])
def test_rpu_busyboard(bench, rule):
    bench("rpu_busyboard", Registers=REGISTERS, Pipes=PIPES, MaxReaders=READERS, Rule=rule)


def mask(registers):
    return sum(1 << r for r in set(registers))


def masks(per_pipe):
    return sum(mask(registers) << (REGISTERS * p) for p, registers in enumerate(per_pipe))


@cocotb.test()
async def it_waits_for_exactly_those_it_must(dut):
    one_bit = parameters()["Rule"] == "one_bit"
    rng = random_source()
    names = ["reads_i", "writes_i", "issue_i", "release_reads_i", "release_writes_i"]
    await start(dut, names)
    writers: dict[int, int] = {}  # register -> pipe
    readers: Counter[tuple[int, int]] = Counter()  # (register, pipe) -> how many
    met = Counter()
    for _ in range(CYCLES):
        reads = rng.sample(range(REGISTERS), rng.randrange(4))
        writes = rng.sample(range(REGISTERS), rng.randrange(3))
        read = {register for register, _ in readers.elements()}
        written = set(writers)
        if one_bit:
            wanted = bool((set(reads) | set(writes)) & (read | written))
        else:
            wanted = bool((set(reads) | set(writes)) & written or set(writes) & read)
        ends = [r for r in writers if rng.random() < 0.2]
        leaves = [key for key in readers if rng.random() < 0.3]
        dut.reads_i.value, dut.writes_i.value = mask(reads), mask(writes)
        dut.issue_i.value = 0
        dut.release_writes_i.value = masks(
            [[r for r in ends if writers[r] == pipe] for pipe in range(PIPES)]
        )
        dut.release_reads_i.value = masks(
            [[r for r, p in leaves if p == pipe] for pipe in range(PIPES)]
        )
        await Timer(1, "step")
        assert flag(dut.hit_o) == wanted
        room = sum(readers.values()) + len(reads) <= READERS
        issue = not wanted and room and rng.random() < 0.9
        dut.issue_i.value = issue
        await RisingEdge(dut.clk_i)
        for register in ends:
            del writers[register]
        for key in leaves:
            readers[key] -= 1
        readers += Counter()
        if issue:
            pipe = rng.randrange(PIPES)
            writers |= dict.fromkeys(writes, pipe)
            readers.update((register, pipe) for register in set(reads))
        met["hit" if wanted else "free"] += 1
        met["shared"] += any(count > 1 for count in readers.values())
    assert met["hit"]
    assert met["free"]
    assert one_bit or met["shared"]
