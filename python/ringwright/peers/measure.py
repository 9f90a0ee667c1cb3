"""All rows, and what was skipped."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ringwright.errors import MissingToolError
from ringwright.peers import lattigo, openfhe, operations, seal, transforms
from ringwright.peers.elsewhere import Elsewhere, Times
from ringwright.peers.row import ANSWERS_ONLY, Row

__all__ = ["Measured", "Row", "measure"]

_Got = TypeVar("_Got")


@dataclass(frozen=True)
class Measured:
    """The rows, and for each peer that gave no times why, and what would bring them."""

    rows: list[Row] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)

    def of(self, peer: str, get: Callable[[], _Got]) -> _Got | None:
        """What a peer gives, unless it was skipped; is so from now on where it gives nothing."""
        if peer in self.skipped:
            return None
        try:
            return get()
        except MissingToolError as error:
            self.skipped[peer] = str(error)
            return None


def measure(
    *,
    presets: Sequence[str] = (),
    openfhe_python: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Measured:
    """Measures everything, or CKKS operations of these presets alone; minutes.

    `openfhe_python`: an interpreter that has OpenFHE.
    """
    measured = Measured()
    if ANSWERS_ONLY in os.environ:
        progress(f"{ANSWERS_ONLY} is set: one round of everything, no time is a measurement")
    with tempfile.TemporaryDirectory() as folder:
        others = [
            measured.of(openfhe.NAME, partial(openfhe.peer, openfhe_python)),
            measured.of(lattigo.NAME, partial(lattigo.peer, Path(folder))),
        ]
        elsewhere = [peer for peer in others if peer]
        if not presets:
            progress("transforms")
            ours = measured.of(transforms.NAME, transforms.native)
            if ours:
                taken = _taken(measured, elsewhere, transforms.request(ours))
                measured.rows.extend(transforms.beside(ours, taken))
        for preset in presets or operations.SETS:
            progress(f"operations, {preset}")
            taken = _taken(measured, elsewhere, operations.request(preset))
            in_turn = measured.of(seal.NAME, partial(operations.in_turn, preset)) or {}
            measured.rows.extend(operations.rows(preset, in_turn, taken))
    return measured


def _taken(
    measured: Measured, elsewhere: Sequence[Elsewhere], request: dict[str, Any]
) -> dict[str, Times]:
    """What each peer elsewhere took of what it can."""
    asked = {peer.name: measured.of(peer.name, partial(peer.times, request)) for peer in elsewhere}
    return {name: times for name, times in asked.items() if times is not None}
