"""Moduli, operands and constants for the arithmetic benches, on Python's integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random


def barrett_constants(q: int, width: int) -> dict[str, int]:
    """The constants of q for `barrett_mul`, by the formulas in its header."""
    shift = q.bit_length() - 3
    return {
        "modulus_i": q,
        "shift_i": shift,
        "reciprocal_i": (1 << (shift + width + 5)) // q,
    }


def moduli(rng: random.Random, fewest_bits: int, width: int, count: int) -> list[int]:
    """Odd moduli: both ends of the range of every bit length's extremes, then random ones."""
    ends = {width, fewest_bits}
    fixed = [q for bits in sorted(ends) for q in ((1 << (bits - 1)) + 1, (1 << bits) - 1)]
    lengths = [rng.randint(fewest_bits, width) for _ in range(count)]
    return fixed + [rng.randrange((1 << (bits - 1)) + 1, 1 << bits, 2) for bits in lengths]


def operand(rng: random.Random, q: int) -> int:
    """A residue; those next to 0, q/2 and q come often."""
    corners = (0, 1, q // 2, q // 2 + 1, q - 2, q - 1)
    return rng.choice(corners) if rng.random() < 0.25 else rng.randrange(q)
