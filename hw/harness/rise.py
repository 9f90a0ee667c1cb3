"""Parameters of `rise` from a machine's description, by the names of spec/rise/params.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .latency import KECCAK_ROUNDS
from .machine import rtl_name

if TYPE_CHECKING:
    from .sources import Parameters

# Those that `rise` has under the same name.
SAME = [
    *("bfus", "word_bits", "bank_words", "bfu_latency", "twiddle_batches", "write_buffer"),
    *("reorder_latency", "dma_burst_bytes", "start_cycles", "interrupt_cycles", "queued_calls"),
]


def parameters(values: dict[str, int | str]) -> Parameters:
    """What `rise` is built with."""
    same = {rtl_name(key): values[key] for key in SAME}
    word_bytes = 4 if values["word_bits"] <= 30 else 8
    return {
        **same,
        "PortWords": values["dma_bytes_per_cycle"] // word_bytes,
        "Samplers": int(values["samplers"] == "keccak"),
        "RoundsPerCycle": KECCAK_ROUNDS // values["permutation_cycles"],
        "TransformsOnly": int(values["offload"] == "transforms"),
    }
