"""Designs in lockstep with their simulators and models: builds the libraries, then runs the Rust
tests that step them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.fault import Fault
from harness.lockstep import lockstep_library
from harness.toolchain import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CELLS = ["lockstep_fifo", "lockstep_barrett_mul"]
CORES = ROOT / "hw/rise/tb/lockstep_rise_core.toml"
MORE_CORES = CORES.with_stem("lockstep_rise_core_full")
# Put into the first of those machines; crates/lockstep/tests/rise_core.rs knows what each does.
FAULTS = {
    "swapped": Fault("rise_reordering_unit", "1'(k / Bfus)", "1'(1 - k / Bfus)"),
    "lossy": Fault("rise_write_buffer", "write_i & (read_i | waits)", "write_i & waits"),
    "hasty": Fault("rise_twiddle_unit", "= line_q[BfuLatency-2]", "= line_q[BfuLatency-3]"),
}


def rust(target: str, folder: Path, seed: int, *only: str) -> None:
    """Runs tests of one target of crates/lockstep on the libraries of a folder."""
    command = ["cargo", "test", "--locked", "--quiet", "-p", "ringwright-lockstep"]
    run = subprocess.run(
        [*command, "--test", target, "--", "--include-ignored", *only],
        cwd=ROOT,
        env=dict(
            os.environ,
            RINGWRIGHT_LOCKSTEP_MODELS=str(folder),
            RINGWRIGHT_LOCKSTEP_SEED=str(seed),
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_common_cells(tmp_path, seed):
    for design in CELLS:
        lockstep_library(design, {}, tmp_path)
    rust("common_cells", tmp_path, seed)


def parameters(machine: dict[str, int]) -> dict[str, int]:
    """Of `rise_core`, from the names of spec/rise/params.toml."""
    names = {key: "".join(word.title() for word in key.split("_")) for key in machine}
    return {names[key]: value for key, value in machine.items()}


def rise_cores(machines: Path, folder: Path) -> list[tuple[str, dict[str, int]]]:
    """Builds the machines of a list into a folder, beside the list; their names and parameters."""
    shutil.copy(machines, folder / CORES.name)
    built = []
    for machine in tomllib.loads(machines.read_text())["machine"]:
        name = f"rise_core_{machine.pop('name')}"
        del machine["calls"]
        built.append((name, parameters(machine)))
        lockstep_library("lockstep_rise_core", built[-1][1], folder, name)
    return built


def test_rise_core(tmp_path, seed):
    name, settings = rise_cores(CORES, tmp_path)[0]
    for fault, change in FAULTS.items():
        library = f"{name}_{fault}"
        lockstep_library("lockstep_rise_core", settings, tmp_path, library, change)
    rust("rise_core", tmp_path, seed)


@pytest.mark.slow
def test_more_of_rise_core(tmp_path, seed):
    rise_cores(MORE_CORES, tmp_path)
    rust("rise_core", tmp_path, seed, "rise_core_is_its_simulator")
