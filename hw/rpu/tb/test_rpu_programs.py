"""rpu: whole programs as the compiler lists them, from off-chip memory and back.

Encrypted programs are lowered for a small machine; what lies in off-chip memory is their image. The
list runs behind a doorbell and ends with one interrupt, while memory stalls at random: each tower
that a program returns must be the interpreter's, word for word, and its runs take the cycles of the
simulator.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from rpu_memory import OffchipMemory
from test_rpu import DONE, STATUS, begin, register
from test_rpu_list import ERROR, START_CYCLES

from harness.bench import parameters
from harness.stream import Stall, flag, random_source
from harness.toolchain import ROOT

PROGRAMS = "RINGWRIGHT_BENCH_PROGRAMS"
MACHINE = "rpu-8x8"
# Flip-flops for registers are the quickest to build; two primes of 29 bits are joined.
SMALL = {
    **{"hples": 2, "banks": 4, "vector_length": 16, "word_bits": 60, "vrf_ports": "unlimited"},
    **{"vdm_words": 1024, "sdm_words": 256, "im_words": 2048},
}
SIZES = {"Outstanding": 8, "BurstBeats": 16, "Timeout": 300, "QueueDepth": 4}
LOG_N, BITS, LEVELS, SCALE = 6, 29, 3, 20
TIMEOUT = 2_000_000


def machine(folder, **changes):
    """A description of the small machine, and the parameters of its RTL."""
    from ringwright import _ringwright as native

    rw = pytest.importorskip("ringwright")
    lines = (ROOT / "machines" / f"{MACHINE}.toml").read_text().splitlines()
    values = SMALL | changes
    for at, line in enumerate(lines):
        key = line.split(" ")[0]
        if key in values:
            lines[at] = f'{key} = {{ value = {json.dumps(values[key])}, source = "a test" }}'
    file = folder / "small.toml"
    file.write_text("\n".join(lines))
    made = native.rtl_package(rw.Machine.load(str(file)), 1)
    return file, made.parameters


def programs():
    """A product with relinearisation and rescaling, a rotation, both in a row."""
    from ringwright import _ringwright as native

    rw = pytest.importorskip("ringwright")
    params = rw.ckks.Parameters(
        log_n=LOG_N, q_bits=[BITS] * LEVELS, p_bits=[BITS], log_scale=SCALE, insecure=True
    )
    small = rw.ckks.Input(max=0.5)

    @rw.program(inputs={"x": small, "y": small})
    def product(x, y):
        return x * y

    @rw.program(inputs={"x": small})
    def rotated(x):
        return x.rotate(1)

    @rw.program(inputs={"x": small, "y": small})
    def row(x, y):
        z = x * y
        return z + z.rotate(2) * y

    for each in (product, rotated, row):
        yield each.name, native.Module.expanded(each.trace(params))


def images(file, seed):
    """The image of each program, and what the simulator says of its runs."""
    from ringwright import _ringwright as native
    from ringwright.machines import backend

    rw = pytest.importorskip("ringwright")
    described = rw.Machine.load(str(file))
    for name, module in programs():
        image = native.image(described, module, seed, 0)
        steps = native.lower(backend(described), module).timing.steps
        cores = [step.cycles for step in steps if step.kind == "kernel"]
        yield {
            "name": name,
            "memories": [(base, data.hex()) for _, base, data in image.memories],
            "writes": image.writes,
            "results": [(address, data.hex()) for address, data in image.results],
            "cycles": cores,
        }


@pytest.mark.parametrize(
    "changes",
    [
        {},
        pytest.param({"offchip_words": "packed"}, marks=pytest.mark.slow),
        pytest.param({"vdm_port": "exclusive"}, marks=pytest.mark.slow),
    ],
    ids=["second", "packed", "exclusive"],
)
def test_rpu_programs(bench, tmp_path, monkeypatch, seed, changes):
    file, made = machine(tmp_path, **changes)
    listed = tmp_path / "programs.json"
    listed.write_text(json.dumps(list(images(file, seed))))
    monkeypatch.setenv(PROGRAMS, str(listed))
    bench("rpu", **made | SIZES)


class Bench:
    """The device with its memory, and how long it ran."""

    def __init__(self, dut, memories, stall):
        end = max(base + len(data) // 2 for base, data in memories)
        rng = random_source()
        self.dut = dut
        self.memory = OffchipMemory(dut, "mem_", end, Stall(stall, rng))
        for base, data in memories:
            self.memory.bytes[base : base + len(data) // 2] = bytes.fromhex(data)
        self.took: list[int] = []
        self.beside, self.interrupts = 0, 0

    async def watch(self):
        dut, before = self.dut, False
        while True:
            await RisingEdge(dut.clk_i)
            if flag(dut.done):
                self.took.append(int(dut.cycles.value) + START_CYCLES)
            self.beside += flag(dut.busy) and flag(dut.line_request)
            self.interrupts += flag(dut.irq_o) and not before
            before = flag(dut.irq_o)

    async def interrupt(self):
        for _ in range(TIMEOUT):
            if flag(self.dut.irq_o):
                return await register(self.dut, STATUS)
            await RisingEdge(self.dut.clk_i)
        raise AssertionError("no interrupt")


def by_run(cycles, took):
    """The simulator's cycles of kernels, put together to those of runs; what is left over last."""
    runs, rest = [], list(cycles)
    for each in took:
        taken = 0
        while rest and taken < each:
            taken += rest.pop(0)
        runs.append(taken)
    return runs + rest


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.3])
async def programs_run_as_they_are_listed(dut, stall):
    await begin(dut)
    beside = 0
    for program in json.loads(Path(os.environ[PROGRAMS]).read_text()):
        bench = Bench(dut, program["memories"], stall)
        tasks = [cocotb.start_soon(each) for each in (bench.memory.run(), bench.watch())]
        for offset, value in program["writes"]:
            await register(dut, offset, value)
        name = program["name"]
        assert await bench.interrupt() == DONE, f"{name}: {await register(dut, ERROR):#x}"
        for address, expected in program["results"]:
            data = bytes.fromhex(expected)
            assert bench.memory.bytes[address : address + len(data)] == data, name
        assert by_run(program["cycles"], bench.took) == bench.took, name
        assert bench.interrupts == 1, name
        beside += bench.beside
        dut._log.info("%s: %d runs, %d cycles", name, len(bench.took), sum(bench.took))
        for task in tasks:
            task.cancel()
    assert (beside == 0) == (parameters()["VdmPort"] == "exclusive")
