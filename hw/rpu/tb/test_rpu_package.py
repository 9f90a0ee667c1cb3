"""rpu: the programs of its package, loaded over AXI4, started over APB and awaited by interrupt,
write the words and take the cycles that the package says.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import cocotb
import pytest
from test_rpu import (
    CYCLES,
    DONE,
    INSTRUCTIONS,
    OKAY,
    SCALARS,
    STATUS,
    VECTORS,
    Master,
    begin,
    finished,
    launch,
    register,
)

from harness.machine import small_machine
from harness.stream import random_source

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Where the simulation finds the package.
FOLDER = "RINGWRIGHT_BENCH_PACKAGE"
BURST = 256


def test_rpu_package(bench, tmp_path, monkeypatch):
    rw = pytest.importorskip("ringwright")
    package = rw.rtl.package(small_machine("rpu-8x8", tmp_path), tmp_path / "out")
    monkeypatch.setenv(FOLDER, str(package))
    bench("rpu", **tomllib.loads((package / "package.toml").read_text())["parameters"])


def words(case: Path, what: str) -> list[int]:
    return [int(word, 16) for word in case.with_suffix(f".{what}.hex").read_text().split()]


async def fill(master, memory, held):
    for first in range(0, len(held), BURST):
        part = held[first : first + BURST]
        assert await master.write(memory, first, part) == OKAY


async def contents(master, memory, count):
    found = []
    for first in range(0, count, BURST):
        part, responses = await master.read(memory, first, min(BURST, count - first))
        assert responses == {OKAY}
        found += part
    return found


@cocotb.test()
async def words_and_cycles_are_the_packages(dut):
    await begin(dut)
    master = Master(dut, random_source(), 0.0)
    cases = sorted((Path(os.environ[FOLDER]) / "vectors").glob("*.toml"))
    assert cases
    for case in cases:
        program, result = words(case, "instructions"), words(case, "result")
        await fill(master, INSTRUCTIONS, program)
        await fill(master, SCALARS, words(case, "sdm"))
        await fill(master, VECTORS, words(case, "vdm"))
        await launch(dut, 0, len(program))
        await finished(dut)
        assert await register(dut, STATUS) == DONE
        assert await register(dut, CYCLES) == tomllib.loads(case.read_text())["cycles"]
        assert await contents(master, VECTORS, len(result)) == result, case.stem
