"""RISE simulated beside its own RTL under Verilator: one encryption, values and cycles checked.

Both run the whole machine; the verilated one, at -O3, without probes and assertions, with the host
and the memory of the lockstep tests. Without the RTL tools there is no row.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import examples

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "hw"))

from harness import rise, toolchain  # noqa: E402
from harness.lockstep import KIND, LIBRARY  # noqa: E402
from harness.machine import described  # noqa: E402
from harness.model import build  # noqa: E402

MACHINES = {"rise-1bfu": "4096-3x30", "rise-4bfu": "4096-3x30"}
PLAIN = replace(
    KIND,
    name="speed",
    options=[*KIND.options, "-CFLAGS", "-O3", "--no-assert", "+define+RW_NO_PROBES"],
)


def rows() -> list[dict[str, Any]]:
    """Of each machine: values and cycles, cycles alone."""
    if missing := toolchain.missing():
        print(f"no RTL row: missing {', '.join(missing)} (requirements/rtl.txt)", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as folder:
        measured = [measure(Path(folder), *entry) for entry in MACHINES.items()]
    return [row for found in measured for row in found]


def measure(folder: Path, machine: str, preset: str) -> list[dict[str, Any]]:
    parameters = rise.parameters(described(machine))
    library = build("lockstep_rise", parameters, PLAIN) / LIBRARY
    (folder / f"{machine}.so").write_bytes(library.read_bytes())
    listed = f'[[machine]]\nname = "{machine}"\nbase = "{machine}"\nchange = {{}}\n'
    (folder / "lockstep_rise.toml").write_text(listed)
    run = subprocess.run(
        [examples.built("rise_speed"), machine, preset],
        cwd=ROOT,
        env=dict(os.environ, RINGWRIGHT_LOCKSTEP_MODELS=str(folder)),
        check=True,
        stdout=subprocess.PIPE,
    )
    found: list[dict[str, Any]] = json.loads(run.stdout)
    return found
