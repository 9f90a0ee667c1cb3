"""Designs as libraries for crates/lockstep, in one folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from .model import Kind, build, with_waves
from .toolchain import ROOT

if TYPE_CHECKING:
    from .fault import Fault
    from .sources import Parameters

WRAPPER = Path(__file__).with_name("lockstep.cpp")
LIBRARY = "model.so"
# An executable of position-independent code, linked as a library. Two of them live in one process:
# each must find its own symbols, inline ones too.
KIND = Kind(
    "lockstep",
    LIBRARY,
    [
        *("-CFLAGS", "-fPIC -fno-gnu-unique"),
        *("-LDFLAGS", "-shared -Wl,-Bsymbolic"),
    ],
    [WRAPPER],
)


def lockstep_library(
    top: str,
    parameters: Parameters,
    library: Path,
    fault: Fault | None = None,
    waves: bool = False,
) -> None:
    """Builds `top`, or finds it built, and puts it where it is wanted.

    With `waves` a run writes them into a file beside the library; this prints its name.
    """
    shutil.copyfile(build(top, parameters, with_waves(KIND, waves), fault) / LIBRARY, library)
    if waves:
        print(f"waves: {library}.vcd")


def rust_tests(target: str, folder: Path, seed: int, *only: str, **settings: int) -> str:
    """Runs tests of one target of crates/lockstep on the libraries of a folder; what they print.

    They find the folder, the seed and more settings in variables RINGWRIGHT_LOCKSTEP_...
    """
    # Of the workspace: alone the crate has dependencies of other features, and all is built again.
    command = ["cargo", "test", "--locked", "--quiet", "--workspace"]
    named = {"MODELS": folder, "SEED": seed, **settings}
    variables = {f"RINGWRIGHT_LOCKSTEP_{name.upper()}": str(named[name]) for name in named}
    run = subprocess.run(
        [*command, "--test", target, "--", "--include-ignored", "--nocapture", *only],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout
