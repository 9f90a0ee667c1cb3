"""Transforms beside `tfhe-ntt`, by the Rust bench of a checkout (`bench/native`), and Lattigo."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from ringwright.checkout import ROOT
from ringwright.errors import MissingToolError
from ringwright.peers.elsewhere import Times
from ringwright.peers.row import Row, row

__all__ = ["NAME", "beside", "native", "request"]

NAME = "tfhe-ntt"
_MANIFEST = ROOT / "bench" / "native" / "Cargo.toml"
#: Of peers elsewhere.
_WORD_BITS = 64


def native(program: str = "ringwright-bench") -> list[Row]:
    """The rows of a Rust bench, built on the way.

    Raises `MissingToolError` where it is not here, or fails; it says why on stderr.
    """
    if not _MANIFEST.is_file():
        raise MissingToolError("needs a checkout of Ringwright: its Rust bench is in no wheel")
    cargo = shutil.which("cargo")
    if cargo is None:
        raise MissingToolError("needs cargo, Rust's build tool, on the search path")
    command = [cargo, "run", "--release", "--quiet", "--locked", "--bin", program]
    run = subprocess.run(
        [*command, "--manifest-path", str(_MANIFEST)], check=False, stdout=subprocess.PIPE
    )
    if run.returncode:
        raise MissingToolError(f"the Rust bench {program} does not build or fails")
    measured: list[Row] = json.loads(run.stdout)
    return measured


def request(rows: Sequence[Row]) -> dict[str, Any]:
    """What peers elsewhere are asked: the shapes of the rows that they can have."""
    shapes = [row["parameters"] for row in rows if _can_have(row) and row["name"] == "ntt forward"]
    return {"transforms": [{key: shape[key] for key in ("log_n", "bits")} for shape in shapes]}


def beside(rows: Sequence[Row], elsewhere: Mapping[str, Times]) -> list[Row]:
    """The rows, with what peers elsewhere took."""
    return [_beside(row, elsewhere) if _can_have(row) else row for row in rows]


def _beside(ours: Row, elsewhere: Mapping[str, Times]) -> Row:
    shape = ours["parameters"]
    key = f"{ours['name']} log_n={shape['log_n']} bits={shape['bits']}"
    taken = {peer: times[key] for peer, times in elsewhere.items() if key in times}
    peers = {**ours["peers"], **taken}
    return row(ours["name"], shape, ours["ours_us"], peers, correct=ours["correct"])


def _can_have(row: Row) -> bool:
    """Whether it is a transform of 64-bit words, on one thread."""
    shape = row["parameters"]
    narrow_enough = int(shape.get("bits", _WORD_BITS)) < _WORD_BITS
    return shape["threads"] == 1 and narrow_enough and "word_bits" not in shape
