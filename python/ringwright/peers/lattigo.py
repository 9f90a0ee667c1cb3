"""Lattigo, by a program in Go that the bench builds: `lattigo_times`, which pins its version.

Go keeps what it has fetched and compiled, so a second build takes about a second.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from ringwright.errors import MissingToolError
from ringwright.peers.elsewhere import Elsewhere, last_line

__all__ = ["NAME", "peer"]

NAME = "Lattigo"
_SOURCE = Path(__file__).with_name("lattigo_times")
_LIMIT_SECONDS = 600


def peer(folder: Path) -> Elsewhere:
    """It, built into a folder.

    Raises `MissingToolError` where there is no Go, or the program does not build.
    """
    go = shutil.which("go")
    if go is None:
        raise MissingToolError("needs Go 1.21 or newer on the search path: https://go.dev/dl")
    made = folder / _SOURCE.name
    try:
        built = subprocess.run(
            [go, "build", "-buildvcs=false", "-o", str(made), "."],
            cwd=_SOURCE,
            capture_output=True,
            text=True,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MissingToolError(f"{go} did not build it in {_LIMIT_SECONDS} s") from None
    if built.returncode:
        raise MissingToolError(f"{go} does not build it: {last_line(built.stderr)}")
    return Elsewhere(NAME, (str(made),))
