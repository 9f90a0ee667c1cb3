"""How tests build wheels: as `make wheel` does, but unoptimised, in less than half the time.

`make test-wheels`, which runs before a wheel is handed out, has them as they ship.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AS_SHIPPED = "RINGWRIGHT_WHEELS_AS_SHIPPED" in os.environ


def make_wheel(folder: Path, target: str | None = None) -> None:
    """A wheel, for this computer or a target of Rust's, and an sdist.

    Several may be built at once, each in a folder of its own.
    """
    command = ["make", "wheel", f"DIST={folder}", *([f"TARGET={target}"] if target else [])]
    quick = {
        "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
        "CARGO_TARGET_DIR": str(ROOT / "target" / f"wheel-{target or 'here'}"),
    }
    changed = {} if AS_SHIPPED else quick
    subprocess.run(command, cwd=ROOT, check=True, env=os.environ | changed)
