"""OpenFHE, in an interpreter of its own: its wheel is for CPython 3.10 alone."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from ringwright.checkout import ROOT
from ringwright.errors import MissingToolError
from ringwright.peers.elsewhere import Elsewhere, last_line

__all__ = ["NAME", "peer"]

NAME = "OpenFHE"
_SCRIPT = Path(__file__).with_name("openfhe_times.py")
#: Where `make .venv/.peers` puts it in a checkout.
_MADE = ROOT / ".venv" / "openfhe" / "bin" / "python"


def peer(python: Path | None = None) -> Elsewhere:
    """It under the interpreter given; else under a checkout's, or python3.10 on the search path.

    Raises `MissingToolError` where none imports `openfhe`.
    """
    candidates = [str(python)] if python else [str(_MADE), shutil.which("python3.10")]
    refusal = ""
    for candidate in candidates:
        if candidate and Path(candidate).is_file():
            said = _refusal(candidate)
            if said is None:
                return Elsewhere(NAME, (candidate, "-I", str(_SCRIPT)))
            refusal = f"; {candidate}: {said}"
    raise MissingToolError(
        "needs a CPython 3.10 with `pip install openfhe`: `make .venv/.peers` in a checkout, "
        f"or --openfhe-python PATH{refusal}"
    )


def _refusal(python: str) -> str | None:
    """What the interpreter says when it cannot import OpenFHE."""
    command = [python, "-I", "-c", "import openfhe"]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    return last_line(asked.stderr) if asked.returncode else None
