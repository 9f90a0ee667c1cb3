"""Designs in lockstep with their Rust models: builds the libraries, then runs the Rust tests."""

from __future__ import annotations

import os
import subprocess

from harness.lockstep import lockstep_library
from harness.toolchain import ROOT

DESIGNS = ["lockstep_fifo", "lockstep_barrett_mul"]


def test_common_cells(tmp_path):
    for design in DESIGNS:
        lockstep_library(design, {}, tmp_path)
    command = ["cargo", "test", "--locked", "--quiet", "-p", "ringwright-lockstep"]
    run = subprocess.run(
        [*command, "--", "--include-ignored"],
        cwd=ROOT,
        env=dict(os.environ, RINGWRIGHT_LOCKSTEP_MODELS=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
