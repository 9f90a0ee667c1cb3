"""Ours beside the libraries that people use today: one run, every answer checked.

`measure` takes the times that `ringwright bench peers` prints: transforms beside `tfhe-ntt` and
Lattigo (`transforms`), CKKS operations beside SEAL, OpenFHE and Lattigo (`operations`). A peer that
is not here has no time in any row and is named in `Measured.skipped`, with what would bring it.
"""

from __future__ import annotations

from ringwright.peers.measure import Measured, Row, measure

__all__ = ["Measured", "Row", "measure"]
