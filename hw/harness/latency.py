"""Latencies of `hw/common`, from the cycle that accepts operands to the one that offers results.

Each is the formula that the module's header states; benches assert it, simulators read it.
"""

from __future__ import annotations

KECCAK_ROUNDS = 24
FIFO = 1
STREAM_REGISTER = 1
MEMORY_READ = 1


def barrett_mul(stages: int) -> int:
    """One register per stage."""
    return stages


def montgomery_mul(stages: int) -> int:
    """One register per stage."""
    return stages


def butterfly(mul_stages: int) -> int:
    """The multiplier, and one register at the adder and the subtractor."""
    return barrett_mul(mul_stages) + 1


def rpu_law(latency: int) -> int:
    """As many registers as it is told; `compute_latency` counts the read before them too."""
    return latency


def keccak_f1600(rounds_per_cycle: int) -> int:
    """All rounds, so many a cycle."""
    return KECCAK_ROUNDS // rounds_per_cycle
