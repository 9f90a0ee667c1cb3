"""Lattigo, by a program in Go that the bench builds: `lattigo_times`, which pins its version.

Go keeps what it has fetched and compiled, so a second build takes about a second.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from ringwright.errors import MissingToolError
from ringwright.peers.elsewhere import Elsewhere, answer

__all__ = ["NAME", "peer"]

NAME = "Lattigo"
_SOURCE = Path(__file__).with_name("lattigo_times")


def peer(folder: Path) -> Elsewhere:
    """It, built into a folder.

    Raises `MissingToolError` where there is no Go, or the program does not build.
    """
    go = shutil.which("go")
    if go is None:
        raise MissingToolError("needs Go 1.21 or newer on the search path: https://go.dev/dl")
    made = folder / _SOURCE.name
    build = [go, "build", "-buildvcs=false", "-o", str(made), "."]
    answer(build, cwd=_SOURCE, failed=f"{go} does not build it")
    return Elsewhere(NAME, (str(made),))
