"""Designs in lockstep with their simulators and models: builds the libraries, then runs the Rust
tests that step them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from harness.lockstep import lockstep_library
from harness.toolchain import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CELLS = ["lockstep_fifo", "lockstep_barrett_mul"]
CORES = ROOT / "hw/rise/tb/lockstep_rise_core.toml"


def rust(target: str, folder: Path, seed: int) -> None:
    """Runs the tests of one target of crates/lockstep on the libraries of a folder."""
    command = ["cargo", "test", "--locked", "--quiet", "-p", "ringwright-lockstep"]
    run = subprocess.run(
        [*command, "--test", target, "--", "--include-ignored"],
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


def test_rise_core(tmp_path, seed):
    shutil.copy(CORES, tmp_path)
    for machine in tomllib.loads(CORES.read_text())["machine"]:
        name = f"rise_core_{machine.pop('name')}"
        del machine["calls"]
        lockstep_library("lockstep_rise_core", parameters(machine), tmp_path, name)
    rust("rise_core", tmp_path, seed)
