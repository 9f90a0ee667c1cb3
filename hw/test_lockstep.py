"""Designs in lockstep with their simulators and models: builds the libraries, then runs the Rust
tests that step them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from harness import rise
from harness.fault import Fault
from harness.lockstep import lockstep_library, rust_tests
from harness.machine import described, rtl_name
from harness.toolchain import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CELLS = ["lockstep_fifo", "lockstep_barrett_mul"]
MACHINES = ROOT / "hw/rise/tb/lockstep_rise.toml"
CORES = ROOT / "hw/rise/tb/lockstep_rise_core.toml"
MORE_CORES = CORES.with_stem("lockstep_rise_core_full")
# What crates/lockstep/tests/rise_core.rs expects of each stands there.
BROKEN_CORE = "race"
FAULTS = {
    "swapped": Fault("rise_reordering_unit", "1'(k / Bfus)", "1'(1 - k / Bfus)"),
    "lossy": Fault("rise_write_buffer", "write_i & (read_i | waits)", "write_i & waits"),
    "hasty": Fault("rise_twiddle_unit", "= line_q[BfuLatency-2]", "= line_q[BfuLatency-3]"),
}


def test_common_cells(tmp_path, seed):
    for design in CELLS:
        lockstep_library(design, {}, tmp_path / f"{design}.so")
    rust_tests("common_cells", tmp_path, seed)


@dataclass(frozen=True)
class Core:
    """A configuration of `rise_core`: its entry in the list, and its parameters."""

    name: str
    entry: str
    parameters: dict[str, int]

    def build(self, folder: Path, waves: bool, faults: Iterable[str] = ()) -> None:
        """Puts its entry and its libraries, sound or broken, into a folder."""
        (folder / CORES.name).write_text(self.entry)
        for fault in faults or [""]:
            name = "_".join(filter(None, ("rise_core", self.name, fault)))
            library, change = folder / f"{name}.so", FAULTS.get(fault)
            lockstep_library("lockstep_rise_core", self.parameters, library, change, waves)


def cores(file: Path) -> dict[str, Core]:
    """The configurations of a list, by name; parameters named as those of spec/rise/params.toml."""
    head = "[[machine]]"
    found = {}
    for body in file.read_text().split(head)[1:]:
        (machine,) = tomllib.loads(head + body)["machine"]
        name = machine.pop("name")
        del machine["calls"]
        settings = {rtl_name(key): machine[key] for key in machine}
        found[name] = Core(name, head + body, settings)
    return found


ALL_CORES = [
    *cores(CORES).values(),
    *(pytest.param(core, marks=pytest.mark.slow) for core in cores(MORE_CORES).values()),
]


@pytest.mark.parametrize("core", ALL_CORES, ids=lambda core: core.name)
def test_rise_core(tmp_path, seed, waves, core):
    core.build(tmp_path, waves)
    rust_tests("rise_core", tmp_path, seed, "rise_core_is_its_simulator")


def test_broken_rise_cores(tmp_path, seed, waves):
    cores(CORES)[BROKEN_CORE].build(tmp_path, waves, FAULTS)
    rust_tests("rise_core", tmp_path, seed, "caught")


def rise_machines(folder: Path, waves: bool) -> None:
    """Puts the list of whole machines, and a library of each, into a folder."""
    (folder / MACHINES.name).write_text(MACHINES.read_text())
    for machine in tomllib.loads(MACHINES.read_text())["machine"]:
        values = described(machine["base"]) | machine["change"]
        library = folder / f"{machine['name']}.so"
        lockstep_library("lockstep_rise", rise.parameters(values), library, waves=waves)


def test_rise(tmp_path, seed, waves):
    rise_machines(tmp_path, waves)
    rust_tests("rise", tmp_path, seed, "--skip", "slow")


@pytest.mark.slow
def test_rise_at_length(tmp_path, seed, waves):
    rise_machines(tmp_path, waves)
    rust_tests("rise", tmp_path, seed, "slow")
