"""What a run of the firmware should take: its operations times a host's cycles, and a simulator's.

The operations of each phase are counted from the sizes alone; the host's cycles are those of a
description (`machines/hosts`), counted one by one; the accelerator's are its simulator's. Counted
alone, an operation finds its data in the cache. What an encoding does not find there is counted
from the cache's size; of the other phases it is left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil

from ringwright import _ringwright as native
from ringwright.ckks import Parameters
from ringwright.machines import Host, Machine

__all__ = ["Cache", "predicted"]

_BLOCK_BYTES, _BINOMIAL_SAMPLES = 136, 25
#: Registers of a seed, and of a call with its start.
_SEED_WRITES, _CALL_WRITES = 8, 7
#: The modem takes so many bytes a cycle.
_MODEM_BYTES = 8


#: Of a message's value, a coefficient while it is transformed, a factor of the transform.
_VALUE_BYTES, _COEFFICIENT_BYTES, _FACTOR_BYTES = 4, 8, 16


@dataclass(frozen=True)
class Cache:
    """A core's cache of data."""

    sets: int
    ways: int
    line_bytes: int

    def encoding_misses(self, n: int) -> int:
        """Lines that an encoding of N coefficients fetches: all of it once, and in each stage again
        those of the sets that coefficients fill and the stage's factors come to.
        """
        coefficients = n * _COEFFICIENT_BYTES // self.line_bytes
        messages = n // 2 * _VALUE_BYTES // self.line_bytes
        lines, half = coefficients + messages, n // 4
        while half:
            factors = ceil(half * _FACTOR_BYTES / self.line_bytes)
            lines += factors
            if coefficients + factors > self.sets * self.ways:
                lines += min(self.sets, factors) * coefficients // self.sets
            half //= 2
        return lines


def predicted(
    host: Host, cache: Cache, parameters: Parameters, machine: Machine | None, frames: int
) -> dict[str, float]:
    """Cycles by phase, for those that can be said; `machine`: the accelerator, if there is one."""
    phases = {
        name: host_cycles(host, counts) for name, counts in _counts(parameters, machine).items()
    }
    phases["encode"] += cache.encoding_misses(parameters.n) * _miss(host, cache)
    if machine is not None:
        tower = native.Module.encryption(parameters, 1)
        timing = native.lower(native.Backend(machine), tower).timing
        if timing is not None:
            phases["encrypt"] += parameters.levels * timing.cycles
    phases["transmit"] = 2 * 4 * parameters.n * parameters.levels / _MODEM_BYTES
    return {name: frames * cycles for name, cycles in phases.items()}


def _miss(host: Host, cache: Cache) -> float:
    """Cycles of one line: a word that comes from memory misses where it is and where it goes."""
    cold, warm = (host.operations[name]["cycles"] for name in ("key_word", "word_move"))
    return (cold - warm) * cache.line_bytes / 4 / 2


def host_cycles(host: Host, counts: Counter[str]) -> float:
    """Of so many operations."""
    return sum(host.operations[name]["cycles"] * count for name, count in counts.items())


def _counts(parameters: Parameters, machine: Machine | None) -> dict[str, Counter[str]]:
    """The core's operations by phase, of one frame."""
    n, log_n, towers = parameters.n, parameters.log_n, parameters.levels
    values = {} if machine is None else machine.values
    draws = values.get("samplers", "none") == "none"
    phases = {
        "encode": Counter(complex_butterfly=n // 4 * (log_n - 1), coefficient_round=n, word_move=n)
    }
    if draws:
        ternary = ceil((n + n // 128 + 64) / _BLOCK_BYTES)
        phases["sample"] = Counter(
            keccak_permutation=ternary + 2 * ceil(n / _BINOMIAL_SAMPLES),
            ternary_sample=n,
            binomial_sample=2 * n,
        )
    if machine is None:
        phases["encrypt"] = Counter(
            signed_residue=3 * n * towers,
            butterfly=3 * n // 2 * log_n * towers,
            modular_mul=2 * n * towers,
        )
        return phases
    written = 3 if draws else 1
    phases["write"] = Counter(signed_residue=written * n * towers)
    if not draws:
        phases["write"]["register_write"] = _SEED_WRITES
    # Three transforms, or two halves; a call that is queued is written while another one runs.
    calls = 3 if values["offload"] == "transforms" else 2
    calls -= int(values["queued_calls"]) - 1
    phases["encrypt"] = Counter(
        register_write=calls * _CALL_WRITES * towers, interrupt=calls * towers
    )
    return phases
