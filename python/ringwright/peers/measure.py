"""All rows, and what was skipped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ringwright.peers import openfhe, operations, seal, transforms
from ringwright.peers.row import Row

__all__ = ["Measured", "Row", "measure"]


@dataclass(frozen=True)
class Measured:
    """The rows, and for each peer that is not here what would bring it."""

    rows: list[Row]
    skipped: dict[str, str]


def measure(
    *, openfhe_python: Path | None = None, progress: Callable[[str], None] = lambda _: None
) -> Measured:
    """Measures everything; minutes. `openfhe_python`: an interpreter that has OpenFHE."""
    rows: list[Row] = []
    skipped: dict[str, str] = {}
    for peer in (transforms, seal):
        wanting = peer.missing()
        if wanting is not None:
            skipped[peer.NAME] = wanting
    python = openfhe.find(openfhe_python)
    if python is None:
        skipped[openfhe.NAME] = "CPython 3.10 with `pip install openfhe`: --openfhe-python PATH"
    if transforms.NAME not in skipped:
        progress("transforms")
        rows += transforms.rows()
    for preset in operations.SETS:
        progress(f"operations, {preset}")
        rows += operations.rows(preset, python)
    return Measured(rows, skipped)
