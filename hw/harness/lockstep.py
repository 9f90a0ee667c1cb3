"""Designs as libraries for crates/lockstep, in one folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from .model import Kind, build, with_waves

if TYPE_CHECKING:
    from .fault import Fault
    from .sources import Parameters

WRAPPER = Path(__file__).with_name("lockstep.cpp")
LIBRARY = "model.so"
# An executable of position-independent code, linked as a library. Two of them live in one process:
# each must find its own symbols, inline ones too.
KIND = Kind(
    "lockstep",
    [
        *("--exe", "-o", LIBRARY),
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
