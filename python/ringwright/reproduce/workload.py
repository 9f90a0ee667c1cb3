"""What the papers' software does, counted: the baseline runs all of it on the processor.

Parameter sets of RACE, Table I; 130 bits at N = 8192 are six towers (SEAL-Embedded's own set, and
what the published times scale with). Encryption per tower (dissertation, section 1.1.2: "all
inputs are transformed"): transforms of mu, m, e0 and e1, two products with the key, three sums, and
the two polynomials of the public key brought from where they are stored, which an accelerator with
DMA fetches itself. Decryption per tower: one product, one sum, one inverse transform.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ringwright._ringwright import decode_operations, encode_operations
from ringwright.errors import ParameterError

Direction = Literal["m2c", "c2m"]
Operations = dict[str, int]

#: Bits of a Keccak block of SHAKE-256, and of one centred binomial sample.
_BLOCK_BITS, _BINOMIAL_BITS = 1088, 42
#: Inputs of one encryption that are transformed: mu, m, e0, e1.
TRANSFORMS = 4


@dataclass(frozen=True)
class ParameterSet:
    """One row of Table I."""

    n: int
    towers: int
    log_q: int
    preset: str

    @property
    def log_n(self) -> int:
        """log2 N."""
        return self.n.bit_length() - 1


SETS = (
    ParameterSet(1024, 1, 27, "1024-27"),
    ParameterSet(2048, 1, 30, "2048-30"),
    ParameterSet(4096, 3, 90, "4096-3x30"),
    ParameterSet(8192, 6, 180, "8192-6x30"),
    ParameterSet(16384, 13, 390, "16384-13x30"),
)


def parameter_set(n: int) -> ParameterSet:
    """The set with this ring degree."""
    for chosen in SETS:
        if chosen.n == n:
            return chosen
    known = ", ".join(str(chosen.n) for chosen in SETS)
    raise ParameterError(f"N = {n} is no set of the papers; allowed: {known}")


def conversion(direction: Direction, chosen: ParameterSet) -> dict[str, Operations]:
    """Operations of one conversion on the processor alone, by the papers' names of the parts."""
    n, towers = chosen.n, chosen.towers
    transform = n // 2 * chosen.log_n * towers
    if direction == "m2c":
        return {
            "encode": encode_operations(chosen.log_n, towers),
            "error sampling": error_sampling(n, towers),
            "transforms": {"butterfly": TRANSFORMS * transform},
            "encrypt": {
                "modular_mul": 2 * n * towers,
                "modular_add": 3 * n * towers,
                **public_key_words(n, towers),
            },
        }
    return {
        "transforms": {"butterfly": transform},
        "decrypt": {"modular_mul": n * towers, "modular_add": n * towers},
        "decode": decode_operations(chosen.log_n, towers),
    }


def error_sampling(n: int, towers: int) -> Operations:
    """mu, e0 and e1, drawn once and written as residues under every prime."""
    ternary = -(-(n + n // 128 + 64) * 8 // _BLOCK_BITS)
    binomial = -(-n // (_BLOCK_BITS // _BINOMIAL_BITS))
    return {
        "keccak_permutation": ternary + 2 * binomial,
        "ternary_sample": n,
        "binomial_sample": 2 * n,
        "signed_residue": 3 * n * towers,
    }


def public_key_words(n: int, towers: int) -> Operations:
    """pk0 and pk1 read and unpacked by software.

    The printed shares leave 13,000 cycles a coefficient and tower to encryption without transforms,
    against 2,200 to decryption: products and sums alone cannot explain both.
    """
    return {"key_word": 2 * n * towers}


def total(parts: Mapping[str, Mapping[str, int]]) -> Operations:
    """All parts together."""
    counts: Operations = {}
    for operations in parts.values():
        for name, count in operations.items():
            counts[name] = counts.get(name, 0) + count
    return counts
