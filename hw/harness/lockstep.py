"""Designs as libraries for crates/lockstep, in one folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .machine import described, read_target
from .model import Kind, build, with_waves
from .toolchain import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def machines(
    listed: Path, base: str, slow: bool, folder: Path
) -> Iterator[tuple[str, dict[str, int | str]]]:
    """Name and values of each machine of a list, its description put into a folder.

    A machine has what it says, what the list says of all, and the rest of a shipped one, `base`.
    """
    read = tomllib.loads(listed.read_text())
    target = read_target(base)
    for machine in read["machine"]:
        if machine.get("slow", False) == slow:
            values = described(base) | read["everywhere"] | machine["parameters"]
            name, source = machine["name"], listed.relative_to(ROOT).as_posix()
            lines = [f"name = {name!r}", f"target = {target!r}", "title = 'lockstep'"]
            lines += ["[parameters]"]
            lines += [
                f"{key} = {{ value = {value!r}, source = {source!r} }}"
                for key, value in values.items()
            ]
            (folder / f"{name}.toml").write_text("\n".join(lines))
            yield name, values


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
