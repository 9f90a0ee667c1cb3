"""Parameters of `rise` from a machine's description, by the names of spec/rise/params.toml."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .latency import KECCAK_ROUNDS
from .toolchain import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from .sources import Parameters

# Those that `rise` has under the same name.
SAME = [
    *("bfus", "word_bits", "bank_words", "bfu_latency", "twiddle_batches", "write_buffer"),
    *("reorder_latency", "start_cycles", "interrupt_cycles", "queued_calls"),
]


def described(machine: str) -> dict[str, int | str]:
    """The values of a shipped machine."""
    text = (ROOT / "machines" / f"{machine}.toml").read_text()
    return {key: entry["value"] for key, entry in tomllib.loads(text)["parameters"].items()}


def parameters(values: dict[str, int | str]) -> Parameters:
    """What `rise` is built with."""
    same = {"".join(word.title() for word in key.split("_")): values[key] for key in SAME}
    word_bytes = 4 if values["word_bits"] <= 30 else 8
    return {
        **same,
        "PortWords": values["dma_bytes_per_cycle"] // word_bytes,
        "Samplers": int(values["samplers"] == "keccak"),
        "RoundsPerCycle": KECCAK_ROUNDS // values["permutation_cycles"],
        "TransformsOnly": int(values["offload"] == "transforms"),
    }
