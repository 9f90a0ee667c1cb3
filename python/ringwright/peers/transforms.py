"""Transforms beside `tfhe-ntt`, by the Rust bench of a checkout: `bench/native`."""

from __future__ import annotations

import json
import shutil
import subprocess

from ringwright.checkout import ROOT
from ringwright.peers.row import Row

__all__ = ["NAME", "missing", "rows"]

NAME = "tfhe-ntt"
_MANIFEST = ROOT / "bench" / "native" / "Cargo.toml"


def missing() -> str | None:
    """What would bring the bench, or `None` where it is here."""
    if not _MANIFEST.is_file():
        return "a checkout of Ringwright: its Rust bench is in no wheel"
    return None if shutil.which("cargo") else "cargo, Rust's build tool"


def rows(program: str = "ringwright-bench") -> list[Row]:
    """The rows of a Rust bench, built on the way."""
    command = ["cargo", "run", "--release", "--quiet", "--locked", "--bin", program]
    run = subprocess.run(
        [*command, "--manifest-path", str(_MANIFEST)], check=True, stdout=subprocess.PIPE
    )
    measured: list[Row] = json.loads(run.stdout)
    return measured
