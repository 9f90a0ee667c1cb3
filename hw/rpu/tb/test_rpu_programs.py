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
from test_rpu import DONE, begin, register
from test_rpu_list import ERROR, SIZES, START_CYCLES, Bench

from harness.bench import parameters
from harness.machine import small_machine

PROGRAMS = "RINGWRIGHT_BENCH_PROGRAMS"
MACHINE = "rpu-8x8"
# Two primes are joined; whole programs take more room than those of the package.
LARGER = {"word_bits": 60, "vdm_words": 1024, "sdm_words": 256, "im_words": 2048}
LOG_N, BITS, LEVELS, SCALE = 6, 29, 3, 20


def programs(machine):
    """A product with relinearisation and rescaling, a rotation, both in a row."""
    from ringwright import _ringwright as native
    from ringwright.machines import backend

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
        yield each.name, native.Module.expanded(each.trace(params), backend(machine))


def images(machine, seed):
    """The image of each program, and what the simulator says of its runs."""
    from ringwright import _ringwright as native
    from ringwright.machines import backend

    for name, module in programs(machine):
        image = native.image(machine, module, seed, 0)
        steps = native.lower(backend(machine), module).timing.steps
        yield {
            "name": name,
            "memories": [(base, data.hex()) for _, base, data in image.memories],
            "writes": image.writes,
            "results": [(address, data.hex()) for address, data in image.results],
            "cycles": [step.cycles for step in steps if step.kind == "kernel"],
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
    rw = pytest.importorskip("ringwright")
    from ringwright import _ringwright as native

    file = small_machine(MACHINE, tmp_path, **LARGER, **changes)
    machine = rw.Machine.load(str(file))
    listed = tmp_path / "programs.json"
    listed.write_text(json.dumps(list(images(machine, seed))))
    monkeypatch.setenv(PROGRAMS, str(listed))
    bench("rpu", **native.rtl_package(machine, seed).parameters | SIZES)


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
        memories = [(base, bytes.fromhex(data)) for base, data in program["memories"]]
        bench = Bench(dut, stall, size=max(base + len(data) for base, data in memories))
        for base, data in memories:
            bench.memory.bytes[base : base + len(data)] = data
        tasks = [cocotb.start_soon(each) for each in (bench.memory.run(), bench.watch())]
        for offset, value in program["writes"]:
            await register(dut, offset, value)
        name = program["name"]
        assert await bench.interrupt() == DONE, f"{name}: {await register(dut, ERROR):#x}"
        for address, expected in program["results"]:
            data = bytes.fromhex(expected)
            assert bench.memory.bytes[address : address + len(data)] == data, name
        took = [START_CYCLES + cycles for cycles in bench.took]
        assert by_run(program["cycles"], took) == took, name
        assert bench.interrupts == 1, name
        beside += bench.beside
        dut._log.info("%s: %d runs, %d cycles", name, len(took), sum(took))
        for task in tasks:
            task.cancel()
    assert (beside == 0) == (parameters()["VdmPort"] == "exclusive")
