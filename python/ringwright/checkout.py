"""What lies in a checkout of Ringwright and in no wheel: the RTL and its harness, under `hw/`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from ringwright.errors import MissingToolError

__all__ = ["ROOT", "harness", "need"]

#: In a checkout, beside `python/`.
ROOT = Path(__file__).resolve().parents[2]
_HARDWARE = ROOT / "hw"
_INSTALL = "python -m pip install -r requirements/rtl.txt"


def harness(name: str) -> ModuleType:
    """A module of `hw/harness`.

    Raises `MissingToolError` where Ringwright was installed from a wheel.
    """
    if not (_HARDWARE / "harness").is_dir():
        raise MissingToolError(
            "the RTL is in a checkout of Ringwright, not in its wheel: clone it and run `make demo`"
        )
    if str(_HARDWARE) not in sys.path:
        sys.path.append(str(_HARDWARE))
    return importlib.import_module(f"harness.{name}")


def need(packages: dict[str, str], what: str, install: str = _INSTALL) -> None:
    """Raises `MissingToolError` unless all packages (import name -> name for pip) are installed."""
    wanting = [pip for name, pip in packages.items() if importlib.util.find_spec(name) is None]
    if wanting:
        raise MissingToolError(f"{what} needs {', '.join(wanting)}: {install}")
