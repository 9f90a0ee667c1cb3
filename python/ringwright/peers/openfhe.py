"""OpenFHE, in an interpreter of its own: its wheel is for CPython 3.10 alone.

The least of several runs there, on one thread; not in turn with ours, but in the same bench.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ringwright.ckks import Parameters

__all__ = ["NAME", "find", "times"]

NAME = "OpenFHE"
_SCRIPT = Path(__file__).with_name("openfhe_times.py")
_LIMIT_SECONDS = 600


def find(python: Path | None = None) -> Path | None:
    """An interpreter that imports `openfhe`: the one given, or python3.10 on the search path."""
    candidate = str(python) if python else shutil.which("python3.10")
    if candidate is None:
        return None
    found = subprocess.run(
        [candidate, "-I", "-c", "import openfhe"], capture_output=True, check=False
    )
    return Path(candidate) if found.returncode == 0 else None


def times(
    python: Path, parameters: Parameters, log_scale: int, steps: Sequence[int]
) -> dict[str, float]:
    """Microseconds of each row, by its name; empty where OpenFHE gave wrong answers or none."""
    shape = {
        "log_n": parameters.n.bit_length() - 1,
        "towers": len(parameters.q),
        "bits": parameters.q[0].bit_length(),
        "log_scale": log_scale,
        "steps": list(steps),
    }
    run = subprocess.run(
        [str(python), "-I", str(_SCRIPT), json.dumps(shape)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_LIMIT_SECONDS,
        check=False,
    )
    if run.returncode:
        return {}
    taken: dict[str, float] = json.loads(run.stdout)
    return taken
